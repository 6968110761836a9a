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

/* Errata that Linux works around (arm_arch_timer.c): MIDR_EL1 shows one, tables the others. */
static bool has_858921(const struct remarks_facts *f)
{
	return MIDR_MODEL(f->midr) == CORTEX_A73;
}

static bool has_a008585(const struct remarks_facts *f)
{
	return f->errata & 1u << COUNTER_A008585;
}

static bool has_161010101(const struct remarks_facts *f)
{
	return f->errata & 1u << COUNTER_161010101;
}

static bool has_unknown1(const struct remarks_facts *f)
{
	return f->errata & 1u << COUNTER_UNKNOWN1;
}

#define LOOKS_LIKE ", which looks like a gap or a clock that was set back"

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
	{ has_858921,
	  "erratum 858921 of Cortex-A73: as the lower half of the system counter wraps, "
	  "it may be read 2^32 off" LOOKS_LIKE },
	{ has_a008585,
	  "erratum A-008585 of Freescale, as the device tree has it: the system counter "
	  "may be read wrong for a moment" LOOKS_LIKE },
	{ has_161010101,
	  "erratum 161010101 of HiSilicon, as the device tree or the GTDT has it: the "
	  "system counter may be read wrong" LOOKS_LIKE },
	{ has_unknown1,
	  "erratum UNKNOWN1 of Allwinner, as the device tree has it: as lower bits of "
	  "the system counter wrap, it may be read wrong" LOOKS_LIKE },
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
