/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rate of the TSC: several sources report it, and not all are right. CPUID leaf 16h, and leaf
 * 15h without a crystal's rate, report the nominal rate: a Cascade Lake of 2100 MHz runs at
 * 2095.077 MHz with a spread clock. Linux trusts neither (arch/x86/kernel/tsc.c,
 * native_calibrate_tsc()).
 */
#pragma once

#include "core/lib/text.h"
#include "core/lib/value.h"

#include <stdbool.h>
#include <stdint.h>

/* The quality of a source, the best first. */
enum tsc_rate_kind {
	TSC_RATE_EXACT,    /* known to the clock's origin: CPUID 15h, a hypervisor */
	TSC_RATE_MEASURED, /* against a fine clock of known rate */
	TSC_RATE_NOMINAL,  /* the advertised rate */
	TSC_RATE_COARSE,   /* against the PIT */
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
	const char *audited_by; /* source that confirms it; NULL: none */
	struct maybe audit_ppm;
	struct tsc_rate_source refused; /* best source that is far off; name NULL: none */
};

/*
 * Choose the best source that another one confirms; if there is none, a measured rate before a
 * reported one. Of equals, the first.
 */
void tsc_rate_choose(struct tsc_rate *rate, const struct tsc_rate_source *source, unsigned count);

/* Append the reason why a source was refused, as a sentence. False if none was. */
bool tsc_rate_explain(const struct tsc_rate *rate, struct text *out);
