/* SPDX-License-Identifier: BSD-2-Clause */
/* Remarks. Source: Arm ARM (DDI 0487), FEAT_NMI: ID_AA64PFR1_EL1.NMI, SCTLR_ELx.NMI, ALLINT. */
#include "remarks.h"

#include <stddef.h>

#define PFR1_NMI(pfr1)   ((pfr1) >> 36 & 0xf)
#define MIDR_MODEL(midr) ((midr)&0xff00fff0)
#define CORTEX_A73       UINT64_C(0x4100d090)
#define SCTLR_NMI        (UINT64_C(1) << 61)

static bool has_nmi(const struct remarks_facts *f)
{
	return PFR1_NMI(f->pfr1) && (f->sctlr & SCTLR_NMI);
}

static bool has_nmi_off(const struct remarks_facts *f)
{
	return PFR1_NMI(f->pfr1) && !(f->sctlr & SCTLR_NMI);
}

static bool lacks_stolen_time(const struct remarks_facts *f)
{
	return f->guest && !f->steals;
}

static bool has_sdei(const struct remarks_facts *f)
{
	return f->sdei;
}

/* Of the errata of counters that Linux knows (arm_arch_timer.c), the one that MIDR_EL1 shows. */
static bool has_wrong_reads(const struct remarks_facts *f)
{
	return MIDR_MODEL(f->midr) == CORTEX_A73;
}

static const struct row {
	bool (*holds)(const struct remarks_facts *f);
	const char *text;
} rows[] = {
	{ has_nmi, "interrupts with superpriority (FEAT_NMI) are on: they are neither masked nor "
		   "counted, and a gap that one causes is of unknown cause" },
	{ has_nmi_off, "interrupts with superpriority (FEAT_NMI) are off, as the firmware left "
		       "them: all interrupts are masked" },
	{ lacks_stolen_time, "stolen time (PV-time) is not offered: what a hypervisor gives to "
			     "others is not of cause steal" },
	{ has_sdei, "software delegated exceptions (SDEI) are offered: an OS that registers for "
		    "events is called even where it masks interrupts, this run is not" },
	{ has_wrong_reads, "erratum 858921 of Cortex-A73: as the lower half of the system counter "
			   "wraps, it may be read 2^32 off, which looks like a gap or a clock that "
			   "was set back" },
};

const char *remarks_of(const struct remarks_facts *f, unsigned *from)
{
	while (*from < sizeof(rows) / sizeof(rows[0])) {
		const struct row *row = &rows[(*from)++];

		if (row->holds(f))
			return row->text;
	}
	return NULL;
}
