/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads a core for a survey: all CPUID leaves, the MSRs listed in msrs[], and the local APIC.
 * Sources: Intel SDM vol. 2, CPUID; AMD APM vol. 3, appendix E.
 */
#include "survey.h"

#include "arch/arch.h"
#include "identify.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "percpu.h"

#define LEAF_VERSION    1u
#define EDX_MSR         (1u << 5)
#define LEAF_SERIAL     3u     /* names one processor */
#define LEAVES_MAX      0x100u /* a range that claims more does not exist */
#define SUBLEAVES_MAX   32u
#define LEAF_GUEST      0x40000000u
#define LEAF_GUEST_END  0x40010000u
#define LEAF_GUEST_STEP 0x100u
#define LEAF_EXTENDED   0x80000000u
#define LEAF_CENTAUR    0xc0000000u

#define MSR_MCG_CAP    0x179u
#define MSR_MC0_STATUS 0x401u
#define BANKS_MAX      32u
#define APIC_ENABLED   (UINT64_C(1) << 11)
#define X2APIC_MSR     0x800u

/* Makers in a row of msrs[]. */
#define INTEL 1u
#define AMD   2u
#define GUEST 4u /* any processor, under a hypervisor */
#define OTHER 8u
#define ANY   (INTEL | AMD | GUEST | OTHER)

/*
 * Leaves with subleaves; all others have one. Subleaves up to `least` are read in any case, and
 * further ones until EAX and EBX are 0: no cache, no level, or past the last.
 */
static const struct {
	uint32_t leaf, least;
} parts[] = {
	{ 0x4, 0 },        { 0x7, 2 },        { 0xb, 0 },        { 0xd, 19 }, { 0xf, 1 },
	{ 0x10, 3 },       { 0x12, 1 },       { 0x14, 0 },       { 0x17, 0 }, { 0x18, 0 },
	{ 0x1d, 0 },       { 0x1f, 0 },       { 0x20, 0 },       { 0x23, 3 }, { 0x24, 0 },
	{ 0x8000001d, 0 }, { 0x80000020, 3 }, { 0x80000026, 0 },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* Fields of CPUID leaves with the core's own APIC id, which differ from core to core. */
static const struct {
	uint32_t leaf;
	uint8_t word, shift; /* word: 0 to 3 for EAX to EDX */
	uint32_t mask;
} own_ids[] = {
	{ 0x1, 1, 24, 0xff },
	{ 0xb, 3, 0, UINT32_MAX },
	{ 0x1f, 3, 0, UINT32_MAX },
	{ 0x8000001e, 0, 0, UINT32_MAX },
	{ 0x80000026, 3, 0, UINT32_MAX },
};

/* Remove the core's id, so that otherwise equal cores have equal leaves. */
static void take_id_out(struct survey_reading *r, uint32_t apic_id)
{
	for (unsigned i = 0; i < sizeof(own_ids) / sizeof(own_ids[0]); i++) {
		uint64_t *pair = &r->value[own_ids[i].word / 2];
		unsigned shift = own_ids[i].shift + 32u * (own_ids[i].word % 2);

		if (own_ids[i].leaf != r->number ||
		    (*pair >> shift & own_ids[i].mask) != (apic_id & own_ids[i].mask))
			continue;
		*pair &= ~((uint64_t)own_ids[i].mask << shift);
		r->flags |= SURVEY_OWN_ID;
	}
}

static struct cpuid read_leaf(const struct survey_source *s, struct survey_core *c, uint32_t leaf,
			      uint32_t sub)
{
	struct cpuid r = s->regs->cpuid(leaf, sub);
	struct survey_reading reading = {
		.area = SURVEY_CPUID,
		.number = leaf,
		.sub = sub,
		.value = { r.eax | (uint64_t)r.ebx << 32, r.ecx | (uint64_t)r.edx << 32 },
	};

	take_id_out(&reading, s->apic_id);
	survey_add(c, &reading);
	return r;
}

static void read_whole_leaf(const struct survey_source *s, struct survey_core *c, uint32_t leaf)
{
	struct cpuid r = read_leaf(s, c, leaf, 0);
	unsigned i = 0;

	while (i < PARTS && parts[i].leaf != leaf)
		i++;
	if (i == PARTS)
		return;
	for (uint32_t n = 1; n < SUBLEAVES_MAX && (n <= parts[i].least || r.eax || r.ebx); n++)
		r = read_leaf(s, c, leaf, n);
}

/* Read the leaves from this one on; there are none if EAX is not the number of one that follows. */
static void read_leaves(const struct survey_source *s, struct survey_core *c, uint32_t from)
{
	uint32_t more = s->regs->cpuid(from, 0).eax - from;

	for (uint32_t n = 0; more < LEAVES_MAX && n <= more; n++)
		if (from + n != LEAF_SERIAL)
			read_whole_leaf(s, c, from + n);
}

static void read_cpuid(const struct survey_source *s, struct survey_core *c)
{
	read_leaves(s, c, 0);
	for (uint32_t from = LEAF_GUEST; regs_is_guest(s->regs) && from < LEAF_GUEST_END;
	     from += LEAF_GUEST_STEP)
		read_leaves(s, c, from);
	read_leaves(s, c, LEAF_EXTENDED);
	read_leaves(s, c, LEAF_CENTAUR);
}

/*
 * The model-specific registers that are read: `count` of them, each `step` after the one before.
 * Names are those of Intel's SDM, vol. 4, and of AMD's APM, vol. 2, and PPRs. None is read that
 * identifies the processor (PPIN), or that clears or starts anything when it is read.
 */
static const struct {
	uint32_t first;
	uint8_t count, step, makers, flags;
} msrs[] = {
	/* Sources of evidence. */
	{ 0x34, 1, 1, INTEL | GUEST, SURVEY_MOVES }, /* MSR_SMI_COUNT */
	{ 0x3b, 1, 1, ANY, 0 },                      /* IA32_TSC_ADJUST */
	{ 0xe7, 2, 1, ANY, SURVEY_MOVES },           /* IA32_MPERF, IA32_APERF */
	{ 0x186, 8, 1, INTEL, 0 },                   /* IA32_PERFEVTSEL0 and on */
	{ 0x19c, 1, 1, INTEL, SURVEY_MOVES },        /* IA32_THERM_STATUS: a temperature is in it */
	{ 0x1b1, 1, 1, INTEL, SURVEY_MOVES },        /* IA32_PACKAGE_THERM_STATUS */
	{ 0x1d9, 1, 1, ANY, 0 },                     /* IA32_DEBUGCTL */
	{ 0x309, 3, 1, INTEL, SURVEY_MOVES },        /* IA32_FIXED_CTR0 to 2 */
	{ 0x345, 1, 1, INTEL, 0 },                   /* IA32_PERF_CAPABILITIES */
	{ 0x38d, 1, 1, INTEL, 0 },                   /* IA32_FIXED_CTR_CTRL */
	{ 0x38f, 1, 1, INTEL, 0 },                   /* IA32_PERF_GLOBAL_CTRL */
	{ 0xc0000301, 1, 1, AMD, 0 },                /* PerfCntrGlobalCtl */
	{ 0xc0010000, 4, 1, AMD, 0 },                /* PerfEvtSel0 to 3 */
	{ 0xc0010200, 6, 2, AMD, 0 },                /* PERF_CTL0 to 5 */
	{ 0xc0010201, 6, 2, AMD, SURVEY_MOVES },     /* PERF_CTR0 to 5 */
	{ 0x40000022, 1, 1, GUEST, 0 },              /* HV_X64_MSR_TSC_FREQUENCY */
	{ 0x4b564d01, 1, 1, GUEST, 0 },              /* MSR_KVM_SYSTEM_TIME_NEW */
	{ 0x4b564d03, 1, 1, GUEST, 0 },              /* MSR_KVM_STEAL_TIME */
	{ 0xc0010131, 1, 1, GUEST, 0 },              /* SEV_STATUS */

	/* Memory types, and ownership of the machine. */
	{ 0x1b, 1, 1, ANY, 0 },       /* IA32_APIC_BASE */
	{ 0x8b, 1, 1, ANY, 0 },       /* IA32_BIOS_SIGN_ID, Patch Level */
	{ 0xfe, 1, 1, ANY, 0 },       /* IA32_MTRRCAP */
	{ 0x200, 20, 1, ANY, 0 },     /* IA32_MTRR_PHYSBASE0, IA32_MTRR_PHYSMASK0, and on */
	{ 0x250, 1, 1, ANY, 0 },      /* IA32_MTRR_FIX64K_00000 */
	{ 0x258, 2, 1, ANY, 0 },      /* IA32_MTRR_FIX16K_80000 and A0000 */
	{ 0x268, 8, 1, ANY, 0 },      /* IA32_MTRR_FIX4K_C0000 to F8000 */
	{ 0x277, 1, 1, ANY, 0 },      /* IA32_PAT */
	{ 0x2ff, 1, 1, ANY, 0 },      /* IA32_MTRR_DEF_TYPE */
	{ 0xc0000080, 1, 1, ANY, 0 }, /* IA32_EFER */
	{ 0xc0010010, 1, 1, AMD, 0 }, /* SYSCFG */
	{ 0xc001001a, 1, 1, AMD, 0 }, /* TOP_MEM */
	{ 0xc001001d, 1, 1, AMD, 0 }, /* TOP_MEM2 */

	/* Settings of the machine. */
	{ 0x3a, 1, 1, INTEL, 0 },      /* IA32_FEATURE_CONTROL */
	{ 0xce, 1, 1, INTEL, 0 },      /* MSR_PLATFORM_INFO */
	{ 0xe2, 1, 1, INTEL, 0 },      /* MSR_PKG_CST_CONFIG_CONTROL */
	{ 0xe4, 1, 1, INTEL, 0 },      /* MSR_PMG_IO_CAPTURE_BASE */
	{ 0x194, 1, 1, INTEL, 0 },     /* MSR_FLEX_RATIO */
	{ 0x199, 1, 1, INTEL, 0 },     /* IA32_PERF_CTL */
	{ 0x19b, 1, 1, INTEL, 0 },     /* IA32_THERM_INTERRUPT */
	{ 0x1a0, 1, 1, INTEL, 0 },     /* IA32_MISC_ENABLE */
	{ 0x1a2, 1, 1, INTEL, 0 },     /* MSR_TEMPERATURE_TARGET */
	{ 0x1a4, 1, 1, INTEL, 0 },     /* MSR_PREFETCH_CONTROL */
	{ 0x1aa, 1, 1, INTEL, 0 },     /* MSR_MISC_PWR_MGMT */
	{ 0x1ad, 1, 1, INTEL, 0 },     /* MSR_TURBO_RATIO_LIMIT */
	{ 0x1b0, 1, 1, INTEL, 0 },     /* IA32_ENERGY_PERF_BIAS */
	{ 0x1b2, 1, 1, INTEL, 0 },     /* IA32_PACKAGE_THERM_INTERRUPT */
	{ 0x1fc, 1, 1, INTEL, 0 },     /* MSR_POWER_CTL */
	{ 0x610, 1, 1, INTEL, 0 },     /* MSR_PKG_POWER_LIMIT */
	{ 0x64b, 1, 1, INTEL, 0 },     /* MSR_CONFIG_TDP_CONTROL */
	{ 0x770, 2, 1, INTEL, 0 },     /* IA32_PM_ENABLE, IA32_HWP_CAPABILITIES */
	{ 0x774, 1, 1, INTEL, 0 },     /* IA32_HWP_REQUEST */
	{ 0xc0010015, 1, 1, AMD, 0 },  /* HWCR */
	{ 0xc0010055, 1, 1, AMD, 0 },  /* Interrupt Pending: C1E */
	{ 0xc0010061, 11, 1, AMD, 0 }, /* P-states: limit, control, status, definitions */
	{ 0xc0010073, 1, 1, AMD, 0 },  /* C-state Base Address */
	{ 0xc00102b0, 2, 1, AMD, 0 },  /* CPPC_CAPABILITY_1, CPPC_ENABLE */
	{ 0xc00102b3, 1, 1, AMD, 0 },  /* CPPC_REQUEST */
};

static unsigned makers_of(const struct survey_source *s)
{
	unsigned guest = regs_is_guest(s->regs) ? GUEST : 0;
	struct arch_identity id;

	identify(s->regs, &id);
	/* The Pentium 4's registers have other numbers and meanings. */
	if (!strcmp(id.vendor, "GenuineIntel"))
		return guest | (id.family == 15 ? OTHER : INTEL);
	if (!strcmp(id.vendor, "AuthenticAMD") || !strcmp(id.vendor, "HygonGenuine"))
		return guest | AMD;
	return guest | OTHER;
}

static void read_msr(const struct survey_source *s, struct survey_core *c, uint32_t number,
		     uint8_t flags)
{
	struct survey_reading r = { .area = SURVEY_MSR, .number = number, .flags = flags };

	steps_note_at("reading MSR", number);
	if (!s->regs->rdmsr(number, &r.value[0])) {
		r.flags |= SURVEY_FAULTED;
		r.value[0] = 0;
	}
	survey_add(c, &r);
}

static void read_banks(const struct survey_source *s, struct survey_core *c)
{
	uint64_t banks;

	read_msr(s, c, MSR_MCG_CAP, 0);
	if (!survey_value(c, SURVEY_MSR, MSR_MCG_CAP, &banks))
		return;
	for (uint32_t n = 0; n < (banks & 0xff) && n < BANKS_MAX; n++)
		read_msr(s, c, MSR_MC0_STATUS + 4 * n, 0);
}

static void read_msrs(const struct survey_source *s, struct survey_core *c)
{
	unsigned makers = makers_of(s);

	for (unsigned i = 0; i < sizeof(msrs) / sizeof(msrs[0]); i++)
		for (uint32_t n = 0; msrs[i].makers & makers && n < msrs[i].count; n++)
			read_msr(s, c, msrs[i].first + n * msrs[i].step, msrs[i].flags);
	read_banks(s, c);
}

/* Id, version, spurious vector, and the local interrupts. */
static const uint16_t apic_registers[] = { 0x20,  0x30,  0xf0,  0x2f0, 0x320,
					   0x330, 0x340, 0x350, 0x360, 0x370 };

static void read_apic(const struct survey_source *s, struct survey_core *c)
{
	uint64_t base;

	if (!survey_value(c, SURVEY_MSR, MSR_APIC_BASE, &base) || !(base & APIC_ENABLED))
		return;
	for (unsigned i = 0; i < sizeof(apic_registers) / sizeof(apic_registers[0]); i++) {
		struct survey_reading r = { .area = SURVEY_APIC, .number = apic_registers[i] };

		if (!(base & APIC_BASE_X2APIC))
			r.value[0] = s->mmio((base & APIC_BASE_MASK) + r.number);
		else if (!s->regs->rdmsr(X2APIC_MSR + (r.number >> 4), &r.value[0]))
			r.flags = SURVEY_FAULTED;
		if (r.number == apic_registers[0] &&
		    (r.value[0] == s->apic_id || r.value[0] >> 24 == s->apic_id)) {
			r.value[0] = 0;
			r.flags = SURVEY_OWN_ID;
		}
		survey_add(c, &r);
	}
}

void survey_read(const struct survey_source *s, struct survey_core *c)
{
	c->count = c->left_out = 0;
	read_cpuid(s, c);
	if (!(s->regs->cpuid(LEAF_VERSION, 0).edx & EDX_MSR))
		return;
	read_msrs(s, c);
	read_apic(s, c);
}

/* True if the evidence is listed: two rows may count the same, each on different processors. */
static bool has_evidence(const struct survey_core *c, const char *name)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (c->at[i].area == SURVEY_EVIDENCE && !strcmp(c->at[i].name, name))
			return true;
	return false;
}

static void add_evidence(struct survey_core *c, const struct counters *counters,
			 enum counter_state state, enum survey_evidence as)
{
	struct survey_reading r = { .area = SURVEY_EVIDENCE, .value = { as } };

	for (unsigned i = 0; i < counter_rows_count; i++) {
		r.name = counter_rows[i].name;
		if (counters->slot[i].state == state && !has_evidence(c, r.name))
			survey_add(c, &r);
	}
}

void arch_survey(struct survey_core *c, uint64_t hz)
{
	const struct survey_source source = { &regs_real, arch_mmio_read32, arch_apic_id() };
	struct percpu *p = percpu_self();

	survey_read(&source, c);
	arch_identify(&p->identity);
	counters_detect(&p->counters, &regs_real, &p->identity, hz, &p->steal);
	add_evidence(c, &p->counters, COUNTER_FOUND, SURVEY_FOUND);
	add_evidence(c, &p->counters, COUNTER_BUSY, SURVEY_BUSY);
	add_evidence(c, &p->counters, COUNTER_SILENT, SURVEY_SILENT);
	add_evidence(c, &p->counters, COUNTER_ABSENT, SURVEY_ABSENT);
}
