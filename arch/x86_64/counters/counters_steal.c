/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * KVM's steal clock: ns the core was ready to run while the host ran something
 * else. Source: Linux, Documentation/virt/kvm/x86/cpuid.rst and msr.rst,
 * MSR_KVM_STEAL_TIME. It does not count exits that the host served itself.
 */
#include "counters_row.h"

#include "core/lib/mem.h"
#include "core/lib/ticks.h"

#define MSR_KVM_STEAL_TIME 0x4b564d03u
#define STEAL_ENABLE       UINT64_C(1)
#define LEAF_FIRST         0x40000000u
#define LEAF_END           0x40010000u
#define LEAF_STEP          0x100u
#define EAX_STEAL_TIME     (1u << 5)
#define READS_MAX          1000u

static const char signature[12] = "KVMKVMKVM";

/* KVM's leaves may follow those of another interface that it also offers. */
static uint32_t kvm_features(const struct counters *c)
{
	if (!regs_is_guest(c->regs))
		return 0;
	for (uint32_t leaf = LEAF_FIRST; leaf < LEAF_END; leaf += LEAF_STEP) {
		struct cpuid r = c->regs->cpuid(leaf, 0);

		if (!memcmp(&r.ebx, signature, 4) && !memcmp(&r.ecx, signature + 4, 4) &&
		    !memcmp(&r.edx, signature + 8, 4))
			return c->regs->cpuid(leaf + 1, 0).eax;
	}
	return 0;
}

static enum counter_state steal_detect(struct counters *c, const struct counter_row *row,
				       struct counter_slot *slot)
{
	(void)row;
	if (!c->area || !c->hz || !(kvm_features(c) & EAX_STEAL_TIME) ||
	    !c->regs->rdmsr(MSR_KVM_STEAL_TIME, &slot->saved[0]))
		return COUNTER_ABSENT;
	slot->msr = MSR_KVM_STEAL_TIME;
	slot->mask = UINT64_MAX;
	return slot->saved[0] & STEAL_ENABLE ? COUNTER_BUSY : COUNTER_FOUND;
}

/* The host fills the area before it resumes us: a version of 0 means that it never did. */
static bool steal_arm(struct counters *c, const struct counter_row *row, struct counter_slot *slot)
{
	(void)row;
	memset(c->area, 0, sizeof(*c->area));
	if (!c->regs->wrmsr(slot->msr, (uintptr_t)c->area | STEAL_ENABLE))
		return false;
	return *(volatile uint32_t *)&c->area->version != 0;
}

static void steal_restore(struct counters *c, const struct counter_slot *slot)
{
	c->regs->wrmsr(slot->msr, slot->saved[0]);
}

/* The version is odd while the host writes, and changes with each write. */
static bool steal_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now)
{
	const volatile struct counter_steal_area *area = c->area;

	(void)slot;
	for (unsigned i = 0; i < READS_MAX; i++) {
		uint32_t version = area->version;

		*now = area->steal_ns;
		if (!(version & 1) && area->version == version)
			return true;
	}
	return false;
}

static uint64_t steal_weigh(const struct counters *c, uint64_t ns)
{
	return ticks_from_ns(ns, c->hz);
}

const struct counter_ops counter_steal_ops = {
	.detect = steal_detect,
	.arm = steal_arm,
	.restore = steal_restore,
	.read = steal_read,
	.weigh = steal_weigh,
};
