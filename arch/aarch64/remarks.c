/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Remarks on a processor. Source: Arm ARM (DDI 0487), FEAT_NMI: ID_AA64PFR1_EL1.NMI, SCTLR_ELx.NMI,
 * ALLINT.
 */
#include "remarks.h"

#include <stddef.h>

#define PFR1_NMI(pfr1)   ((pfr1) >> 36 & 0xf)
#define MIDR_MODEL(midr) ((midr)&0xff00fff0)
#define CORTEX_A73       UINT64_C(0x4100d090)
#define SCTLR_NMI        (UINT64_C(1) << 61)

/* The erratum is one that Linux works around (arm_arch_timer.c); tables show the others. */
const char *remarks_of(const struct remarks_facts *f, unsigned *from)
{
	const bool has_nmi = PFR1_NMI(f->pfr1), is_on = f->sctlr & SCTLR_NMI;
	const struct {
		bool holds;
		const char *text;
	} rows[] = {
		{ has_nmi && is_on,
		  "interrupts with superpriority (FEAT_NMI) are on: they are neither masked nor "
		  "counted, and a gap that one causes is of unknown cause" },
		{ has_nmi && !is_on, "interrupts with superpriority (FEAT_NMI) are off, as the "
				     "firmware left them: all "
				     "interrupts are masked" },
		{ f->guest && !f->steals,
		  "stolen time (PV-time) is not offered: what a hypervisor gives to others is not "
		  "of cause steal" },
		{ f->sdei,
		  "software delegated exceptions (SDEI) are offered: an OS that registers for "
		  "events is called even where it masks interrupts, this run is not" },
		{ MIDR_MODEL(f->midr) == CORTEX_A73,
		  "erratum 858921 of Cortex-A73: as the lower half of the system counter wraps, it "
		  "may be read 2^32 off, which looks like a gap or a clock that was set back" },
	};

	while (*from < sizeof(rows) / sizeof(rows[0]))
		if (rows[(*from)++].holds)
			return rows[*from - 1].text;
	return NULL;
}
