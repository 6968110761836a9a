/* SPDX-License-Identifier: BSD-2-Clause */
/* The TSC as a process of Linux finds it: may it be read, does it keep its rate, how fast is it. */
#pragma once

#include "core/lib/value.h"
#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

#define INOS_CLOCK_ROUNDS 2

/* What is known of it. */
struct linux_clock_facts {
	bool readable;     /* Linux lets this process read it: prctl(2), PR_GET_TSC */
	bool invariant;    /* CPUID 80000007h, EDX bit 8 */
	bool hypervisor;   /* which may keep the rate where the processor does not report it */
	uint64_t cpuid_hz; /* CPUID 15h, 16h; 0: not reported */
	const char *cpuid_source;
	uint64_t raw_hz[INOS_CLOCK_ROUNDS]; /* against CLOCK_MONOTONIC_RAW, one after another */
};

struct linux_clock {
	uint64_t hz;
	const char *source; /* "cpuid15" "cpuid16" "monotonic-raw" */
	bool invariant;
	const char *audited_by; /* NULL: no second clock */
	struct maybe audit_ppm;
};

/* Look, for some 100 ms. */
void linux_clock_look(struct linux_clock_facts *facts);

/*
 * Choose as the probe does: CPUID's rate first, which the measured one then audits.
 * False when the TSC is no clock to measure by; `why` is then what was found and what is
 * required.
 */
bool linux_clock_judge(const struct linux_clock_facts *facts, struct linux_clock *clock,
		       struct text *why);
