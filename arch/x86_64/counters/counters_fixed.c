/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Intel's fixed-function counters and their freezing in SMM. Source: Intel SDM vol. 3,
 * "Architectural Performance Monitoring" and "IA32_DEBUGCTL MSR"; for the sharing of counters,
 * Intel's "Performance Monitoring Unit Sharing Guide". Only used on the bare machine: a guest's
 * counters stand still whenever the host runs something else, which shows nothing about the core.
 */
#include "counters_row.h"

#define MSR_PERFEVTSEL0    0x186u
#define MSR_DEBUGCTL       0x1d9u
#define MSR_FIXED_CTR0     0x309u
#define MSR_PERF_CAPS      0x345u
#define MSR_FIXED_CTR_CTRL 0x38du
#define MSR_GLOBAL_CTRL    0x38fu

#define LEAF_PERFMON      0xau
#define ECX_PDCM          (1u << 15) /* leaf 1: MSR_PERF_CAPS exists */
#define PERFMON_GLOBAL    2u         /* first version with fixed counters and MSR_GLOBAL_CTRL */
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

static uint64_t field(uint32_t number, uint64_t bits)
{
	return bits << number * FIXED_FIELD_BITS;
}

static uint64_t global_bit(uint32_t number)
{
	return UINT64_C(1) << (GLOBAL_FIXED_BIT0 + number);
}

/* SDM vol. 2, CPUID leaf 0Ah: a counter exists by its bit in ECX or by the number in EDX[4:0]. */
static bool exists(const struct cpuid *leaf, uint32_t number)
{
	if ((leaf->eax & 0xff) < PERFMON_GLOBAL)
		return false;
	return (leaf->ecx >> number & 1) || (leaf->edx & 0x1f) > number;
}

static struct cpuid perfmon_leaf(const struct counters *c)
{
	if (!counter_bare(c) || !regs_has_leaf(c->regs, LEAF_PERFMON))
		return (struct cpuid){ 0 };
	return c->regs->cpuid(LEAF_PERFMON, 0);
}

static enum counter_state fixed_detect(struct counters *c, const struct counter_row *row,
				       struct counter_slot *slot)
{
	struct cpuid leaf = perfmon_leaf(c);
	uint32_t width = leaf.edx >> 5 & 0xff;

	if (!exists(&leaf, row->param) || width < WIDTH_MIN || width > WIDTH_MAX ||
	    !c->regs->rdmsr(MSR_FIXED_CTR0 + row->param, &slot->saved[0]) ||
	    !c->regs->rdmsr(MSR_FIXED_CTR_CTRL, &slot->saved[1]) ||
	    !c->regs->rdmsr(MSR_GLOBAL_CTRL, &slot->saved[2]))
		return COUNTER_ABSENT;
	slot->index = (uint8_t)row->param;
	slot->msr = MSR_FIXED_CTR0 + row->param;
	slot->mask = (UINT64_C(1) << width) - 1;
	return slot->saved[1] & field(row->param, FIXED_ENABLE) ? COUNTER_BUSY : COUNTER_FOUND;
}

static bool fixed_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot)
{
	uint32_t n = row->param;

	return c->regs->wrmsr(slot->msr, 0) &&
	       counter_update(c, MSR_FIXED_CTR_CTRL, field(n, FIXED_FIELD),
			      field(n, FIXED_RING0)) &&
	       counter_update(c, MSR_GLOBAL_CTRL, global_bit(n), global_bit(n));
}

static void fixed_restore(struct counters *c, const struct counter_slot *slot)
{
	uint64_t mask = field(slot->index, FIXED_FIELD);

	/* Write the control field first: it stops the counter, which can then be set. */
	counter_update(c, MSR_FIXED_CTR_CTRL, mask, slot->saved[1] & mask);
	counter_update(c, MSR_GLOBAL_CTRL, global_bit(slot->index),
		       slot->saved[2] & global_bit(slot->index));
	c->regs->wrmsr(slot->msr, slot->saved[0]);
}

/* True if the firmware counts with counters of either kind, which freezing would falsify. */
static bool firmware_counts(const struct counters *c, const struct cpuid *leaf)
{
	uint64_t v;

	if (!c->regs->rdmsr(MSR_FIXED_CTR_CTRL, &v))
		return true;
	for (uint32_t n = 0; n * FIXED_FIELD_BITS < 64; n++) {
		if (v & field(n, FIXED_ENABLE))
			return true;
	}
	for (uint32_t n = 0; n < (leaf->eax >> 8 & 0xff); n++) {
		if (c->regs->rdmsr(MSR_PERFEVTSEL0 + n, &v) && (v & EVTSEL_ENABLE))
			return true;
	}
	return false;
}

static enum counter_state freeze_detect(struct counters *c, const struct counter_row *row,
					struct counter_slot *slot)
{
	struct cpuid leaf = perfmon_leaf(c);
	uint64_t v;

	(void)row;
	if (!exists(&leaf, 0) || !(c->regs->cpuid(1, 0).ecx & ECX_PDCM) ||
	    !c->regs->rdmsr(MSR_PERF_CAPS, &v) || !(v & CAPS_FREEZE) ||
	    !c->regs->rdmsr(MSR_DEBUGCTL, &slot->saved[0]))
		return COUNTER_ABSENT;
	slot->msr = MSR_DEBUGCTL;
	return firmware_counts(c, &leaf) ? COUNTER_BUSY : COUNTER_FOUND;
}

static bool freeze_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot)
{
	(void)row;
	if (slot->saved[0] & DEBUGCTL_FREEZE)
		return true;
	return counter_update(c, MSR_DEBUGCTL, DEBUGCTL_FREEZE, DEBUGCTL_FREEZE);
}

static void freeze_restore(struct counters *c, const struct counter_slot *slot)
{
	if (!(slot->saved[0] & DEBUGCTL_FREEZE))
		counter_update(c, MSR_DEBUGCTL, DEBUGCTL_FREEZE, 0);
}

const struct counter_ops counter_fixed_ops = {
	.detect = fixed_detect,
	.arm = fixed_arm,
	.restore = fixed_restore,
};

const struct counter_ops counter_freeze_ops = {
	.detect = freeze_detect,
	.arm = freeze_arm,
	.restore = freeze_restore,
};
