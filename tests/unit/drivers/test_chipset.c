/* SPDX-License-Identifier: BSD-2-Clause */
/* SMI sources by name and timers by period, from registers as datasheets describe them. */
#include "drivers/chipset.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#define PM       0x1800
#define SMI_EN   (PM + 0x30)
#define TCO      0x400
#define PWRM     UINT64_C(0xfe001020)
#define FCH      UINT64_C(0xfed80200)
#define MS       UINT64_C(1000000)
#define S        UINT64_C(1000000000)
#define ICH9     0x29188086
#define SPT      0xa1458086 /* 100 series */
#define CNP      0xa3048086 /* 300 series */
#define FCH_KERN 0x790b1022

static struct pci pci;
static struct acpi_info acpi;
static struct chipset chipset;
static struct chipset_texts texts;
static struct record_stage stage;
static uint8_t pwrm[4], fch[0x100];
static struct fake_function *lpc;

static void setup(void)
{
	fake_reset();
	memset(&acpi, 0, sizeof(acpi));
	memset(fch, 0, sizeof(fch));
	memset(pwrm, 0, sizeof(pwrm));
	acpi.has_fadt = true;
	acpi.pm1a_evt = (struct acpi_gas){ .space = ACPI_SPACE_IO, .address = PM };
}

static void lay_lpc(uint32_t id)
{
	lpc = fake_add(0, 31, 0, id, 0x060100);
	fake_put(fake.port + SMI_EN, 0, 4);
}

static void find(void)
{
	fake_open(&pci);
	chipset_find(&chipset, &pci, &acpi);
}

static void look(void)
{
	stage = (struct record_stage){ .stage = NULL };
	chipset_read(&chipset, &texts, &stage);
	assert_int_equal(fake.config_writes + fake.memory_writes + fake.port_writes, 0);
}

static void find_and_look(void)
{
	find();
	look();
}

static void assert_timer(unsigned n, const char *name, uint64_t period_ns)
{
	assert_true(n < RECORD_TIMERS);
	assert_non_null(stage.timers[n].name);
	assert_string_equal(stage.timers[n].name, name);
	assert_true(stage.timers[n].period_ns == period_ns);
}

TEST_F(setup, NULL, test_ich9_names)
{
	lay_lpc(ICH9);
	fake_put(fake.port + SMI_EN, 0x21, 4);
	find();
	assert_string_equal(chipset.name, "Intel ICH9");
	look();
	assert_ptr_equal(stage.chipset, chipset.name);
	assert_int_equal(stage.smi_en.value, 0x21);
	assert_string_equal(texts.enabled, "GBL_SMI APMC");
	assert_null(stage.timers[0].name);
}

/* Every bit at once fits, and one that has no name is shown by its number. */
TEST_F(setup, NULL, test_all_names)
{
	lay_lpc(CNP);
	fake_put(fake.port + SMI_EN, 0xfffffffe, 4);
	find_and_look();
	assert_non_null(strstr(texts.enabled, "EOS BIOS LEGACY_USB SLP_SMI APMC SWSMI_TMR "
					      "BIOS_RLS bit8 bit9 bit10 MCSMI bit12 TCO "
					      "PERIODIC bit15 bit16 LEGACY_USB2 INTEL_USB2 "));
	assert_non_null(strstr(texts.enabled, "GPIO_UNLOCK_SMI ESPI_SMI bit29 ME_SMI XHCI_SMI"));
	assert_null(strstr(texts.enabled, "..."));
	/* Without GBL_SMI_EN no timer raises an SMI. */
	assert_null(stage.timers[0].name);
}

static const struct {
	uint8_t code;
	const char *name;
	uint64_t ns;
} swsmi[] = {
	{ 0, "SWSMI timer 1.5 ms", 1500000 },
	{ 1, "SWSMI timer 16 ms", 16 * MS },
	{ 2, "SWSMI timer 32 ms", 32 * MS },
	{ 3, "SWSMI timer 64 ms", 64 * MS },
}, periodic[] = {
	{ 0, "periodic SMI timer 64 s", 64 * S },
	{ 1, "periodic SMI timer 32 s", 32 * S },
	{ 2, "periodic SMI timer 16 s", 16 * S },
	{ 3, "periodic SMI timer 8 s", 8 * S },
};

/* Set the rates in each generation's registers. */
static void put_rates(uint32_t id, unsigned swsmi_code, unsigned periodic_code)
{
	struct fake_function *f = id == SPT ? fake_add(0, 31, 2, 0xa1218086, 0x058000) : lpc;

	lpc->reg[PCI_HEADER + 2] = 0x80;
	if (id == CNP) {
		fake_put(pwrm, swsmi_code << 6 | periodic_code << 1, 4);
		fake_memory(PWRM, pwrm, sizeof(pwrm));
		return;
	}
	/* Other bits of the registers have no effect. */
	fake_put(f->reg + 0xa0, 0xfffffffc | periodic_code, 4);
	fake_put(f->reg + 0xa4, 0xffffff3f | swsmi_code << 6, 4);
	if (f->reg[0xa0] == 0xff)
		f->reg[0xa1] = 0;
	if (f->reg[0xa4] == 0xff)
		f->reg[0xa5] = 0;
}

TEST_F(setup, NULL, test_rates)
{
	static const uint32_t ids[] = { ICH9, SPT, CNP };

	for (size_t i = 0; i < 3; i++) {
		for (unsigned n = 0; n < 4; n++) {
			setup();
			lay_lpc(ids[i]);
			put_rates(ids[i], swsmi[n].code, periodic[3 - n].code);
			fake_put(fake.port + SMI_EN, 1 | 1 << 6 | 1 << 14, 4);
			find_and_look();
			assert_timer(0, swsmi[n].name, swsmi[n].ns);
			assert_timer(1, periodic[3 - n].name, periodic[3 - n].ns);
			assert_null(stage.timers[2].name);
			/* Each timer is reported only while its own enable is set. */
			fake_put(fake.port + SMI_EN, 1 | 1 << 14, 4);
			look();
			assert_timer(0, periodic[3 - n].name, periodic[3 - n].ns);
			assert_null(stage.timers[1].name);
		}
	}
}

/* D31:F2 hides, or PWRMBASE is elsewhere: the source is named, its period is not. */
TEST_F(setup, NULL, test_rates_that_cannot_be_read)
{
	static const uint32_t ids[] = { SPT, CNP };

	for (size_t i = 0; i < 2; i++) {
		setup();
		lay_lpc(ids[i]);
		fake_put(fake.port + SMI_EN, 1 | 1 << 6, 4);
		if (ids[i] == CNP && i) {
			memset(pwrm, 0xff, sizeof(pwrm));
			fake_memory(PWRM, pwrm, sizeof(pwrm));
		}
		find_and_look();
		assert_string_equal(texts.enabled, "GBL_SMI SWSMI_TMR");
		assert_null(stage.timers[0].name);
	}
}

static void put_tco(uint16_t base, uint16_t control, uint16_t timer)
{
	fake_put(fake.port + base + 0x08, control, 2);
	fake_put(fake.port + base + 0x12, timer, 2);
}

TEST_F(setup, NULL, test_tco)
{
	static const struct {
		uint32_t smi_en;
		uint16_t control, timer;
		const char *name;
		uint64_t ns;
	} rows[] = {
		{ 0x2001, 0, 2, "TCO timer 1.2 s", 1200 * MS },
		{ 0x2001, 0, 0xfc00 | 20, "TCO timer 12 s", 12 * S }, /* ten bits */
		{ 0x2001, 0x1000, 0x3ff, "TCO timer 613.8 s", 613800 * MS },
		{ 0x2001, 0x0800, 2, NULL, 0 }, /* halted */
		{ 0x2001, 0, 1, NULL, 0 },      /* too few ticks */
		{ 0x0001, 0, 2, NULL, 0 },
		{ 0x2000, 0, 2, NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		lay_lpc(ICH9);
		fake_put(fake.port + SMI_EN, rows[i].smi_en, 4);
		put_tco(PM + 0x60, rows[i].control, rows[i].timer);
		find_and_look();
		if (rows[i].name)
			assert_timer(0, rows[i].name, rows[i].ns);
		else
			assert_null(stage.timers[0].name);
	}
}

static bool look_at_watchdog(uint16_t control, uint16_t count, uint64_t *left_ns)
{
	put_tco(PM + 0x60, control, 4);
	fake_put(fake.port + PM + 0x60, count, 2);
	return chipset_watchdog(&chipset, left_ns);
}

/* Only a watchdog that counts down runs; it is reported once. */
TEST_F(setup, NULL, test_watchdog)
{
	uint64_t left_ns;

	lay_lpc(ICH9);
	find();
	assert_false(look_at_watchdog(0x0800, 7, &left_ns)); /* halted */
	assert_false(look_at_watchdog(0, 5, &left_ns));
	assert_false(look_at_watchdog(0, 5, &left_ns));
	assert_false(look_at_watchdog(0, 9, &left_ns)); /* restarted */
	assert_true(look_at_watchdog(0, 0xfc00 | 8, &left_ns));
	assert_int_equal(left_ns, 4800 * MS);
	assert_false(look_at_watchdog(0, 7, &left_ns));
}

/* A watchdog that is halted later, and one of which nothing is known, do not run. */
TEST_F(setup, NULL, test_no_watchdog)
{
	uint64_t left_ns;

	lay_lpc(ICH9);
	find();
	assert_false(look_at_watchdog(0, 5, &left_ns));
	assert_false(look_at_watchdog(0x0800, 4, &left_ns));
	chipset = (struct chipset){ .watchdog = CHIPSET_HALTED };
	assert_false(look_at_watchdog(0, 5, &left_ns));
	assert_false(look_at_watchdog(0, 4, &left_ns));
}

/* From the 100 series on D31:F4 has its address, if it is decoded. */
TEST_F(setup, NULL, test_tco_of_later_ones)
{
	for (unsigned enabled = 0; enabled < 2; enabled++) {
		struct fake_function *smbus;

		setup();
		lay_lpc(SPT);
		smbus = fake_add(0, 31, 4, 0xa1238086, 0x0c0500);
		lpc->reg[PCI_HEADER + 2] = 0x80;
		fake_put(smbus->reg + 0x50, TCO | 1, 4);
		fake_put(smbus->reg + 0x54, enabled << 8, 4);
		put_tco(TCO, 0, 4);
		put_tco(PM + 0x60, 0, 6); /* nothing of the kind is there any more */
		fake_put(fake.port + SMI_EN, 0x2001, 4);
		find_and_look();
		if (enabled)
			assert_timer(0, "TCO timer 2.4 s", 2400 * MS);
		else
			assert_null(stage.timers[0].name);
	}
}

static void assert_nothing_known(uint32_t lpc_id)
{
	find();
	assert_null(chipset.name);
	assert_int_equal(chipset.lpc_id, lpc_id);
	look();
	assert_null(stage.chipset);
	assert_false(stage.smi_en.known);
	assert_string_equal(texts.enabled, "");
}

TEST_F(setup, NULL, test_what_is_not_known_is_not_guessed)
{
	assert_nothing_known(0);
	setup();
	lay_lpc(0x229c8086); /* Braswell: not known */
	assert_nothing_known(0x229c8086);
	setup();
	lay_lpc(0x29181234); /* another vendor's */
	assert_nothing_known(0);
	setup();
	lay_lpc(ICH9);
	fake_put(lpc->reg + PCI_CLASS + 1, 0x020000, 3); /* no bridge */
	assert_nothing_known(0);
	setup();
	lay_lpc(ICH9);
	acpi.pm1a_evt.address = 0;
	assert_nothing_known(ICH9);
	setup();
	lay_lpc(ICH9);
	acpi.pm1a_evt.space = ACPI_SPACE_MEMORY;
	assert_nothing_known(ICH9);
	setup();
	lay_lpc(ICH9);
	acpi.pm1a_evt.address = 0xffd0; /* its last registers would be ports 0 and up */
	assert_nothing_known(ICH9);
	setup();
	fake_add(0, 0x14, 0, 0x790b8086, 0x0c0500);
	assert_nothing_known(0);
}

/* Ids from the lists of Intel and coreboot, and ids beside them that are no bridge. */
TEST_F(setup, NULL, test_ids)
{
	static const struct {
		uint16_t id;
		const char *name;
	} rows[] = {
		{ 0x3482, "Intel Ice Lake" },
		{ 0x3882, "Intel Ice Lake" },
		{ 0x4b00, "Intel Elkhart Lake" },
		{ 0x4d87, "Intel Jasper Lake" },
		{ 0x7e01, "Intel Meteor Lake" },
		{ 0x770c, "Intel Arrow Lake" },
		{ 0x7f04, "Intel 800 series" },
		{ 0x5481, "Intel Alder Lake-N" },
		{ 0xa807, "Intel Lunar Lake" },
		{ 0xe302, "Intel Panther Lake" },
		{ 0xe402, "Intel Panther Lake" },
		{ 0x0f1c, "Intel Bay Trail" },
		{ 0x5ae8, "Intel Apollo Lake" },
		{ 0x31e8, "Intel Gemini Lake" },
		{ 0x54a3, NULL }, /* SMBus, SPI */
		{ 0xa823, NULL },
		{ 0xe423, NULL },
		{ 0x5ad4, NULL },
		{ 0x19dc, "Intel Denverton" },
		{ 0x18dc, "Intel Ice Lake-D" },
		{ 0x19dd, NULL },
		{ 0x4b7f, NULL },
		{ 0x34a3, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		lay_lpc((uint32_t)rows[i].id << 16 | 0x8086);
		fake_put(fake.port + SMI_EN, 1 | 1 << 6, 4);
		fake_put(fake.port + SMI_EN + 0x10, 1 | 1 << 6, 4);
		find();
		assert_true(!chipset.name == !rows[i].name);
		if (rows[i].name)
			assert_string_equal(chipset.name, rows[i].name);
		look();
		assert_int_equal(stage.chipset != NULL, rows[i].name != NULL);
		assert_null(stage.timers[0].name);
	}
}

/* coreboot, soc/intel/apollolake/include/soc/pm.h: SMI_EN at 40h. */
TEST_F(setup, NULL, test_apollo_lake)
{
	lay_lpc(0x5ae88086);
	fake_put(fake.port + SMI_EN, 0xffff, 4); /* a general purpose event's */
	fake_put(fake.port + SMI_EN + 0x10, 1 | 1 << 5, 4);
	find_and_look();
	assert_string_equal(texts.enabled, "GBL_SMI APMC");
	assert_null(stage.timers[0].name);
}

TEST_F(setup, NULL, test_registers_that_do_not_answer)
{
	lay_lpc(ICH9);
	fake_put(fake.port + SMI_EN, 0xffffffff, 4);
	find_and_look();
	assert_null(stage.chipset);
	setup();
	fake_add(0, 0x14, 0, FCH_KERN, 0x0c0500);
	find();
	assert_string_equal(chipset.name, "AMD FCH (Kern and later)");
	look(); /* cannot be mapped */
	assert_null(stage.chipset);
	memset(fch, 0xff, sizeof(fch));
	fake_memory(FCH, fch, sizeof(fch));
	look();
	assert_null(stage.chipset);
}

static void lay_fch(void)
{
	fake_add(0, 0x14, 0, FCH_KERN, 0x0c0500);
	fake_memory(FCH, fch, sizeof(fch));
}

/* Make source n do: 0 nothing, 1 SMI, 2 NMI, 3 IRQ13. */
static void control(unsigned n, unsigned what)
{
	unsigned at = 0xa0 + n / 4;

	fch[at] = (uint8_t)((fch[at] & ~(3u << n % 4 * 2)) | what << n % 4 * 2);
}

TEST_F(setup, NULL, test_fch_names)
{
	lay_fch();
	control(3, 1);
	control(23, 1);
	control(51, 2); /* an NMI */
	control(52, 3); /* an interrupt */
	control(75, 1);
	control(90, 1);
	control(159, 1); /* the last, which has no name */
	find_and_look();
	assert_ptr_equal(stage.chipset, chipset.name);
	assert_false(stage.smi_en.known);
	assert_string_equal(texts.enabled, "GEVENT3 GEVENT23 SMI_CMD_PORT EMUL60_64 source159");
	/* All of them stopped. */
	fch[0x9b] = 0x80;
	look();
	assert_string_equal(texts.enabled, "");
}

TEST_F(setup, NULL, test_fch_names_that_do_not_fit)
{
	lay_fch();
	memset(fch + 0xa0, 0x55, 0x28);
	find_and_look();
	assert_true(strlen(texts.enabled) < CHIPSET_NAMES_MAX);
	assert_string_equal(texts.enabled + strlen(texts.enabled) - 4, " ...");
	assert_memory_equal(texts.enabled, "GEVENT0 GEVENT1 ", 16);
}

TEST_F(setup, NULL, test_fch_timers)
{
	static const struct {
		uint32_t trig0;
		uint16_t timer;
		unsigned source, what;
		const char *name;
		uint64_t ns;
	} rows[] = {
		{ 1u << 29, 0x8000 | 200, 143, 1, "FCH long timer 200 ms", 200 * MS },
		{ 0, 0x8000 | 64, 142, 1, "FCH short timer 64 us", 64000 },
		{ 1u << 29, 0x8000 | 200, 142, 1, NULL, 0 }, /* the other timer is shown */
		{ 1u << 29, 200, 143, 1, NULL, 0 },          /* off */
		{ 1u << 29, 0x8000, 143, 1, NULL, 0 },       /* no count */
		{ 1u << 29, 0x8000 | 200, 143, 2, NULL, 0 }, /* an NMI */
		{ 5u << 29, 0x8000 | 200, 143, 1, NULL, 0 }, /* all stopped */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		setup();
		lay_fch();
		control(rows[i].source, rows[i].what);
		fake_put(fch + 0x96, rows[i].timer, 2);
		fake_put(fch + 0x98, rows[i].trig0, 4);
		find_and_look();
		if (rows[i].name)
			assert_timer(0, rows[i].name, rows[i].ns);
		else
			assert_null(stage.timers[0].name);
	}
}
