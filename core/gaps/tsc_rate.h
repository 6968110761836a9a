/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How fast the TSC runs: several sources report its rate, and not all are right.
 * CPUID leaf 16h, and leaf 15h where it has no crystal's rate, report the number on the box: a
 * Cascade Lake of 2100 MHz runs at 2095.077 MHz where its clock is spread. Linux takes
 * neither as known (arch/x86/kernel/tsc.c, native_calibrate_tsc()).
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/* How good a source is, the best first. */
enum tsc_rate_kind {
	TSC_RATE_EXACT,    /* counted by what makes the TSC: CPUID 15h, a hypervisor */
	TSC_RATE_MEASURED, /* against a fine clock of known rate */
	TSC_RATE_NOMINAL,  /* the number on the box */
	TSC_RATE_COARSE,   /* against a clock of whole seconds */
	TSC_RATE_KINDS
};

struct tsc_rate_source {
	const char *name;
	uint64_t hz; /* 0: it has none */
	enum tsc_rate_kind kind;
};

struct tsc_rate {
	uint64_t hz; /* 0: unknown */
	const char *source;
	const char *audited_by; /* NULL: no second source */
	struct maybe audit_ppm;
	struct tsc_rate_source refused; /* the best source that is far off; name NULL: none is */
};

/*
 * Choose: the best source that another one confirms; where none does, a measured rate
 * before a reported one. Among equals the first. At most 8 sources.
 */
void tsc_rate_choose(struct tsc_rate *rate, const struct tsc_rate_source *source, unsigned count);

/* Why a source was refused, as a sentence; false when none was. */
bool tsc_rate_explain(const struct tsc_rate *rate, struct text *out);
