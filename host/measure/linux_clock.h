/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC as a process of Linux finds it: may it be read, does it keep its rate, how fast is it. */
#pragma once

#include "arch/arch.h"
#include "core/gaps/tsc_rate.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

#define LINUX_CLOCK_ROUNDS 2

/* What is known of it. */
struct linux_clock_facts {
	bool readable;   /* Linux lets this process read it: prctl(2), PR_GET_TSC */
	bool invariant;  /* CPUID 80000007h, EDX bit 8 */
	bool hypervisor; /* which may keep the rate where the processor does not report it */
	struct tsc_rate_source cpuid[ARCH_CLOCK_SOURCES]; /* `cpuids` of them: 15h, 16h */
	unsigned cpuids;
	uint64_t raw_hz[LINUX_CLOCK_ROUNDS]; /* against CLOCK_MONOTONIC_RAW, one after another */
};

struct linux_clock {
	struct tsc_rate rate; /* by "cpuid15" "monotonic-raw" */
	bool invariant;
};

/* Look, for some 100 ms. */
void linux_clock_look(struct linux_clock_facts *facts);

/*
 * Choose as the probe does: CPUID's rate where the measured one confirms it.
 * False when the TSC is no clock to measure by; `why` is then what was found and what is
 * required.
 */
bool linux_clock_judge(const struct linux_clock_facts *facts, struct linux_clock *clock,
		       struct text *why);
