/* SPDX-License-Identifier: BSD-2-Clause */
/* ACPI mode: switched on by firmware that answers, that does not, and where there is none. */
#include "drivers/acpi_mode.h"
#include "tests/unit/common/test.h"
#include "tests/unit/fake_pci.h"

#include <stdio.h>

#define PM1A    0x604
#define PM1B    0x704
#define SMI_CMD 0xb2
#define ENABLE  0xf1
#define SCI_EN  1
#define MEMORY  UINT64_C(0xfed00000)

static struct acpi_info acpi;
static uint8_t memory[16];

static struct acpi_gas io(uint16_t port)
{
	return (struct acpi_gas){ .space = ACPI_SPACE_IO, .address = port };
}

static struct acpi_gas memory_at(uint64_t address)
{
	return (struct acpi_gas){ .space = ACPI_SPACE_MEMORY, .address = address };
}

static void setup(void)
{
	fake_reset();
	memset(&acpi, 0, sizeof(acpi));
	memset(memory, 0, sizeof(memory));
	acpi.has_fadt = true;
	acpi.smi_cmd = SMI_CMD;
	acpi.acpi_enable = ENABLE;
	acpi.acpi_disable = 0xf0;
	acpi.pm1a_cnt = io(PM1A);
	fake_put(fake.port + PM1A, 0x1c00, 2);
	fake_put(fake.port + PM1B, 0, 2);
}

static char sentence[200];

static bool enable(void)
{
	struct text t;
	bool is_on;

	text_init(&t, sentence, sizeof(sentence));
	is_on = acpi_mode_enable(&acpi, FAKE_HZ, &t);
	assert_false(t.overflow);
	return is_on;
}

/* Firmware that sets SCI_EN after so many looks at it. */
static unsigned looks;
static uint16_t answer_at;
static bool asked;

static void hear(uint16_t port, uint32_t value)
{
	asked = asked || (port == SMI_CMD && value == ENABLE);
}

static void answer(void)
{
	if (asked && looks && --looks == 0)
		fake.port[answer_at] |= SCI_EN;
}

#define WRITES_MAX 40

struct written {
	uint16_t port;
	uint32_t value;
};
static struct written written[WRITES_MAX];
static unsigned writes;

static void note(uint16_t port, uint32_t value)
{
	assert_true(writes < WRITES_MAX);
	written[writes++] = (struct written){ port, value };
}

static void assert_written(const struct written *wanted, size_t count)
{
	assert_int_equal(writes, count);
	for (unsigned n = 0; n < writes; n++) {
		assert_int_equal(written[n].port, wanted[n].port);
		assert_int_equal(written[n].value, wanted[n].value);
	}
}

#define ASSERT_WRITTEN(...)                                     \
	assert_written((const struct written[]){ __VA_ARGS__ }, \
		       sizeof((const struct written[]){ __VA_ARGS__ }) / sizeof(struct written))

/* ACPI 6.5, 4.8.3.2.1: SLP_TYP is 12:10, SLP_EN 13, and the rest is kept. */
TEST_F(setup, NULL, test_off)
{
	writes = 0;
	fake.on_port_write = note;
	acpi_mode_power_off(&acpi, FAKE_HZ);
	assert_int_equal(writes, 0);
	acpi.has_s5 = true;
	acpi.s5_type[0] = 5;
	acpi.s5_type[1] = 2;
	acpi.pm1b_cnt = io(PM1B);
	fake_put(fake.port + PM1A, 0x1c03, 2);
	acpi_mode_power_off(&acpi, FAKE_HZ);
	ASSERT_WRITTEN({ PM1A, 5 << 10 | 3 }, { PM1B, 2 << 10 }, { PM1A, 5 << 10 | 3 | 1 << 13 },
		       { PM1B, 2 << 10 | 1 << 13 });
}

#define GPE0 0x828
#define GPE1 0x868
#define EVTA 0x600
#define EVTB 0x700

/*
 * Events are disabled, then cleared, as in ACPICA (hwsleep.c), before SLP_TYP is written. ACPI 6.5,
 * 4.8.4.1: status bytes, then as many of enables; 4.8.3.1.1: PM1 status is 16 bits, cleared by 1s.
 */
TEST_F(setup, NULL, test_nothing_wakes_it_again)
{
	writes = 0;
	fake.on_port_write = note;
	acpi.has_s5 = true;
	acpi.s5_type[0] = 5;
	acpi.gpe[0] = io(GPE0);
	acpi.gpe[1] = io(GPE1);
	acpi.gpe_bytes[0] = 4;
	acpi.gpe_bytes[1] = 2;
	acpi.pm1a_evt = io(EVTA);
	acpi.pm1b_evt = io(EVTB);
	acpi_mode_power_off(&acpi, FAKE_HZ);
	ASSERT_WRITTEN({ GPE0 + 2, 0 }, { GPE0 + 3, 0 }, { GPE0, 0xff }, { GPE0 + 1, 0xff },
		       { GPE1 + 1, 0 }, { GPE1, 0xff }, { EVTA, 0xc731 }, { EVTB, 0xc731 },
		       { PM1A, 5 << 10 }, { PM1A, 5 << 10 | 1 << 13 });
}

/*
 * Registers in memory, and registers that cannot be reached: the machine is switched off all the
 * same.
 */
TEST_F(setup, NULL, test_events_in_memory)
{
	fake_memory(MEMORY, memory, sizeof(memory));
	memset(memory, 0x5a, sizeof(memory));
	writes = 0;
	fake.on_port_write = note;
	acpi.has_s5 = true;
	acpi.gpe[0] = memory_at(MEMORY);
	acpi.gpe[1] = memory_at(2 * MEMORY);
	acpi.gpe_bytes[0] = acpi.gpe_bytes[1] = 2;
	acpi.pm1a_evt = memory_at(MEMORY + 4);
	acpi_mode_power_off(&acpi, FAKE_HZ);
	assert_memory_equal(memory, "\xff\0\x5a\x5a\x31\xc7\x5a", 7);
	assert_int_equal(writes, 2);
}

TEST_F(setup, NULL, test_reset)
{
	fake_memory(MEMORY, memory, sizeof(memory));
	writes = 0;
	fake.on_port_write = note;
	acpi.reset_value = 6;
	acpi.reset_reg = memory_at(MEMORY + 5);
	acpi_mode_reset(&acpi, FAKE_HZ);
	assert_int_equal(memory[5], 0);
	acpi.has_reset_reg = true;
	acpi_mode_reset(&acpi, FAKE_HZ);
	assert_memory_equal(memory, "\0\0\0\0\0\6\0\0", 8);
	acpi.reset_reg.address = 2 * MEMORY; /* cannot be mapped */
	acpi_mode_reset(&acpi, FAKE_HZ);
	assert_int_equal(writes, 0);
	acpi.reset_reg = io(0xcf9);
	acpi_mode_reset(&acpi, FAKE_HZ);
	ASSERT_WRITTEN({ 0xcf9, 6 });
}

TEST_F(setup, NULL, test_firmware_that_answers)
{
	static const uint16_t halves[] = { PM1A, PM1B };

	for (size_t i = 0; i < 2; i++) {
		setup();
		acpi.pm1b_cnt = io(PM1B);
		asked = false;
		looks = 50;
		answer_at = halves[i];
		fake.on_read = answer;
		fake.on_port_write = hear;
		assert_true(enable());
		assert_int_equal(fake.port_writes, 1);
		assert_true(acpi_mode_sci_en(&acpi).value);
		assert_non_null(
			strstr(sentence, "ACPI_ENABLE 0xf1 written to port 0xb2: SCI_EN 0 to 1"));
	}
}

TEST_F(setup, NULL, test_firmware_that_does_not)
{
	double waited_s = 0;

	assert_false(enable());
	assert_int_equal(fake.port_writes, 1);
	sscanf(sentence, "%*[^:]: SCI_EN 0 still after %lf s", &waited_s);
	assert_true(waited_s >= ACPI_MODE_MS / 1000);
}

/* Nothing is written, for the reason given. */
static void assert_not_written(const char *reason, bool is_on)
{
	assert_int_equal(enable(), is_on);
	assert_non_null(strstr(sentence, reason));
	assert_int_equal(fake.port_writes, 0);
}

TEST_F(setup, NULL, test_reasons_not_to_write)
{
	fake.port[PM1A] |= SCI_EN;
	assert_not_written("was on already", true);
	setup();
	acpi.has_fadt = false;
	assert_not_written("no usable FADT", false);
	setup();
	acpi.hw_reduced = true;
	acpi.pm1a_cnt.address = 0;
	assert_not_written("hardware-reduced", true);
	setup();
	acpi.pm1a_cnt.address = 0;
	assert_not_written("names no PM1 control register", false);
	setup();
	acpi.smi_cmd = 0;
	assert_not_written("SMI_CMD is 0", false);
	setup();
	acpi.acpi_enable = acpi.acpi_disable = 0;
	assert_not_written("ACPI_ENABLE and ACPI_DISABLE are 0", false);
	setup();
	fake_put(fake.port + PM1A, 0xffff, 2); /* nobody is there */
	assert_not_written("cannot be read", false);
	setup();
	acpi.pm1a_cnt = memory_at(MEMORY);
	assert_not_written("cannot be read", false); /* nothing can be mapped there */
}

/* An ACPI_ENABLE of 0 is a value like any other while ACPI_DISABLE is another. */
TEST_F(setup, NULL, test_a_value_of_0)
{
	acpi.acpi_enable = 0;
	fake.port[SMI_CMD] = 0x55;
	assert_false(enable());
	assert_int_equal(fake.port[SMI_CMD], 0);
}

TEST_F(setup, NULL, test_sci_en)
{
	assert_true(acpi_mode_sci_en(&acpi).known);
	assert_int_equal(acpi_mode_sci_en(&acpi).value, 0);
	fake_put(fake.port + PM1A, 0x1c01, 2);
	assert_int_equal(acpi_mode_sci_en(&acpi).value, 1);
	acpi.pm1a_cnt.address = 0;
	assert_false(acpi_mode_sci_en(&acpi).known);
}

/* The register is in memory, also in the upper half of a dword. */
TEST_F(setup, NULL, test_sci_en_in_memory)
{
	fake_memory(MEMORY, memory, sizeof(memory));
	for (uint64_t at = 0; at < 4; at += 2) {
		acpi.pm1a_cnt = memory_at(MEMORY + at);
		memset(memory, 0xfe, sizeof(memory));
		assert_true(acpi_mode_sci_en(&acpi).known);
		assert_int_equal(acpi_mode_sci_en(&acpi).value, 0);
		memory[at] |= SCI_EN;
		assert_int_equal(acpi_mode_sci_en(&acpi).value, 1);
	}
	assert_int_equal(fake.memory_writes, 0);
}
