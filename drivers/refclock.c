/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reference clocks. Source: IA-PC HPET specification 1.0a, 2.3; ACPI 6.5, 4.8.3.3
 * (PM timer); Intel 82C54 data sheet, "Programming the 82C54".
 */
#include "refclock.h"

#include "arch/arch.h"
#include "core/lib/ticks.h"

#define HPET_CAPABILITIES 0x000 /* 63:32 period in fs, bit 13 64-bit counter */
#define HPET_CONFIG       0x010 /* its low half */
#define HPET_COUNTER      0x0f0
#define HPET_ENABLE       (1u << 0)
#define HPET_PERIOD_MAX   UINT64_C(100000000) /* fs: 10 MHz is the slowest allowed */
#define HPET_PERIOD_MIN   UINT64_C(1000000)   /* 1 GHz: none is that fast; 32 bits last 4 s */
#define FS_PER_S          UINT64_C(1000000000000000)

#define HPET_BYTES 0x100u /* up to its counter */

#define PM_TIMER_HZ    3579545u
#define PM_TIMER_BYTES 4u

#define PIT_HZ        1193182u
#define PIT_COUNTER_2 0x42
#define PIT_CONTROL   0x43
#define PIT_LATCH_2   0x80
#define PIT_START_2   0xb0 /* low byte, then high byte; mode 0: counts on */
#define PORT_B        0x61 /* IBM PC AT Technical Reference, "System Board I/O" */
#define PORT_B_GATE   0x01 /* lets counter 2 count */
#define PORT_B_SOUND  0x02
/* The upper four bits only report; chipsets want them written as 0. */
#define PORT_B_WRITABLE 0x0f
/* Two measurements of less than half a wrap (55 ms) agree, unless both were held up past one. */
#define PIT_MS    20u
#define PIT_PPM   1000u
#define PIT_TRIES 8u

#define BRACKETS   64u
#define CLOCKS_MAX 4u
#define RESTS      1000u /* some us, of the 100 ms that are waited for */
#define READS_MAX  UINT64_C(10000000)

/* The low half is enough: a measurement is far shorter than its wrap (40 s at 100 MHz). */
static uint64_t read_hpet(const struct refclock *c)
{
	return arch_mmio_read32(c->base + HPET_COUNTER);
}

static uint64_t read_pm_timer(const struct refclock *c)
{
	uint32_t v = c->mmio ? arch_mmio_read32(c->base) : arch_in32((uint16_t)c->base);

	return v & ((UINT64_C(1) << c->bits) - 1);
}

/* Returns how far the counter has come down. */
static uint64_t read_pit(const struct refclock *c)
{
	uint32_t left;

	arch_out8(PIT_CONTROL, PIT_LATCH_2);
	left = arch_in8(PIT_COUNTER_2);
	left |= (uint32_t)arch_in8(PIT_COUNTER_2) << 8;
	return (0 - left) & ((1u << c->bits) - 1);
}

/* True if the counter moves. Its slowest step is under 1 us; this waits far longer. */
static bool moves(const struct refclock *c)
{
	uint64_t first = c->read(c);

	for (unsigned i = 0; i < 10000; i++)
		if (c->read(c) != first)
			return true;
	return false;
}

bool refclock_open_hpet(struct refclock *c, const struct acpi_info *acpi)
{
	uint64_t base = acpi->hpet_address;
	uint64_t period;
	uint32_t config;

	if (!base || !arch_map_device(base, HPET_BYTES))
		return false;
	period = arch_mmio_read32(base + HPET_CAPABILITIES + 4);
	if (period < HPET_PERIOD_MIN || period > HPET_PERIOD_MAX)
		return false;
	*c = (struct refclock){ .name = "hpet",
				.hz = FS_PER_S / period,
				.bits = 32,
				.read = read_hpet,
				.mmio = true,
				.base = base };
	config = arch_mmio_read32(base + HPET_CONFIG);
	c->was_off = !(config & HPET_ENABLE);
	if (c->was_off)
		arch_mmio_write32(base + HPET_CONFIG, config | HPET_ENABLE);
	if (moves(c))
		return true;
	refclock_close(c);
	return false;
}

bool refclock_open_pm_timer(struct refclock *c, const struct acpi_info *acpi)
{
	const struct acpi_gas *gas = &acpi->pm_timer;

	if (!gas->address || gas->space > ACPI_SPACE_IO ||
	    (gas->space == ACPI_SPACE_MEMORY && !arch_map_device(gas->address, PM_TIMER_BYTES)))
		return false;
	*c = (struct refclock){ .name = "pmtimer",
				.hz = PM_TIMER_HZ,
				.bits = acpi->pm_timer_32bit ? 32 : 24,
				.read = read_pm_timer,
				.mmio = gas->space == ACPI_SPACE_MEMORY,
				.base = gas->address };
	return moves(c);
}

void refclock_close(struct refclock *c)
{
	if (c->was_off)
		arch_mmio_write32(c->base + HPET_CONFIG,
				  arch_mmio_read32(c->base + HPET_CONFIG) & ~HPET_ENABLE);
	c->was_off = false;
}

struct clockwatch_reading refclock_read(const struct refclock *c, unsigned brackets)
{
	struct clockwatch_reading best = { .after = UINT64_MAX }, r;

	for (unsigned i = 0; i < brackets; i++) {
		r.before = clock_now();
		r.value = c->read(c);
		r.after = clock_now();
		if (r.after - r.before < best.after - best.before)
			best = r;
	}
	return best;
}

/* The TSC at the moment of a reading: in the middle of its bracket. */
static uint64_t tsc_at(const struct clockwatch_reading *r)
{
	return r->before + (r->after - r->before) / 2;
}

static uint64_t passed(const struct refclock *c, uint64_t since)
{
	return (c->read(c) - since) & ((UINT64_C(1) << c->bits) - 1);
}

/*
 * Pause between reads: in an emulator, reading the clock takes as long as thousands of
 * instructions.
 */
static void refclock_rest(void)
{
	for (volatile unsigned i = 0; i < RESTS; i++)
		;
}

/* Wait `ms` by a clock; bounded by reads, should it stop. */
static void wait_by(const struct refclock *c, uint32_t ms)
{
	uint64_t start = c->read(c);
	uint64_t target = c->hz / 1000 * ms;

	for (uint64_t i = 0; i < READS_MAX && passed(c, start) < target; i++)
		refclock_rest();
}

static uint64_t rate_of(const struct refclock *c, const struct clockwatch_reading *a,
			const struct clockwatch_reading *b)
{
	uint64_t steps = (b->value - a->value) & ((UINT64_C(1) << c->bits) - 1);
	uint64_t ticks = tsc_at(b) - tsc_at(a);

	/* ticks * hz / steps without overflow: whole ticks per step, then the rest. */
	return steps ? ticks / steps * c->hz + ticks % steps * c->hz / steps : 0;
}

void refclock_measure(struct refclock *clock, unsigned count, uint32_t ms)
{
	struct clockwatch_reading first[CLOCKS_MAX], last;

	if (!count || count > CLOCKS_MAX)
		return;
	for (unsigned i = 0; i < count; i++)
		first[i] = refclock_read(&clock[i], BRACKETS);
	wait_by(clock, ms);
	for (unsigned i = 0; i < count; i++) {
		last = refclock_read(&clock[i], BRACKETS);
		clock[i].tsc_hz = rate_of(&clock[i], &first[i], &last);
	}
}

uint64_t refclock_measure_pit(void)
{
	struct refclock pit = { .name = "pit", .hz = PIT_HZ, .bits = 16, .read = read_pit };
	uint8_t port_b = arch_in8(PORT_B) & PORT_B_WRITABLE;
	uint64_t before = 0, hz = 0;

	arch_out8(PORT_B, (uint8_t)((port_b & ~PORT_B_SOUND) | PORT_B_GATE));
	arch_out8(PIT_CONTROL, PIT_START_2);
	arch_out8(PIT_COUNTER_2, 0);
	arch_out8(PIT_COUNTER_2, 0);
	for (unsigned i = 0; i < PIT_TRIES && !hz && moves(&pit); i++, before = pit.tsc_hz) {
		refclock_measure(&pit, 1, PIT_MS);
		if (before && ticks_ppm_apart(pit.tsc_hz, before) <= PIT_PPM)
			hz = pit.tsc_hz;
	}
	arch_out8(PORT_B, port_b);
	return hz;
}
