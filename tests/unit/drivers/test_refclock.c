/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference clocks that are derived from this machine's TSC, so that the rate to
 * be found is known: 2^shift ticks per step.
 */
#include "arch/arch.h"
#include "drivers/refclock.h"

#include <string.h>

#include "tests/registers.h"
#include "tests/unit/common/test.h"

#define SHIFT     10
#define MS        5
#define TOLERANCE 100 /* one part of so many: a step at each end is far less */
#define PM_PORT   0x608
#define PM_HZ     UINT64_C(3579545)
#define PM_24BIT  UINT32_C(0xffffff)

/* The PM timer: as if it had been at `pm_first` when the test began. */
static struct {
	uint64_t begin;
	uint32_t first, upper;
	bool stands;
	unsigned reads;
} pm;

static uint32_t read_pm(void)
{
	uint64_t steps = pm.stands ? 0 : (clock_now() - pm.begin) >> SHIFT;

	pm.reads++;
	return ((pm.first + (uint32_t)steps) & PM_24BIT) | pm.upper;
}

/* An HPET (IA-PC HPET 1.0a, 2.3), which counts while it is on, by the TSC. */
#define HPET        UINT64_C(0xfed00000)
#define HPET_PERIOD 0x04 /* upper half of the capabilities */
#define HPET_CONFIG 0x10
#define HPET_COUNT  0xf0

static struct {
	uint32_t period_fs, config, frozen;
	bool stands;
} hpet;

static void lay_hpet(uint32_t period_fs, uint32_t config)
{
	memset(&hpet, 0, sizeof(hpet));
	hpet.period_fs = period_fs;
	hpet.config = config;
	hpet.stands = !period_fs;
}

static bool open_hpet(struct refclock *clock)
{
	const struct acpi_info tables = { .hpet_address = HPET };

	return refclock_open_hpet(clock, &tables);
}

static uint32_t read_memory(uint64_t address, unsigned bytes)
{
	assert_int_equal(bytes, 4);
	switch (address - HPET) {
	case HPET_PERIOD:
		return hpet.period_fs;
	case HPET_CONFIG:
		return hpet.config;
	default:
		assert_int_equal(address, HPET + HPET_COUNT);
		return hpet.stands || !(hpet.config & 1) ? hpet.frozen
							 : (uint32_t)(clock_now() >> SHIFT);
	}
}

static void write_memory(uint64_t address, uint32_t value, unsigned bytes)
{
	assert_int_equal(bytes, 4);
	assert_int_equal(address, HPET + HPET_CONFIG);
	hpet.config = value;
}

/* Only mapped memory may be read. */
static bool maps = true;

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	return maps && address && bytes;
}

static void start_pm(uint32_t first, uint32_t upper)
{
	memset(&pm, 0, sizeof(pm));
	pm.begin = clock_now();
	pm.first = first;
	pm.upper = upper;
}

static const struct acpi_info pm_tables = {
	.pm_timer = { .space = ACPI_SPACE_IO, .address = PM_PORT },
};

static void assert_rate(uint64_t hz, uint64_t expected)
{
	assert_in_range(hz, expected - expected / TOLERANCE, expected + expected / TOLERANCE);
}

TEST(test_pm_timer)
{
	struct refclock clock;

	start_pm(0, 0);
	assert_true(refclock_open_pm_timer(&clock, &pm_tables));
	assert_string_equal(clock.name, "pmtimer");
	assert_int_equal(clock.hz, PM_HZ);
	refclock_measure(&clock, 1, MS);
	assert_rate(clock.tsc_hz, PM_HZ << SHIFT);
}

/* 24 bits: wraps, and the bits above mean nothing. */
TEST(test_pm_timer_wraps)
{
	struct refclock clock;

	start_pm(PM_24BIT - PM_HZ * MS / 1000 / 2, UINT32_C(0xa5000000));
	assert_true(refclock_open_pm_timer(&clock, &pm_tables));
	assert_int_equal(clock.bits, 24);
	refclock_measure(&clock, 1, MS);
	/* The counter did wrap. */
	assert_true((read_pm() & PM_24BIT) < pm.first);
	assert_rate(clock.tsc_hz, PM_HZ << SHIFT);
}

/* The timer is in memory, as wide as the FADT has it. */
TEST(test_pm_timer_in_memory)
{
	struct acpi_info tables = {
		.pm_timer = { .space = ACPI_SPACE_MEMORY, .address = HPET + HPET_COUNT },
	};
	struct refclock clock;

	lay_hpet(0, 0);
	hpet.frozen = 0xff123456;
	assert_false(refclock_open_pm_timer(&clock, &tables)); /* the timer stands still */
	assert_int_equal(clock.read(&clock), 0x123456);
	tables.pm_timer_32bit = true;
	assert_false(refclock_open_pm_timer(&clock, &tables));
	assert_int_equal(clock.read(&clock), 0xff123456);
}

/* The timer is past everything that the firmware has mapped: its first read would end the run. */
TEST(test_registers_that_cannot_be_mapped)
{
	const struct acpi_info tables = {
		.pm_timer = { .space = ACPI_SPACE_MEMORY, .address = UINT64_C(0x7fffffff0000) },
		.hpet_address = UINT64_C(0x7fffffff0000),
	};
	struct refclock clock;
	bool pm_timer, has_hpet;

	maps = false;
	pm_timer = refclock_open_pm_timer(&clock, &tables);
	has_hpet = refclock_open_hpet(&clock, &tables);
	maps = true;
	assert_false(pm_timer);
	assert_false(has_hpet);
}

TEST(test_no_pm_timer)
{
	struct acpi_info tables = pm_tables;
	struct refclock clock;

	start_pm(0, 0);
	tables.pm_timer.address = 0;
	assert_false(refclock_open_pm_timer(&clock, &tables));
	tables = pm_tables;
	tables.pm_timer.space = ACPI_SPACE_IO + 1; /* nothing we can read */
	assert_false(refclock_open_pm_timer(&clock, &tables));
	assert_int_equal(pm.reads, 0);
	pm.stands = true;
	assert_false(refclock_open_pm_timer(&clock, &pm_tables));
}

/* The HPET counts only once it is switched on, and is left as it was found. */
TEST(test_hpet)
{
	struct refclock clock;

	for (uint32_t on = 0; on < 2; on++) {
		/* Other bits of the register, such as legacy routing, are not ours. */
		lay_hpet(10000000, 2 | on);
		assert_true(open_hpet(&clock));
		assert_int_equal(hpet.config, 3);
		assert_string_equal(clock.name, "hpet");
		assert_int_equal(clock.hz, 100000000);
		for (unsigned i = 0; i < 2; i++) {
			refclock_close(&clock);
			assert_int_equal(hpet.config, 2 | on);
		}
	}
}

TEST(test_hpet_that_stands_still)
{
	struct refclock clock;

	lay_hpet(10000000, 0);
	hpet.stands = true;
	assert_false(open_hpet(&clock));
	assert_int_equal(hpet.config, 0);
}

/* 10 MHz is the slowest the specification allows; none counts faster than 1 GHz. */
TEST(test_hpet_that_lies)
{
	static const uint32_t periods[] = { 1, 999, 999999, 100000001, 0x7fffffff, 0xffffffff };
	struct acpi_info none = { 0 };
	struct refclock clock;

	lay_hpet(100000000, 1);
	assert_true(open_hpet(&clock));
	/* The HPET does count, so that nothing but the period is wrong. */
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		lay_hpet(periods[i], 1);
		assert_false(open_hpet(&clock));
	}
	hpet.period_fs = 0;
	assert_false(open_hpet(&clock));
	assert_false(refclock_open_hpet(&clock, &none));
}

/* Counter 2 of an 8254: mode 0 from 65536, read by its latch, with its gate and the speaker. */
#define PIT_SHIFT 11
#define PIT_HZ    UINT64_C(1193182)
#define PIT_WRAP  UINT64_C(65536)

static struct {
	bool there, started, high;
	bool hastens;     /* each step is shorter than the one before */
	unsigned held_at; /* the latch from which on the core is held past a wrap; 0: none */
	unsigned latches, writes;
	uint8_t port_b;
	uint64_t begin;
	uint32_t latched;
} pit;

static uint64_t pit_steps(void)
{
	uint64_t steps = (clock_now() - pit.begin) >> PIT_SHIFT;

	return pit.hastens ? steps + (steps * steps >> 20) : steps;
}

static void pit_latch(void)
{
	uint64_t until = pit_steps() + PIT_WRAP;

	while (++pit.latches == pit.held_at && pit_steps() < until)
		pit.latches--;
	pit.latched = (uint32_t)(0 - pit_steps()) & 0xffff;
	pit.high = false;
}

static void write_port(uint16_t port, uint32_t value, unsigned bytes)
{
	static const struct {
		uint16_t port;
		uint8_t value;
	} start[] = { { 0x43, 0xb0 }, { 0x42, 0 }, { 0x42, 0 } };

	assert_int_equal(bytes, 1);
	if (port == 0x61) {
		pit.port_b = (uint8_t)value;
		return;
	}
	/* The counter has its gate, and the speaker is off. */
	assert_int_equal(pit.port_b & 3, 1);
	if (!pit.started) {
		assert_int_equal(port, start[pit.writes].port);
		assert_int_equal(value, start[pit.writes].value);
		pit.started = ++pit.writes == 3;
		pit.begin = clock_now();
		return;
	}
	assert_int_equal(port, 0x43);
	assert_int_equal(value, 0x80);
	pit_latch();
}

static uint32_t read_port(uint16_t port, unsigned bytes)
{
	assert_int_equal(bytes, port == PM_PORT ? 4 : 1);
	if (port == PM_PORT)
		return read_pm();
	if (port == 0x61)
		return pit.port_b;
	assert_int_equal(port, 0x42);
	pit.high = !pit.high;
	return !pit.there ? 0xff : pit.high ? pit.latched & 0xff : pit.latched >> 8;
}

REGISTERS(read_port, write_port, read_memory, write_memory)

TEST(test_pit)
{
	static const uint8_t before[] = { 0x00, 0xfe };

	for (unsigned i = 0; i < 2; i++) {
		memset(&pit, 0, sizeof(pit));
		pit.there = true;
		pit.port_b = before[i];
		assert_rate(refclock_measure_pit(), PIT_HZ << PIT_SHIFT);
		assert_int_equal(pit.port_b, before[i] & 0xf);
	}
}

/* A measurement in which the counter wrapped is not believed. */
TEST(test_pit_while_the_core_is_held)
{
	for (unsigned at = 1; at < 400; at += 57) {
		memset(&pit, 0, sizeof(pit));
		pit.there = true;
		pit.held_at = at;
		assert_rate(refclock_measure_pit(), PIT_HZ << PIT_SHIFT);
	}
}

TEST(test_no_pit)
{
	memset(&pit, 0, sizeof(pit));
	assert_int_equal(refclock_measure_pit(), 0);
	memset(&pit, 0, sizeof(pit));
	pit.there = pit.hastens = true;
	assert_int_equal(refclock_measure_pit(), 0);
}

/* Clocks of any width and rate against the TSC they come from. */
static uint64_t read_shifted(const struct refclock *c)
{
	/* There are 2^base ticks per step. */
	return (clock_now() >> c->base) & ((UINT64_C(1) << c->bits) - 1);
}

static uint64_t read_frozen(const struct refclock *c)
{
	(void)c;
	return 4711;
}

TEST(test_rates)
{
	struct refclock clock[4] = {
		{ .name = "a", .hz = 2000000, .bits = 32, .read = read_shifted, .base = 10 },
		{ .name = "b", .hz = 100000000, .bits = 32, .read = read_shifted, .base = 4 },
		{ .name = "c", .hz = 3579545, .bits = 24, .read = read_shifted, .base = 9 },
		{ .name = "d", .hz = 1000000, .bits = 24, .read = read_frozen },
	};

	clock[3].tsc_hz = 1;
	refclock_measure(clock, 4, MS);
	for (unsigned i = 0; i < 3; i++)
		assert_rate(clock[i].tsc_hz, clock[i].hz << clock[i].base);
	assert_int_equal(clock[3].tsc_hz, 0);
}

TEST(test_no_clocks)
{
	struct refclock clock = { .tsc_hz = 1 };

	refclock_measure(&clock, 0, MS);
	refclock_measure(&clock, 5, MS);
	assert_int_equal(clock.tsc_hz, 1);
}
