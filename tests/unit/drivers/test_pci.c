/* SPDX-License-Identifier: BSD-2-Clause */
/* PCI configuration space: both ways in, what is found, and what lies. */
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"
#include "tests/unit/reported.h"

#define MCFG_BASE UINT64_C(0xb0000000)

static struct pci pci;
static struct reported reported;

static void complain(void *ctx, const char *text)
{
	reported_add(ctx, "", 0, text);
}

/* All functions that are found: segment, place and class. */
static const char *scanned(void)
{
	static char found[FAKE_FUNCTIONS * 24];
	struct text t;

	text_init(&t, found, sizeof(found));
	for (struct pci_walk w = { .buses = 0 }; pci_next(&pci, &w);)
		text_add(&t, " %u:%02x:%02x.%u=%06x", w.at.segment, w.at.bus, w.at.device,
			 w.at.function, (unsigned)w.class);
	assert_false(t.overflow);
	return found;
}

static void setup(void)
{
	fake_reset();
	memset(&reported, 0, sizeof(reported));
}

static void several(struct fake_function *f)
{
	f->reg[PCI_HEADER + 2] = 0x80;
}

/* Functions past 0 count only where function 0 is marked as one of several. */
TEST_F(setup, NULL, test_scan)
{
	fake_add(0, 0, 0, 0x29c08086, 0x060000);
	several(fake_add(0, 31, 0, 0x29188086, 0x060100));
	fake_add(0, 31, 2, 0x29228086, 0x010601);
	fake_add(0, 31, 7, 0x29308086, 0x0c0500);
	fake_add(0, 5, 0, 0x10d38086, 0x020000);
	fake_add(0, 5, 1, 0x11111111, 0x020000); /* a ghost of function 0 */
	fake_add(0, 6, 1, 0x22222222, 0x020000); /* without a function 0 */
	fake_add(255, 31, 0, 0x33331234, 0x0c0330);
	fake_open(&pci);
	assert_string_equal(scanned(), " 0:00:00.0=060000 0:00:05.0=020000 0:00:1f.0=060100"
				       " 0:00:1f.2=010601 0:00:1f.7=0c0500 0:ff:1f.0=0c0330");
	assert_int_equal(fake.config_writes, 0);
}

/* Values that some bridges return for absent devices are no ids. */
TEST_F(setup, NULL, test_ids_that_are_none)
{
	fake_add(0, 1, 0, 0xffffffff, 0xffffff);
	fake_add(0, 2, 0, 0x00000000, 0);
	fake_add(0, 3, 0, 0xffff0001, 0);
	fake_add(0, 4, 0, 0x1234ffff, 0);
	fake_open(&pci);
	assert_string_equal(scanned(), "");
}

TEST_F(setup, NULL, test_accesses_of_each_size)
{
	struct fake_function *f = fake_add(0, 3, 1, 0x12348086, 0);
	struct pci_address at = { 0, 0, 3, 1 };

	fake_put(f->reg + 0x40, 0x44332211, 4);
	fake_open(&pci);
	assert_int_equal(pci_read32(&pci, &at, 0x40), 0x44332211);
	assert_int_equal(pci_read16(&pci, &at, 0x40), 0x2211);
	assert_int_equal(pci_read16(&pci, &at, 0x42), 0x4433);
	assert_int_equal(pci_read8(&pci, &at, 0x43), 0x44);
	pci_write8(&pci, &at, 0x41, 0xaa);
	assert_int_equal(fake_get(f->reg + 0x40, 4), 0x4433aa11);
	pci_write16(&pci, &at, 0x42, 0xbbcc);
	assert_int_equal(fake_get(f->reg + 0x40, 4), 0xbbccaa11);
	pci_write32(&pci, &at, 0x44, 0x01020304);
	assert_int_equal(fake_get(f->reg + 0x44, 4), 0x01020304);
	at.device = 4;
	assert_int_equal(pci_read32(&pci, &at, 0), PCI_ABSENT);
}

static void use_ecam(struct acpi_info *acpi, uint16_t segment, uint8_t first, uint8_t last)
{
	memset(acpi, 0, sizeof(*acpi));
	acpi->ecam_count = 1;
	acpi->ecam[0] = (struct acpi_ecam){ MCFG_BASE, segment, first, last };
	fake.ecam = MCFG_BASE;
	fake.ecam_segment = segment;
}

/* A machine without the ports: all by memory. */
TEST_F(setup, NULL, test_ecam_alone)
{
	static struct acpi_info acpi;
	struct fake_function *f;
	struct pci_address at = { 0, 2, 7, 3 };

	fake.no_ports = true;
	several(fake_add(2, 7, 0, 0x12348086, 0x020000));
	f = fake_add(2, 7, 3, 0x56788086, 0x0c0320);
	fake_add(9, 0, 0, 0x12348086, 0x020000); /* past the region's last bus */
	use_ecam(&acpi, 0, 0, 8);
	pci_open(&pci, &acpi, complain, &reported);
	assert_false(pci.ports);
	assert_int_equal(reported.count, 0);
	assert_string_equal(scanned(), " 0:02:07.0=020000 0:02:07.3=0c0320");
	pci_write8(&pci, &at, 0x6b, 1);
	pci_write16(&pci, &at, 0xc0, 0x8f00);
	pci_write32(&pci, &at, 0x6c, 0xe0000000);
	assert_int_equal(f->reg[0x6b], 1);
	assert_int_equal(fake_get(f->reg + 0xc0, 2), 0x8f00);
	assert_int_equal(fake_get(f->reg + 0x6c, 4), 0xe0000000);
	at.bus = 9;
	assert_int_equal(pci_read32(&pci, &at, 0), PCI_ABSENT);
	pci_write32(&pci, &at, 0x40, 0);
	assert_int_equal(fake.config_writes, 3);
}

/* Another segment is reached by memory, beside segment 0 by the ports. */
TEST_F(setup, NULL, test_other_segment)
{
	static struct acpi_info acpi;

	fake_add(0, 1, 0, 0x12348086, 0x0c0330);
	fake_add(0, 1, 0, 0x56788086, 0x020000)->at.segment = 4;
	use_ecam(&acpi, 4, 0, 0);
	pci_open(&pci, &acpi, complain, &reported);
	assert_string_equal(scanned(), " 0:00:01.0=0c0330 4:00:01.0=020000");
	assert_int_equal(pci_read32(&pci, &(struct pci_address){ 4, 0, 1, 0 }, 0), 0x56788086);
	assert_int_equal(pci_read32(&pci, &(struct pci_address){ 0, 0, 1, 0 }, 0), 0x12348086);
}

TEST_F(setup, NULL, test_ecam_that_cannot_be_mapped)
{
	static struct acpi_info acpi;

	use_ecam(&acpi, 0, 0, 255);
	fake.ecam = 0;
	/* The ports reach segment 0 without it. */
	pci_open(&pci, &acpi, complain, &reported);
	assert_int_equal(pci.ecam_count, 0);
	reported_assert_none(&reported);
	fake.no_ports = true;
	pci_open(&pci, &acpi, complain, &reported);
	assert_int_equal(pci.ecam_count, 0);
	assert_true(reported_has(&reported, "PCI: segment 0 buses 0-255 at 0xb0000000 cannot be "
					    "mapped; not used"));
}

TEST_F(setup, NULL, test_nothing_at_all)
{
	struct pci_address at = { 0, 0, 0, 0 };

	fake.no_ports = true;
	fake_open(&pci);
	assert_string_equal(scanned(), "");
	assert_int_equal(pci_read32(&pci, &at, 0), PCI_ABSENT);
}

TEST_F(setup, NULL, test_bars)
{
	static const struct {
		uint32_t low, high;
		uint8_t layout;
		unsigned n;
		enum pci_bar_kind kind;
		uint64_t base, size_max;
	} rows[] = {
		{ 0xfebf0000, 0, 0, 0, PCI_BAR_MEMORY, 0xfebf0000, 0x10000 },
		{ 0xfebf1008, 0, 0, 5, PCI_BAR_MEMORY, 0xfebf1000, 0x1000 }, /* prefetchable */
		{ 0x00004004, 0xe0, 0, 0, PCI_BAR_MEMORY, UINT64_C(0xe000004000), 0x4000 },
		{ 0x00000004, 0x38, 0, 0, PCI_BAR_MEMORY, UINT64_C(0x3800000000),
		  UINT64_C(0x800000000) },
		{ 0x00000004, 0, 0, 0, PCI_BAR_NONE, 0, 0 },
		{ 0, 0, 0, 0, PCI_BAR_NONE, 0, 0 },
		{ 0xffffffff, 0, 0, 0, PCI_BAR_NONE, 0, 0 },
		{ 0x0000c021, 0, 0, 4, PCI_BAR_IO, 0xc020, 0x20 },
		{ 0x00000001, 0, 0, 4, PCI_BAR_NONE, 0, 0 },
		{ 0x0001c021, 0, 0, 4, PCI_BAR_NONE, 0, 0 }, /* no port */
		{ 0xfebf0004, 1, 0, 5, PCI_BAR_NONE, 0, 0 }, /* its upper half is no bar */
		{ 0xfebf0000, 0, 0, 6, PCI_BAR_NONE, 0, 0 },
		{ 0xfebf0000, 0, 1, 1, PCI_BAR_MEMORY, 0xfebf0000, 0x10000 },
		{ 0xfebf0000, 0, 1, 2, PCI_BAR_NONE, 0, 0 }, /* a bridge's bus numbers */
		{ 0xfebf0000, 0, 2, 0, PCI_BAR_NONE, 0, 0 },
		{ 0xfebf0000, 0, 0x80, 0, PCI_BAR_MEMORY, 0xfebf0000, 0x10000 },
	};
	struct fake_function *f = fake_add(0, 1, 0, 0x12348086, 0);

	fake_open(&pci);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pci_bar bar;

		memset(f->reg + 0x10, 0, 0x18);
		fake_put(f->reg + 0x10 + 4 * rows[i].n, rows[i].low, 4);
		if (rows[i].high)
			fake_put(f->reg + 0x14 + 4 * rows[i].n, rows[i].high, 4);
		f->reg[PCI_HEADER + 2] = rows[i].layout;
		bar = pci_bar(&pci, &f->at, rows[i].n);
		assert_int_equal(bar.kind, rows[i].kind);
		if (bar.kind == PCI_BAR_NONE)
			continue;
		assert_true(bar.base == rows[i].base && bar.size_max == rows[i].size_max);
	}
	assert_int_equal(fake.config_writes, 0);
}

TEST_F(setup, NULL, test_power_state)
{
	struct fake_function *f = fake_add(0, 1, 0, 0x12348086, 0);

	fake_open(&pci);
	fake_put(f->reg + 0x34, 0x50, 1);
	fake_put(f->reg + 0x50, 0x7005, 2); /* MSI, then at 70h */
	fake_put(f->reg + 0x70, 0x0001, 2); /* power management */
	fake_put(f->reg + 0x74, 0x0103, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 0); /* its status: no list */
	fake_put(f->reg + 0x06, 0x0010, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 3);
	fake_put(f->reg + 0x74, 0x0100, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 0);
	/* A loop, and a list that leads into the header. */
	fake_put(f->reg + 0x50, 0x5005, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 0);
	fake_put(f->reg + 0x50, 0x1005, 2);
	fake_put(f->reg + 0x10, 0x0001, 2);
	fake_put(f->reg + 0x14, 0x0003, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 0);
	/* A capability at the end of configuration space: its status would be past the end. */
	fake_put(f->reg + 0x34, 0xfc, 1);
	fake_put(f->reg + 0xfc, 0x0001, 2);
	assert_int_equal(pci_power_state(&pci, &f->at), 0);
	memset(f->reg, 0xff, sizeof(f->reg));
	assert_int_equal(pci_power_state(&pci, &f->at), 0);
}

TEST_F(setup, NULL, test_command_bits)
{
	struct fake_function *f = fake_add(0, 3, 0, 0x10d38086, 0x020000);
	const struct pci_address at = { 0, 0, 3, 0 }, nobody = { 0, 0, 4, 0 };

	fake_put(f->reg + PCI_COMMAND, 0xffb00107, 4);
	fake_open(&pci);
	assert_int_equal(pci_command(&pci, &at, PCI_COMMAND_NO_INTX, PCI_COMMAND_MASTER), 0x503);
	/* The status beside it, whose bits are cleared by writing 1, is not written. */
	assert_int_equal(fake_get(f->reg + PCI_COMMAND, 4), 0xffb00503);
	assert_int_equal(fake.config_writes, 1);
	assert_int_equal(pci_command(&pci, &nobody, PCI_COMMAND_MEMORY, 0), 0);
	assert_int_equal(fake.config_writes, 1);
}

/* The capabilities that are found: place and id. */
static const char *listed(struct fake_function *f)
{
	static char found[64 * 8];
	struct text t;

	fake_open(&pci);
	text_init(&t, found, sizeof(found));
	for (struct pci_capability c = { .seen = 0 }; pci_next_capability(&pci, &f->at, &c);)
		text_add(&t, " %02x=%02x", c.offset, c.id);
	assert_false(t.overflow);
	return found;
}

TEST_F(setup, NULL, test_capabilities)
{
	struct fake_function *f = fake_add(0, 3, 0, 0x10411af4, 0x020000);

	fake_put(f->reg + PCI_CAP_LIST, 0x98, 1);
	fake_put(f->reg + 0x98, 0x4009, 2);
	fake_put(f->reg + 0x40, 0xfc11, 2);
	fake_put(f->reg + 0xfc, 0x0001, 2);
	assert_string_equal(listed(f), ""); /* no capability list */
	fake_put(f->reg + PCI_COMMAND + 2, 0x10, 2);
	assert_string_equal(listed(f), " 98=09 40=11 fc=01");
	fake_put(f->reg + 0xfc, 0x9801, 2); /* a circle */
	assert_int_equal(strlen(listed(f)), 48 * strlen(" 98=09"));
	fake_put(f->reg + PCI_CAP_LIST, 0x3c, 1);
	assert_string_equal(listed(f), "");
}

/* The function loses its bars when it is powered up. */
static void forget_bars(struct fake_function *f, unsigned offset)
{
	if (offset == 0x54)
		memset(f->reg + PCI_BAR0, 0, 24);
}

static void stay_down(struct fake_function *f, unsigned offset)
{
	if (offset == 0x54)
		f->reg[0x54] |= 2;
}

TEST_F(setup, NULL, test_power_up)
{
	struct fake_function *f = fake_add(0, 3, 0, 0x10d38086, 0x020000);

	fake_put(f->reg + PCI_COMMAND + 2, 0x10, 2);
	fake_put(f->reg + PCI_CAP_LIST, 0x50, 1);
	fake_put(f->reg + 0x50, 1, 2);
	fake_put(f->reg + 0x54, 0x8103, 2);
	fake_put(f->reg + PCI_BAR0, 0xfebc0004, 4);
	fake_put(f->reg + PCI_BAR0 + 20, 0xc001, 4);
	fake_open(&pci);
	fake.on_config_write = forget_bars;
	assert_int_equal(pci_power_up(&pci, &f->at, FAKE_HZ), 0);
	assert_int_equal(fake_get(f->reg + 0x54, 2), 0x0100);
	assert_int_equal(fake_get(f->reg + PCI_BAR0, 4), 0xfebc0004);
	assert_int_equal(fake_get(f->reg + PCI_BAR0 + 20, 4), 0xc001);
	assert_int_equal(fake.config_writes, 3);
	/* The function is in D0 already. */
	assert_int_equal(pci_power_up(&pci, &f->at, FAKE_HZ), 0);
	assert_int_equal(fake.config_writes, 3);
	fake_put(f->reg + 0x54, 2, 2);
	fake.on_config_write = stay_down;
	assert_int_equal(pci_power_up(&pci, &f->at, FAKE_HZ), 2);
}

static struct fake_function *add_bridge(uint8_t bus, uint8_t device, uint8_t first, uint8_t last,
					uint16_t command)
{
	struct fake_function *f = fake_add(bus, device, 0, 0x000c1b36, 0x060400);

	f->reg[PCI_HEADER + 2] = 1;
	f->reg[0x18] = bus;
	f->reg[0x19] = first;
	f->reg[0x1a] = last;
	fake_put(f->reg + PCI_COMMAND, command, 2);
	return f;
}

TEST_F(setup, NULL, test_bridges_above)
{
	struct fake_function *root = add_bridge(0, 1, 1, 4, 0x0000);
	struct fake_function *on = add_bridge(1, 0, 2, 4, 0x0106);
	struct fake_function *port = add_bridge(2, 3, 4, 4, 0x0403);
	struct fake_function *beside = add_bridge(2, 4, 3, 3, 0x0000);
	struct fake_function *other = add_bridge(0, 2, 5, 9, 0x0000);
	struct fake_function *unset = add_bridge(0, 3, 0, 255, 0x0000);
	struct fake_function *no_bridge = fake_add(0, 4, 0, 0x12348086, 0x060400);
	struct pci_address at = { 0, 4, 0, 0 };

	no_bridge->reg[0x19] = 1;
	no_bridge->reg[0x1a] = 255;
	fake_open(&pci);
	pci_open_bridges(&pci, &at);
	assert_int_equal(fake_get(root->reg + PCI_COMMAND, 2), 0x0006);
	assert_int_equal(fake_get(on->reg + PCI_COMMAND, 2), 0x0106);
	assert_int_equal(fake_get(port->reg + PCI_COMMAND, 2), 0x0407);
	assert_int_equal(fake_get(beside->reg + PCI_COMMAND, 2), 0);
	assert_int_equal(fake_get(other->reg + PCI_COMMAND, 2), 0);
	assert_int_equal(fake_get(unset->reg + PCI_COMMAND, 2), 0);
	assert_int_equal(fake_get(no_bridge->reg + PCI_COMMAND, 2), 0);
	assert_int_equal(fake.config_writes, 2);
	at.segment = 1;
	pci_open_bridges(&pci, &at);
	assert_int_equal(fake.config_writes, 2);
}
