/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference clocks that are derived from this machine's TSC, so that the rate to
 * be found is known: 2^shift ticks per step.
 */
#include "arch/arch.h"
#include "drivers/refclock.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

#define SHIFT     10
#define MS        5
#define LIES      100
#define TOLERANCE 100 /* one part of so many: a step at each end is far less */
#define PM_PORT   0x608
#define PM_HZ     UINT64_C(3579545)
#define PM_24BIT  UINT32_C(0xffffff)

/* The PM timer: as if it had been at `pm_first` when the test began. */
static struct {
	uint64_t begin;
	uint32_t first, upper;
	bool stands;
	unsigned reads, elsewhere;
} pm;

uint32_t arch_in32(uint16_t port)
{
	uint64_t steps = pm.stands ? 0 : (clock_now() - pm.begin) >> SHIFT;

	pm.reads++;
	pm.elsewhere += port != PM_PORT;
	return ((pm.first + (uint32_t)steps) & PM_24BIT) | pm.upper;
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
	assert_int_equal(pm.elsewhere, 0);
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
	assert_true((arch_in32(PM_PORT) & PM_24BIT) < pm.first);
	assert_rate(clock.tsc_hz, PM_HZ << SHIFT);
}

/* The timer is in memory, as wide as the FADT has it. */
TEST(test_pm_timer_in_memory)
{
	volatile uint32_t counter = 0xff123456;
	struct acpi_info tables = {
		.pm_timer = { .space = ACPI_SPACE_MEMORY, .address = (uintptr_t)&counter },
	};
	struct refclock clock;

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
	bool pm_timer, hpet;

	maps = false;
	pm_timer = refclock_open_pm_timer(&clock, &tables);
	hpet = refclock_open_hpet(&clock, &tables);
	maps = true;
	assert_false(pm_timer);
	assert_false(hpet);
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

/* An HPET's registers in memory (IA-PC HPET 1.0a, 2.3); a thread may turn its counter. */
#define HPET_PERIOD 1  /* upper half of the capabilities, by words */
#define HPET_CONFIG 4  /* 0x10 */
#define HPET_COUNT  60 /* 0xf0 */

static volatile uint32_t hpet[256];
static _Atomic bool turning;

static void lay_hpet(uint32_t period_fs, uint32_t config)
{
	memset((void *)(uintptr_t)hpet, 0, sizeof(hpet));
	hpet[HPET_PERIOD] = period_fs;
	hpet[HPET_CONFIG] = config;
}

static bool open_hpet(struct refclock *clock)
{
	struct acpi_info tables = { .hpet_address = (uintptr_t)hpet };

	return refclock_open_hpet(clock, &tables);
}

static void *turn(void *unused)
{
	while (atomic_load(&turning))
		if (hpet[HPET_CONFIG] & 1)
			hpet[HPET_COUNT]++;
	return unused;
}

/* The HPET counts only once it is switched on, and is left as it was found. */
TEST(test_hpet)
{
	struct refclock clock;
	pthread_t thread;

	for (uint32_t on = 0; on < 2; on++) {
		/* Other bits of the register, such as legacy routing, are not ours. */
		lay_hpet(10000000, 2 | on);
		atomic_store(&turning, true);
		assert_int_equal(pthread_create(&thread, NULL, turn, NULL), 0);
		/* The thread may not have a processor yet. */
		while (!open_hpet(&clock))
			assert_int_equal(hpet[HPET_CONFIG], 2 | on);
		assert_int_equal(hpet[HPET_CONFIG], 3);
		assert_string_equal(clock.name, "hpet");
		assert_int_equal(clock.hz, 100000000);
		refclock_close(&clock);
		assert_int_equal(hpet[HPET_CONFIG], 2 | on);
		refclock_close(&clock);
		assert_int_equal(hpet[HPET_CONFIG], 2 | on);
		atomic_store(&turning, false);
		pthread_join(thread, NULL);
	}
}

TEST(test_hpet_that_stands_still)
{
	struct refclock clock;

	lay_hpet(10000000, 0);
	assert_false(open_hpet(&clock));
	assert_int_equal(hpet[HPET_CONFIG], 0);
}

/* 10 MHz is the slowest the specification allows; none counts faster than 1 GHz. */
TEST(test_hpet_that_lies)
{
	static const uint32_t periods[] = { 0, 1, 999, 999999, 100000001, 0x7fffffff, 0xffffffff };
	struct acpi_info none = { 0 };
	struct refclock clock;
	pthread_t thread;

	atomic_store(&turning, true);
	assert_int_equal(pthread_create(&thread, NULL, turn, NULL), 0);
	lay_hpet(100000000, 0);
	while (!open_hpet(&clock))
		;
	/* The HPET does count, so that nothing but the period is wrong. */
	for (size_t i = 0; i < sizeof(periods) / sizeof(periods[0]); i++) {
		lay_hpet(periods[i], 1);
		for (unsigned n = 0; n < LIES; n++)
			assert_false(open_hpet(&clock));
	}
	atomic_store(&turning, false);
	pthread_join(thread, NULL);
	assert_false(refclock_open_hpet(&clock, &none));
}

/* Counter 0 of an 8254: mode 0 from 65536, in which it is no periodic timer, read by its latch. */
#define PIT_SHIFT 11
#define PIT_HZ    UINT64_C(1193182)
#define PIT_WRAP  UINT64_C(65536)

static struct {
	bool there, started, high;
	bool hastens;     /* each step is shorter than the one before */
	unsigned held_at; /* the latch from which on the core is held past a wrap; 0: none */
	unsigned latches, writes;
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

void arch_out8(uint16_t port, uint8_t value)
{
	static const struct {
		uint16_t port;
		uint8_t value;
	} start[] = { { 0x43, 0x30 }, { 0x40, 0 }, { 0x40, 0 } };

	if (!pit.started) {
		assert_int_equal(port, start[pit.writes].port);
		assert_int_equal(value, start[pit.writes].value);
		pit.started = ++pit.writes == 3;
		pit.begin = clock_now();
		return;
	}
	assert_int_equal(port, 0x43);
	assert_int_equal(value, 0);
	pit_latch();
}

uint8_t arch_in8(uint16_t port)
{
	assert_int_equal(port, 0x40);
	pit.high = !pit.high;
	return !pit.there ? 0xff : (uint8_t)(pit.high ? pit.latched : pit.latched >> 8);
}

TEST(test_pit)
{
	memset(&pit, 0, sizeof(pit));
	pit.there = true;
	assert_rate(refclock_measure_pit(), PIT_HZ << PIT_SHIFT);
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
