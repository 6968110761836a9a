/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine whose registers lie, for what is found out about it and taken over: PCI functions, USB
 * hand-off, chipset, IOMMUs, ACPI mode. The input lays it out (flags, functions, ports, memory,
 * the tables), and then is what reads give, as often as it asks for.
 *
 * Whatever it reads, a driver touches only what it has mapped, waits for a bounded time, writes
 * nothing where it only looks, and in a hand-over only to the registers that are handed over.
 */
#include "arch/arch.h"
#include "drivers/acpi_mode.h"
#include "drivers/chipset.h"
#include "drivers/iommu.h"
#include "drivers/unfamiliar.h"
#include "drivers/usb_legacy.h"

#include "tests/fuzz/mapped.h"
#include "tests/fuzz/input.h"
#include "tests/registers.h"

#define FUNCTIONS 8
#define CONFIG    256u
#define MEMORY    0x2000u             /* that all addresses share */
#define ECAM      (UINT64_C(1) << 51) /* where nothing else leads */
#define ECAM_END  (ECAM + (UINT64_C(1) << 21))

enum flags { NO_PORTS = 1, HAS_ECAM = 2, OTHER_SEGMENT = 4, BIOS_LETS_GO = 8, IS_AMD = 16 };

/* What may be written now. */
enum may { MAY_LOOK, MAY_HAND_OVER, MAY_SWITCH_IOMMU, MAY_SWITCH_ACPI };

static struct {
	uint8_t flags;
	struct function {
		uint8_t bus, devfn;
		uint8_t config[CONFIG];
	} function[FUNCTIONS];
	unsigned functions;
	struct function *at[2][256]; /* by bus and devfn */
	uint32_t address;            /* at CF8h */
	uint8_t port[0x10000 + 4], memory[MEMORY];
	unsigned refused; /* so many more are mapped, and then none */
	unsigned truths, lies;
	enum may may;
	const struct usb_controller *taken;
	uint16_t port_from; /* no port below is the chipset's; 0: its ports are not read */
	struct acpi_info acpi;
	struct pci pci;
} m;

static uint32_t lie_or(uint32_t truth, unsigned bytes)
{
	if (m.truths) {
		m.truths--;
		return truth;
	}
	if (!m.lies || !take_more())
		return truth;
	m.lies--;
	return take_number(bytes);
}

static struct function *function_at(uint8_t bus, uint8_t devfn)
{
	return bus < 2 ? m.at[bus][devfn] : NULL;
}

static uint32_t config_read(uint8_t bus, uint8_t devfn, unsigned offset, unsigned bytes)
{
	const struct function *f = function_at(bus, devfn);

	insist(offset % bytes == 0 && offset + bytes <= CONFIG);
	return f ? lie_or(load(f->config + offset, bytes), bytes) : UINT32_MAX;
}

/* A hand-over writes to USBLEGSUP and to the control register behind it, of one controller. */
static void config_write(uint8_t bus, uint8_t devfn, unsigned offset, uint32_t value,
			 unsigned bytes)
{
	struct function *f = function_at(bus, devfn);

	insist(m.may == MAY_HAND_OVER && m.taken->kind != USB_XHCI && m.taken->at.bus == bus);
	insist((m.taken->at.device << 3 | m.taken->at.function) == devfn);
	insist(offset >= m.taken->legacy && offset + bytes <= m.taken->legacy + 8 &&
	       offset + bytes <= CONFIG);
	if (f)
		store(f->config + offset, value, bytes);
}

static uint32_t port_in(uint16_t port, unsigned bytes)
{
	if (port == 0xcf8)
		return m.flags & NO_PORTS ? UINT32_MAX : m.address;
	if (port >= 0xcfc && port < 0xd00)
		return config_read((uint8_t)(m.address >> 16), (uint8_t)(m.address >> 8),
				   (m.address & 0xfc) + (port & 3), bytes);
	insist(m.port_from && port >= m.port_from);
	return lie_or(load(m.port + port, bytes), bytes);
}

static void port_out(uint16_t port, uint32_t value, unsigned bytes)
{
	if (port == 0xcf8) {
		m.address = value;
	} else if (port >= 0xcfc && port < 0xd00) {
		config_write((uint8_t)(m.address >> 16), (uint8_t)(m.address >> 8),
			     (m.address & 0xfc) + (port & 3), value, bytes);
	} else {
		insist(m.may == MAY_SWITCH_ACPI && port == m.acpi.smi_cmd && bytes == 1);
		store(m.port + (uint16_t)m.acpi.pm1a_cnt.address, m.flags & BIOS_LETS_GO, 1);
	}
}

/* arch/x86_64/device.c refuses what no processor has. */
bool arch_map_device(uint64_t address, uint64_t bytes)
{
	const uint64_t end = UINT64_C(1) << 52;

	if (address >= end || bytes > end - address || !m.refused || !mapped_add(address, bytes))
		return false;
	m.refused--;
	return true;
}

static uint8_t *cell(uint64_t address, unsigned bytes)
{
	mapped_check(address, bytes);
	return m.memory + address % MEMORY;
}

static uint32_t mmio_read(uint64_t address, unsigned bytes)
{
	uint32_t truth;

	if (address >= ECAM && address < ECAM_END) {
		mapped_check(address, bytes);
		return config_read((uint8_t)(address >> 20 & 1), (uint8_t)(address >> 12),
				   address & 0xfff, bytes);
	}
	truth = load(cell(address, bytes), bytes);
	/* A BIOS that has been asked lets go. */
	if (m.may == MAY_HAND_OVER && address == m.taken->legacy && m.flags & BIOS_LETS_GO &&
	    truth & 1u << 24)
		store(cell(address, bytes), truth & ~(1u << 16), 4);
	return lie_or(truth, bytes);
}

static void mmio_write(uint64_t address, uint32_t value, unsigned bytes)
{
	if (address >= ECAM && address < ECAM_END) {
		mapped_check(address, bytes);
		config_write((uint8_t)(address >> 20 & 1), (uint8_t)(address >> 12),
			     address & 0xfff, value, bytes);
		return;
	}
	if (m.may == MAY_HAND_OVER)
		insist(m.taken->kind == USB_XHCI && address >= m.taken->legacy &&
		       address + bytes <= m.taken->legacy + 8);
	else
		insist(m.may == MAY_SWITCH_IOMMU);
	store(cell(address, bytes), value, bytes);
}

REGISTERS(port_in, port_out, mmio_read, mmio_write)

/* ---- The machine ---- */

static void lay_function(void)
{
	static const uint32_t ids[] = { 0x29188086, 0xa1438086, 0x7a848086, 0x18dc8086, 0x8c508086,
					0x7a998086, 0x790b1022, 0x100e8086, 0x816810ec };
	static const uint32_t classes[] = { 0x060100, 0x0c0300, 0x0c0310, 0x0c0320,
					    0x0c0330, 0x020000, 0x060400, 0x0c0500 };
	struct function *f = &m.function[m.functions++];

	f->bus = take_byte() % 2;
	f->devfn = take_byte();
	m.at[f->bus][f->devfn] = f;
	store(f->config + PCI_ID, ids[take_byte() % (sizeof(ids) / sizeof(ids[0]))], 4);
	store(f->config + PCI_CLASS, classes[take_byte() % 8] << 8, 4);
	store(f->config + PCI_COMMAND, 0x100007, 4);
	store(f->config + PCI_HEADER, (uint32_t)take_byte() << 16, 4);
	store(f->config + PCI_BAR0, take_number(4), 4);
	for (unsigned patches = take_byte() % 16; patches; patches--) {
		unsigned offset = take_byte() & 0xfc;

		store(f->config + offset, take_number(4), 4);
	}
}

static struct acpi_gas take_gas(void)
{
	struct acpi_gas gas = { .space = take_byte() % 2 };

	/* As acpi_fadt.c lets them through. */
	gas.address = gas.space == ACPI_SPACE_IO ? take_number(2) : take_number64(8);
	if (gas.space == ACPI_SPACE_MEMORY)
		gas.address &= ECAM - 2;
	return gas;
}

static void lay_tables(void)
{
	m.acpi.has_fadt = true;
	m.acpi.pm1a_evt = take_gas();
	m.acpi.pm1a_cnt = take_gas();
	m.acpi.smi_cmd = take_number(2);
	/* As acpi_fadt.c lets it through. */
	if ((m.acpi.smi_cmd & ~7u) == 0xcf8)
		m.acpi.smi_cmd = 0;
	m.acpi.acpi_enable = take_byte();
	for (unsigned n = take_byte() % 4; n; n--)
		m.acpi.iommu[m.acpi.iommu_count++] = (struct acpi_iommu){
			(take_number(4) | UINT64_C(1)) << 12, m.flags & IS_AMD
		};
	if (m.flags & HAS_ECAM)
		m.acpi.ecam[m.acpi.ecam_count++] =
			(struct acpi_ecam){ ECAM, m.flags & OTHER_SEGMENT ? 1 : 0, 0, 1 };
}

static void lay(void)
{
	m.flags = take_byte();
	for (unsigned n = take_byte() % (FUNCTIONS + 1); n; n--)
		lay_function();
	memset(m.port, 0xff, sizeof(m.port));
	for (unsigned n = take_byte() % 16; n; n--) {
		uint16_t at = (uint16_t)take_number(2);

		store(m.port + at, take_number(4), 4);
	}
	for (unsigned n = take_byte() % 32; n; n--) {
		unsigned at = take_number(2) % (MEMORY / 4) * 4;

		store(m.memory + at, take_number(4), 4);
	}
	lay_tables();
	m.refused = take_byte() + 1;
	m.truths = take_number(2);
	m.lies = take_byte();
}

/* ---- What is looked at ---- */

static void complain(void *ctx, const char *text)
{
	(void)ctx;
	input_assert_showable(text, 256);
}

static void check_controller(const struct usb_controller *c)
{
	input_assert_showable(c->problem, sizeof(c->problem));
	insist(c->owner < USB_OWNERS && (c->owner == USB_OWNER_UNKNOWN) == (c->problem[0] != 0));
	insist(!c->smis || c->legacy);
	if (c->legacy && c->kind == USB_XHCI)
		mapped_check(c->legacy, 4);
	else
		insist(c->legacy + 8 <= CONFIG);
}

static void hand_over(struct usb_controller *c)
{
	struct usb_handoff handoff;

	m.may = MAY_HAND_OVER;
	m.taken = c;
	usb_hand_over(c, &m.pci, MAPPED_HZ, &handoff);
	m.may = MAY_LOOK;
	check_controller(c);
	insist(handoff.result <= USB_STUCK && !(handoff.smis_off & handoff.smis_still));
	insist(handoff.smis_still == c->smis || handoff.result == USB_LEFT_ALONE);
}

static void look_at_usb(void)
{
	static struct usb_controllers usb;

	usb_find(&usb, &m.pci);
	insist(usb.count <= USB_CONTROLLERS_MAX);
	for (unsigned i = 0; i < usb.count; i++) {
		check_controller(&usb.controller[i]);
		hand_over(&usb.controller[i]);
	}
}

static void check_state(const struct chipset_state *s)
{
	input_assert_showable(s->enabled, sizeof(s->enabled));
	input_assert_showable(s->status, sizeof(s->status));
	for (unsigned n = 0; n < RECORD_TIMERS && s->timer[n].name; n++) {
		insist(s->timer[n].period_ns != 0);
		input_assert_showable(s->timer[n].name, CHIPSET_TIMER_MAX);
	}
}

static void look_at_chipset(void)
{
	const struct arch_identity id = { .vendor = "GenuineIntel", .family = 6 };
	struct chipset_state state;
	struct chipset chipset;
	char buffer[400];
	struct text t;
	uint64_t left;

	chipset_find(&chipset, &m.pci, &m.acpi);
	/* Beside SMI_EN's block there is TCO's, which may lie below. */
	m.port_from = chipset.pm_base;
	if (chipset.tco_base && chipset.tco_base < m.port_from)
		m.port_from = chipset.tco_base;
	chipset_read(&chipset, &state);
	check_state(&state);
	for (unsigned i = 0; i < 2; i++)
		if (chipset_watchdog(&chipset, &left))
			insist(chipset.watchdog != CHIPSET_HALTED);
	m.port_from = 0;
	text_init(&t, buffer, sizeof(buffer));
	unfamiliar_list(&t, &id, &chipset, &m.pci);
	input_assert_showable(buffer, sizeof(buffer));
}

static void switch_over(void)
{
	struct acpi_mode mode;
	struct iommu_states looked = iommu_look(&m.acpi, MAPPED_HZ, false), off;
	char buffer[400];
	struct text t;

	insist(!looked.off && !looked.stuck && looked.on <= m.acpi.iommu_count);
	m.may = MAY_SWITCH_IOMMU;
	off = iommu_look(&m.acpi, MAPPED_HZ, true);
	insist(off.off + off.stuck == off.on);
	m.may = MAY_SWITCH_ACPI;
	m.port_from = (uint16_t)m.acpi.pm1a_cnt.address;
	acpi_mode_enable(&m.acpi, MAPPED_HZ, &mode);
	text_init(&t, buffer, sizeof(buffer));
	acpi_mode_print(&t, &m.acpi, &mode);
	input_assert_showable(buffer, sizeof(buffer));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	memset(&m, 0, sizeof(m));
	mapped.maps = 0;
	take_from(data, bytes);
	lay();
	pci_open(&m.pci, &m.acpi, complain, NULL);
	look_at_usb();
	look_at_chipset();
	switch_over();
	return 0;
}
