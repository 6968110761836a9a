/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC against CLOCK_MONOTONIC_RAW, and the judgement of it. */
#include "linux.h"

#include "core/lib/ticks.h"

#include <time.h>

#define BRACKETS 64
#define ROUND_NS 100000000
#define ROUNDS   6 /* a busy machine may distort some of them */
/* Rates found one after another may differ by so much: Linux adjusts neither of the two clocks. */
#define UNSTEADY_PPM 1000
#define HZ_MIN       UINT64_C(1000000)
#define HZ_MAX       UINT64_C(16000000000)

struct moment {
	uint64_t tsc, ns;
};

/* The tightest of many pairs of readings. */
static struct moment read_both(void)
{
	struct moment best = { 0 };
	uint64_t width = UINT64_MAX;

	for (unsigned i = 0; i < BRACKETS; i++) {
		struct timespec t;
		uint64_t before = clock_now(), after;

		clock_gettime(CLOCK_MONOTONIC_RAW, &t);
		after = clock_now();
		if (after - before >= width)
			continue;
		width = after - before;
		best.tsc = before + width / 2;
		best.ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
	}
	return best;
}

static uint64_t linux_clock_measure(void)
{
	const struct timespec rest = { .tv_nsec = ROUND_NS };
	struct moment first = read_both(), last;
	uint64_t ns, ticks;

	nanosleep(&rest, NULL);
	last = read_both();
	ns = last.ns - first.ns;
	ticks = last.tsc - first.tsc;
	/* In whole microseconds, so that a long sleep does not overflow. */
	return ns < 1000 ? 0 : ticks * 1000 / (ns / 1000) * 1000;
}

static bool is_rate(uint64_t hz)
{
	return hz >= HZ_MIN && hz <= HZ_MAX;
}

static bool is_steady(const struct linux_clock_facts *facts)
{
	const uint64_t *hz = facts->raw_hz;

	return is_rate(hz[0]) && is_rate(hz[1]) && ticks_ppm_apart(hz[0], hz[1]) <= UNSTEADY_PPM;
}

void linux_clock_look(struct linux_clock_facts *facts)
{
	struct arch_identity id;

	*facts = (struct linux_clock_facts){ 0 };
	arch_identify(&id);
	facts->invariant = id.clock_invariant;
	facts->hypervisor = id.hypervisor[0] != '\0';
	facts->cpuids = arch_clock_sources(facts->cpuid);
	facts->raw_hz[1] = linux_clock_measure();
	for (unsigned i = 1; i < ROUNDS; i++) {
		facts->raw_hz[0] = facts->raw_hz[1];
		facts->raw_hz[1] = linux_clock_measure();
		if (is_steady(facts))
			break;
	}
}

static void linux_clock_choose(const struct linux_clock_facts *facts, struct tsc_rate *rate)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES + 1];
	unsigned n = 0;

	for (unsigned i = 0; i < facts->cpuids; i++)
		if (is_rate(facts->cpuid[i].hz))
			source[n++] = facts->cpuid[i];
	source[n++] = (struct tsc_rate_source){ "monotonic-raw", facts->raw_hz[1],
						TSC_RATE_MEASURED };
	tsc_rate_choose(rate, source, n);
}

bool linux_clock_judge(const struct linux_clock_facts *facts, struct linux_clock *clock,
		       struct text *why)
{
	uint64_t first = facts->raw_hz[0], second = facts->raw_hz[1];

	if (!facts->invariant && !facts->hypervisor) {
		text_add(why, "the TSC is not invariant (CPUID 80000007h, EDX bit 8): it changes "
			      "its rate or stops, and no length measured by it can be trusted");
		return false;
	}
	if (!is_steady(facts)) {
		text_add(why,
			 "the TSC does not keep a rate: against CLOCK_MONOTONIC_RAW it ran at %llu "
			 "Hz, then at %llu Hz; wanted: %llu to %llu Hz, within %u ppm",
			 (unsigned long long)first, (unsigned long long)second,
			 (unsigned long long)HZ_MIN, (unsigned long long)HZ_MAX, UNSTEADY_PPM);
		return false;
	}
	clock->invariant = facts->invariant;
	linux_clock_choose(facts, &clock->rate);
	return true;
}
