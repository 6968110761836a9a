/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of evidence, and how its rows are found, armed and proved. Sources: Intel SDM vol. 3,
 * "Architectural Performance Monitoring" and "IA32_DEBUGCTL MSR"; AMD APM vol. 2, "Performance
 * Monitoring Counters", with the events from the PPR of each family; for the sharing of counters,
 * Intel's "Performance Monitoring Unit Sharing Guide"; for the steal clock, Linux,
 * Documentation/virt/kvm/x86/cpuid.rst and msr.rst.
 *
 * Counters of the core are only used on the bare machine: a guest's stand still whenever the host
 * runs something else, which shows nothing about the core.
 */
#include "counters.h"

#include "attribution_smm.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "identify.h"

#define MSR_TSC_ADJUST     0x3bu
#define MSR_MPERF          0xe7u
#define MSR_APERF          0xe8u
#define MSR_MCG_CAP        0x179u
#define MSR_PERFEVTSEL0    0x186u
#define MSR_THERM_STATUS   0x19cu
#define MSR_PACKAGE_STATUS 0x1b1u /* IA32_PACKAGE_THERM_STATUS */
#define MSR_DEBUGCTL       0x1d9u
#define MSR_FIXED_CTR0     0x309u
#define MSR_PERF_CAPS      0x345u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_GLOBAL_CTRL    0x38fu
#define MSR_KVM_STEAL_TIME 0x4b564d03u
#define MSR_AMD_GLOBAL_CTL 0xc0000301u /* PerfCntrGlobalCtl */
#define MSR_AMD_CTL        0xc0010200u
#define MSR_AMD_CTR        0xc0010201u

enum word { EAX, EBX, ECX, EDX };

#define LEAF_VERSION     1u
#define ECX_PDCM         (1u << 15) /* MSR_PERF_CAPS exists */
#define EDX_MCE          (1u << 7)
#define EDX_MCA          (1u << 14)
#define LEAF_THERMAL     6u
#define EAX_DIGITAL      (1u << 0) /* IA32_THERM_STATUS has a readout */
#define EAX_PACKAGE      (1u << 6)
#define ECX_APERFMPERF   (1u << 0)
#define LEAF_EXTENDED    7u
#define EBX_TSC_ADJUST   (1u << 1)
#define LEAF_PERFMON     0xau
#define LEAF_AMD         0x80000001u
#define ECX_CTR_EXT      (1u << 23) /* PerfCtrExtCore, from family 15h on */
#define LEAF_AMD_PERFMON 0x80000022u
#define EAX_PERFMON_V2   (1u << 0)
#define EAX_STEAL_TIME   (1u << 5) /* KVM's features */

#define FAMILY_CORE 6u
#define FAMILY_NEXT 18u /* 15 is the Pentium 4's */

#define PERFMON_GLOBAL    2u /* first version with fixed counters and MSR_GLOBAL_CTRL */
#define CAPS_FREEZE       (UINT64_C(1) << 12)
#define DEBUGCTL_FREEZE   (UINT64_C(1) << 14) /* FREEZE_WHILE_SMM */
#define EVTSEL_ENABLE     (UINT64_C(1) << 22)
#define FIXED_FIELD       UINT64_C(0xf)
#define FIXED_ENABLE      UINT64_C(0x3) /* a counter's field: ring 0, other rings */
#define FIXED_RING0       UINT64_C(0x1) /* no interrupt on overflow, own thread only */
#define FIXED_FIELD_BITS  4
#define GLOBAL_FIXED_BIT0 32
#define WIDTH_MIN         32u /* narrower ones would wrap between two readings */
#define WIDTH_MAX         63u

#define AMD_PROVABLE       0x17u /* first family that documents PMCx02B (PPR, LsSmiRx) */
#define AMD_COUNTERS       6u
#define AMD_OS             (UINT64_C(1) << 17)
#define AMD_ENABLE         (UINT64_C(1) << 22)
#define AMD_BITS           48
#define ZEN                0x17u /* to Zen 2; Hygon's is 18h */
#define HYGON              0x18u
#define EVENT_INSTRUCTIONS 0xc0u

#define STEAL_ENABLE UINT64_C(1)

#define BANKS_MAX 32u /* beyond, AMD has no such addresses (APM vol. 2) */

static bool is_bare(const struct counters *c)
{
	return c->context.hypervisor == HYPERVISOR_NONE;
}

static bool is_vendor(const struct counters *c, const char *vendor)
{
	return !strcmp(c->id->vendor, vendor);
}

static bool has(const struct regs *regs, uint32_t leaf, enum word word, uint32_t bits)
{
	struct cpuid r = regs_leaf(regs, leaf, 0);

	return ((const uint32_t[]){ r.eax, r.ebx, r.ecx, r.edx }[word] & bits) == bits;
}

/* Let arming set the bits of `mask`, all of which are then restored. False: no such register. */
static bool add_setting(const struct counters *c, struct counter_slot *slot, uint32_t msr,
			uint64_t mask, uint64_t bits)
{
	struct counter_setting *s = &slot->setting[slot->settings++];

	*s = (struct counter_setting){ .msr = msr, .mask = mask, .bits = bits };
	steps_note_at("reading MSR", msr);
	return c->regs->rdmsr(msr, &s->found);
}

/* MPERF and APERF stand still in a guest, and its sensors are not the core's. */
static enum counter_state find_register(struct counters *c, const struct counter_row *row,
					struct counter_slot *slot)
{
	uint64_t v;

	if (!has(c->regs, row->feature.leaf, row->feature.word, row->feature.bit) ||
	    (row->feature.leaf == LEAF_THERMAL && !is_bare(c)))
		return COUNTER_ABSENT;
	steps_note_at("reading MSR", row->param);
	if (!c->regs->rdmsr(row->param, &v))
		return COUNTER_ABSENT;
	slot->msr = row->param;
	slot->mask = UINT64_MAX;
	/* A working sensor has a readout: the registers are never all 0. */
	return row->reader == READ_THERMAL && !v ? COUNTER_SILENT : COUNTER_FOUND;
}

/*
 * MSR_SMI_COUNT has no CPUID bit. Intel has it since Nehalem and Silvermont: family 6, and
 * those after it, 18 (Nova Lake) and 19 (Diamond Rapids; Linux, asm/intel-family.h). QEMU's TCG
 * counts in it, and KVM its virtual SMIs, whatever vendor they show. AMD has no such register.
 */
static enum counter_state find_smi_count(struct counters *c, const struct counter_row *row,
					 struct counter_slot *slot)
{
	bool intel = is_vendor(c, "GenuineIntel") &&
		     (c->id->family == FAMILY_CORE || c->id->family >= FAMILY_NEXT);
	bool virtual = c->context.hypervisor == HYPERVISOR_KVM ||
		       c->context.hypervisor == HYPERVISOR_TCG;

	return intel || virtual ? find_register(c, row, slot) : COUNTER_ABSENT;
}

static uint64_t fixed_field(uint32_t number, uint64_t bits)
{
	return bits << number * FIXED_FIELD_BITS;
}

/* SDM vol. 2, CPUID leaf 0Ah: a counter exists by its bit in ECX or by the number in EDX[4:0]. */
static bool has_fixed(const struct cpuid *leaf, uint32_t number)
{
	if ((leaf->eax & 0xff) < PERFMON_GLOBAL)
		return false;
	return (leaf->ecx >> number & 1) || (leaf->edx & 0x1f) > number;
}

static struct cpuid perfmon_leaf(const struct counters *c)
{
	return is_bare(c) ? regs_leaf(c->regs, LEAF_PERFMON, 0) : (struct cpuid){ 0 };
}

static enum counter_state find_fixed(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot)
{
	const uint32_t n = row->param;
	const uint64_t global = UINT64_C(1) << (GLOBAL_FIXED_BIT0 + n);
	struct cpuid leaf = perfmon_leaf(c);
	uint32_t width = leaf.edx >> 5 & 0xff;

	slot->msr = MSR_FIXED_CTR0 + n;
	if (!has_fixed(&leaf, n) || width < WIDTH_MIN || width > WIDTH_MAX ||
	    !add_setting(c, slot, slot->msr, UINT64_MAX, 0) ||
	    !add_setting(c, slot, MSR_FIXED_CTR_CTRL, fixed_field(n, FIXED_FIELD),
			 fixed_field(n, FIXED_RING0)) ||
	    !add_setting(c, slot, MSR_GLOBAL_CTRL, global, global))
		return COUNTER_ABSENT;
	slot->mask = (UINT64_C(1) << width) - 1;
	return slot->setting[SETTING_CONTROL].found & fixed_field(n, FIXED_ENABLE) ? COUNTER_BUSY
										   : COUNTER_FOUND;
}

/* True if the firmware counts with counters of either kind, which freezing would falsify. */
static bool firmware_counts(const struct counters *c, const struct cpuid *leaf)
{
	uint64_t v;

	if (!c->regs->rdmsr(MSR_FIXED_CTR_CTRL, &v))
		return true;
	for (uint32_t n = 0; n * FIXED_FIELD_BITS < 64; n++) {
		if (v & fixed_field(n, FIXED_ENABLE))
			return true;
	}
	for (uint32_t n = 0; n < (leaf->eax >> 8 & 0xff); n++) {
		if (c->regs->rdmsr(MSR_PERFEVTSEL0 + n, &v) && (v & EVTSEL_ENABLE))
			return true;
	}
	return false;
}

static enum counter_state find_freeze(struct counters *c, const struct counter_row *row,
				      struct counter_slot *slot)
{
	struct cpuid leaf = perfmon_leaf(c);
	uint64_t v;

	if (!has_fixed(&leaf, 0) || !has(c->regs, LEAF_VERSION, ECX, ECX_PDCM) ||
	    !c->regs->rdmsr(MSR_PERF_CAPS, &v) || !(v & CAPS_FREEZE) ||
	    !add_setting(c, slot, row->param, DEBUGCTL_FREEZE, DEBUGCTL_FREEZE))
		return COUNTER_ABSENT;
	return firmware_counts(c, &leaf) ? COUNTER_BUSY : COUNTER_FOUND;
}

/* True if another row of this core has taken the counter. */
static bool is_taken(const struct counters *c, uint32_t msr)
{
	for (unsigned i = 0; i < COUNTER_ROWS_MAX; i++) {
		if (c->slot[i].state == COUNTER_FOUND && c->slot[i].msr == msr)
			return true;
	}
	return false;
}

/* The event's number is in bits 35:32 and 7:0, its unit mask in 15:8 stays 0. */
static uint64_t amd_event(uint32_t event)
{
	return (uint64_t)(event >> 8) << 32 | (event & 0xff) | AMD_OS | AMD_ENABLE;
}

/* Find the first counter that is free. If the enable bit is set, the firmware counts with it. */
static enum counter_state find_amd_counter(struct counters *c, const struct counter_row *row,
					   struct counter_slot *slot)
{
	for (uint32_t n = 0; n < AMD_COUNTERS; n++) {
		uint64_t global = UINT64_C(1) << n;

		slot->settings = 0;
		slot->msr = MSR_AMD_CTR + 2 * n;
		if (!add_setting(c, slot, slot->msr, UINT64_MAX, 0) ||
		    !add_setting(c, slot, MSR_AMD_CTL + 2 * n, UINT64_MAX, amd_event(row->param)))
			return COUNTER_ABSENT;
		if (slot->setting[SETTING_CONTROL].found & AMD_ENABLE || is_taken(c, slot->msr))
			continue;
		if (has(c->regs, LEAF_AMD_PERFMON, EAX, EAX_PERFMON_V2) &&
		    !add_setting(c, slot, MSR_AMD_GLOBAL_CTL, global, global))
			return COUNTER_ABSENT;
		return COUNTER_FOUND;
	}
	return COUNTER_BUSY;
}

static enum counter_state find_amd(struct counters *c, const struct counter_row *row,
				   struct counter_slot *slot)
{
	const uint32_t family = c->id->family;

	if ((!is_vendor(c, "AuthenticAMD") && !is_vendor(c, "HygonGenuine")) || !is_bare(c) ||
	    !has(c->regs, LEAF_AMD, ECX, ECX_CTR_EXT))
		return COUNTER_ABSENT;
	slot->mask = (UINT64_C(1) << AMD_BITS) - 1;
	if (row->proof == PROOF_SEEN && family >= AMD_PROVABLE)
		slot->proof = amd_event(EVENT_INSTRUCTIONS);
	/* Revision guides for family 17h, errata 990, 1054 and 1291. */
	c->context.overcounts |= row->param == EVENT_INSTRUCTIONS &&
				 (family == ZEN || family == HYGON);
	return find_amd_counter(c, row, slot);
}

static enum counter_state find_steal(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot)
{
	if (!c->area || !c->hz || !(identify_kvm_features(c->regs) & EAX_STEAL_TIME) ||
	    !add_setting(c, slot, row->param, UINT64_MAX, (uintptr_t)c->area | STEAL_ENABLE))
		return COUNTER_ABSENT;
	slot->mask = UINT64_MAX;
	return slot->setting[0].found & STEAL_ENABLE ? COUNTER_BUSY : COUNTER_FOUND;
}

/* SDM vol. 3, "Machine-Check Global Control MSRs": banks by IA32_MCG_CAP[7:0]. */
static enum counter_state find_banks(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot)
{
	uint64_t v;

	if (!has(c->regs, LEAF_VERSION, EDX, EDX_MCA | EDX_MCE) || !c->regs->rdmsr(row->param, &v))
		return COUNTER_ABSENT;
	v &= 0xff;
	slot->mask = (UINT64_C(1) << (v < BANKS_MAX ? v : BANKS_MAX)) - 1;
	return v ? COUNTER_FOUND : COUNTER_ABSENT;
}

/* Clock-like counters come first, so that they are read close to the clock. */
/* clang-format off */
const struct counter_row counter_rows[] = {
	/* SDM vol. 3 and APM vol. 2, MPERF */
	{ "mperf", EVIDENCE_MPERF, READ_CLOCK, PROOF_RATE, find_register, MSR_MPERF,
	  { LEAF_THERMAL, ECX, ECX_APERFMPERF } },
	/* SDM vol. 3, IA32_FIXED_CTR2 */
	{ "reference", EVIDENCE_REFERENCE, READ_CLOCK, PROOF_RATE, find_fixed, 2, { 0 } },
	/* SDM vol. 3 and APM vol. 2, APERF */
	{ "aperf", EVIDENCE_APERF, READ_CLOCK, PROOF_RUNS, find_register, MSR_APERF,
	  { LEAF_THERMAL, ECX, ECX_APERFMPERF } },
	/* SDM vol. 3, IA32_FIXED_CTR1 */
	{ "cycles", EVIDENCE_CYCLES, READ_CLOCK, PROOF_RUNS, find_fixed, 1, { 0 } },
	/* AMD PPR, PMCx076: cycles not in halt; SMM stops none of AMD's counters */
	{ "cycles", EVIDENCE_CYCLES, READ_CLOCK, PROOF_RUNS, find_amd, 0x76, { 0 } },
	/* SDM vol. 3, IA32_FIXED_CTR0 */
	{ "instructions", EVIDENCE_INSTRUCTIONS, READ_CLOCK, PROOF_RUNS, find_fixed, 0, { 0 } },
	/* AMD PPR, PMCx0C0 */
	{ "instructions", EVIDENCE_INSTRUCTIONS, READ_CLOCK, PROOF_RUNS, find_amd,
	  EVENT_INSTRUCTIONS, { 0 } },
	/* SDM vol. 3, IA32_DEBUGCTL, FREEZE_WHILE_SMM */
	{ "freeze_in_smm", COUNTER_FREEZE, READ_ELSEWHERE, PROOF_NONE, find_freeze, MSR_DEBUGCTL,
	  { 0 } },
	/* SDM vol. 4, MSR_SMI_COUNT */
	{ "smi_count", EVIDENCE_SMI, READ_ELSEWHERE, PROOF_SEEN, find_smi_count, MSR_SMI_COUNT,
	  { 0 } },
	/* AMD PPR, PMCx02B */
	{ "smi_received", EVIDENCE_SMI, READ_ELSEWHERE, PROOF_SEEN, find_amd, 0x2b, { 0 } },
	/* counted by our handler */
	{ "nmi_count", EVIDENCE_NMI, READ_ELSEWHERE, PROOF_NONE, NULL, 0, { 0 } },
	/* counted by our handler */
	{ "mce_count", EVIDENCE_MCE, READ_ELSEWHERE, PROOF_NONE, NULL, 0, { 0 } },
	/* SDM vol. 3, IA32_TSC_ADJUST */
	{ "tsc_adjust", EVIDENCE_TSC_ADJUST, READ_COUNT, PROOF_NONE, find_register,
	  MSR_TSC_ADJUST, { LEAF_EXTENDED, EBX, EBX_TSC_ADJUST } },
	/* ns the core was ready to run while the host ran something else; not what it emulated */
	{ "steal_clock", EVIDENCE_STEAL, READ_STEAL, PROOF_FILLED, find_steal,
	  MSR_KVM_STEAL_TIME, { 0 } },
	/* SDM vol. 3 and APM vol. 2, IA32_MCi_STATUS */
	{ "mce_banks", COUNTER_LOG, READ_BANKS, PROOF_NONE, find_banks, MSR_MCG_CAP, { 0 } },
	/* SDM vol. 3, IA32_THERM_STATUS */
	{ "thermal", COUNTER_LOG, READ_THERMAL, PROOF_NONE, find_register, MSR_THERM_STATUS,
	  { LEAF_THERMAL, EAX, EAX_DIGITAL } },
	/* SDM vol. 3, IA32_PACKAGE_THERM_STATUS */
	{ "package_thermal", COUNTER_LOG, READ_THERMAL, PROOF_NONE, find_register,
	  MSR_PACKAGE_STATUS, { LEAF_THERMAL, EAX, EAX_PACKAGE } },
};
/* clang-format on */

#define ROWS (sizeof(counter_rows) / sizeof(counter_rows[0]))

const unsigned counter_rows_count = ROWS;

_Static_assert(ROWS <= COUNTER_ROWS_MAX, "a slot per row");

static enum evidence_hypervisor hypervisor_kind(const char *name)
{
	if (!name[0])
		return HYPERVISOR_NONE;
	if (!strcmp(name, "KVM"))
		return HYPERVISOR_KVM;
	return strcmp(name, "TCG") ? HYPERVISOR_OTHER : HYPERVISOR_TCG;
}

void counters_detect(struct counters *c, const struct regs *regs, const struct arch_identity *id,
		     uint64_t hz, struct counter_steal_area *area)
{
	*c = (struct counters){ .regs = regs, .id = id, .hz = hz, .area = area };
	c->context.rules = &attribution_smm;
	c->context.hypervisor = hypervisor_kind(id->hypervisor);
	for (unsigned i = 0; i < ROWS; i++) {
		const struct counter_row *row = &counter_rows[i];
		struct counter_slot *slot = &c->slot[i];

		slot->state = (uint8_t)(row->find ? row->find(c, row, slot) : COUNTER_FOUND);
	}
}

bool counters_possible(const struct regs *regs, const struct arch_identity *id)
{
	enum evidence_hypervisor below = hypervisor_kind(id->hypervisor);

	return has(regs, LEAF_EXTENDED, EBX, EBX_TSC_ADJUST) || below == HYPERVISOR_KVM ||
	       (below == HYPERVISOR_NONE && has(regs, LEAF_THERMAL, ECX, ECX_APERFMPERF));
}
