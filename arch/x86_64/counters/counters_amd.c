/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * AMD's core performance counters, one taken per event. Source: AMD APM vol. 2,
 * "Performance Monitoring Counters"; the events from the PPR of each
 * family: PMCx02B SMIs received (family 10h BKDG and later), PMCx076 cycles not
 * in halt, PMCx0C0 retired instructions. SMM stops none of them.
 */
#include "counters_row.h"

#define LEAF_FEATURES   0x80000001u
#define LEAF_PERFMON    0x80000022u
#define ECX_CTR_EXT     (1u << 23) /* PerfCtrExtCore */
#define EAX_PERFMON_V2  (1u << 0)
#define FIRST_FAMILY    0x10u
#define MSR_LEGACY_CTL  0xc0010000u
#define MSR_LEGACY_CTR  0xc0010004u
#define LEGACY_COUNTERS 4u
#define MSR_EXT_CTL     0xc0010200u
#define MSR_EXT_CTR     0xc0010201u
#define EXT_COUNTERS    6u
#define MSR_GLOBAL_CTL  0xc0000301u /* PerfCntrGlobalCtl */
#define CTL_OS          (UINT64_C(1) << 17)
#define CTL_ENABLE      (UINT64_C(1) << 22)
#define CTR_BITS        48

#define ZEN                0x17u /* to Zen 2; Hygon's is 18h */
#define HYGON              0x18u
#define FIRST_PROVABLE     0x17u
#define EVENT_INSTRUCTIONS 0xc0u

static bool extended(const struct counters *c)
{
	return regs_has_leaf(c->regs, LEAF_FEATURES) &&
	       (c->regs->cpuid(LEAF_FEATURES, 0).ecx & ECX_CTR_EXT);
}

static bool global_control(const struct counters *c)
{
	return regs_has_leaf(c->regs, LEAF_PERFMON) &&
	       (c->regs->cpuid(LEAF_PERFMON, 0).eax & EAX_PERFMON_V2);
}

static uint32_t ctl_msr(bool ext, uint32_t number)
{
	return ext ? MSR_EXT_CTL + 2 * number : MSR_LEGACY_CTL + number;
}

static uint32_t ctr_msr(bool ext, uint32_t number)
{
	return ext ? MSR_EXT_CTR + 2 * number : MSR_LEGACY_CTR + number;
}

/* True if another row of this core has taken the counter. */
static bool taken(const struct counters *c, uint32_t msr)
{
	for (unsigned i = 0; i < COUNTER_ROWS_MAX; i++) {
		if (c->slot[i].state == COUNTER_FOUND && c->slot[i].msr == msr)
			return true;
	}
	return false;
}

/* If the enable bit is set, the firmware counts with it. */
static enum counter_state find_free(const struct counters *c, struct counter_slot *slot)
{
	bool ext = extended(c);

	for (uint32_t n = 0; n < (ext ? EXT_COUNTERS : LEGACY_COUNTERS); n++) {
		if (!c->regs->rdmsr(ctr_msr(ext, n), &slot->saved[0]) ||
		    !c->regs->rdmsr(ctl_msr(ext, n), &slot->saved[1]))
			return COUNTER_ABSENT;
		if (slot->saved[1] & CTL_ENABLE || taken(c, ctr_msr(ext, n)))
			continue;
		slot->index = (uint8_t)n;
		slot->msr = ctr_msr(ext, n);
		slot->mask = (UINT64_C(1) << CTR_BITS) - 1;
		return COUNTER_FOUND;
	}
	return COUNTER_BUSY;
}

static enum counter_state amd_detect(struct counters *c, const struct counter_row *row,
				     struct counter_slot *slot)
{
	(void)row;
	if (!counter_vendor(c, "AuthenticAMD") && !counter_vendor(c, "HygonGenuine"))
		return COUNTER_ABSENT;
	if (!counter_bare(c) || c->id->family < FIRST_FAMILY)
		return COUNTER_ABSENT;
	if (global_control(c) && !c->regs->rdmsr(MSR_GLOBAL_CTL, &slot->saved[2]))
		return COUNTER_ABSENT;
	return find_free(c, slot);
}

/* The event's number is in bits 35:32 and 7:0, its unit mask in 15:8 stays 0. */
static uint64_t select_event(uint32_t event)
{
	return (uint64_t)(event >> 8) << 32 | (event & 0xff) | CTL_OS | CTL_ENABLE;
}

static bool counters_amd_count(struct counters *c, const struct counter_slot *slot, uint32_t event)
{
	uint32_t control = ctl_msr(extended(c), slot->index);
	uint64_t bit = UINT64_C(1) << slot->index;

	return c->regs->wrmsr(slot->msr, 0) &&
	       counter_update(c, control, UINT64_MAX, select_event(event)) &&
	       (!global_control(c) || counter_update(c, MSR_GLOBAL_CTL, bit, bit));
}

/*
 * A machine without SMIs never shows that it would count them. Counting instructions proves that
 * the counter works; that event PMCx02B is SMIs is documented since family 17h (PPR, LsSmiRx).
 */
static bool amd_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot)
{
	slot->proved = false;
	/* Revision guides for family 17h, errata 990, 1054 and 1291. */
	c->context.overcounts |= row->param == EVENT_INSTRUCTIONS &&
				 (c->id->family == ZEN || c->id->family == HYGON);
	if (row->proof == PROOF_SEEN && c->id->family >= FIRST_PROVABLE) {
		if (!counters_amd_count(c, slot, EVENT_INSTRUCTIONS) || !counter_moves(c, slot) ||
		    !c->regs->wrmsr(ctl_msr(extended(c), slot->index), slot->saved[1]))
			return false;
		slot->proved = true;
	}
	return counters_amd_count(c, slot, row->param);
}

static void amd_restore(struct counters *c, const struct counter_slot *slot)
{
	uint64_t bit = UINT64_C(1) << slot->index;

	/* Restore the control first: it was disabled, so the counter then stands still. */
	c->regs->wrmsr(ctl_msr(extended(c), slot->index), slot->saved[1]);
	if (global_control(c))
		counter_update(c, MSR_GLOBAL_CTL, bit, slot->saved[2] & bit);
	c->regs->wrmsr(slot->msr, slot->saved[0]);
}

const struct counter_ops counter_amd_ops = {
	.detect = amd_detect,
	.arm = amd_arm,
	.restore = amd_restore,
};
