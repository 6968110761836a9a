/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The processor's own logs: throttling and machine-check banks. Logs stay set until cleared, so a
 * step is the bits that rose; if a bit was set before, only the status beside it can still be seen.
 */
#include "counters_row.h"

#define MSR_MCG_CAP     0x179u
#define MSR_MC0_STATUS  0x401u
#define MC_STATUS_STEP  4u
#define MC_STATUS_VALID (UINT64_C(1) << 63)
#define BANKS_MAX       32u /* beyond, AMD has no such addresses (APM vol. 2) */

#define EAX_DIGITAL       (1u << 0) /* IA32_THERM_STATUS has a readout */
#define EAX_PACKAGE       (1u << 6)
#define EDX_ACPI_THERMAL  (1u << 22) /* leaf 1: IA32_THERM_STATUS exists */
#define EDX_MCA           (1u << 14)
#define EDX_MCE           (1u << 7)
#define THERM_LOG_SHIFT   8 /* logs above the statuses in what thermal_read() gives */
#define THERM_STATUS_MASK 0xffu

/* IA32_THERM_STATUS, SDM vol. 4, table 2-2: each status has its log in the bit above. */
static const struct {
	uint8_t bit, throttle;
} statuses[] = {
	{ 0, THROTTLE_THERMAL }, { 2, THROTTLE_PROCHOT },  { 4, THROTTLE_CRITICAL },
	{ 10, THROTTLE_POWER },  { 12, THROTTLE_CURRENT }, { 14, THROTTLE_DOMAIN },
};

#define STATUSES (sizeof(statuses) / sizeof(statuses[0]))

static bool exists(const struct counters *c, bool package)
{
	uint32_t eax;

	if (!counter_bare(c) || !regs_has_leaf(c->regs, LEAF_THERMAL))
		return false;
	eax = c->regs->cpuid(LEAF_THERMAL, 0).eax;
	if (package)
		return eax & EAX_PACKAGE;
	return (eax & EAX_DIGITAL) && (c->regs->cpuid(1, 0).edx & EDX_ACPI_THERMAL);
}

/* A working sensor has a readout: the registers are never all 0. */
static enum counter_state thermal_detect(struct counters *c, const struct counter_row *row,
					 struct counter_slot *slot)
{
	uint64_t v;

	if (!exists(c, row->param == MSR_PACKAGE_STATUS) || !c->regs->rdmsr(row->param, &v))
		return COUNTER_ABSENT;
	slot->msr = row->param;
	return v ? COUNTER_FOUND : COUNTER_SILENT;
}

static bool thermal_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now)
{
	uint64_t v;

	if (!c->regs->rdmsr(slot->msr, &v))
		return false;
	*now = 0;
	for (unsigned i = 0; i < STATUSES; i++) {
		if (v >> statuses[i].bit & 1)
			*now |= statuses[i].throttle;
		if (v >> statuses[i].bit & 2)
			*now |= (uint64_t)statuses[i].throttle << THERM_LOG_SHIFT;
	}
	return true;
}

static uint64_t thermal_step(const struct counters *c, const struct counter_slot *slot,
			     uint64_t now)
{
	uint64_t rose = now & ~slot->last;

	(void)c;
	return (rose | rose >> THERM_LOG_SHIFT) & THERM_STATUS_MASK;
}

/* Logs are cleared by writing 0, statuses are read-only (SDM vol. 3, IA32_THERM_STATUS). */
static void thermal_clear(struct counters *c, const struct counter_slot *slot)
{
	c->regs->wrmsr(slot->msr, 0);
}

/* SDM vol. 3, "Machine-Check Global Control MSRs": banks by IA32_MCG_CAP[7:0]. */
static enum counter_state banks_detect(struct counters *c, const struct counter_row *row,
				       struct counter_slot *slot)
{
	uint32_t edx = c->regs->cpuid(1, 0).edx;
	uint64_t v;
	uint32_t banks;

	(void)row;
	if (!(edx & EDX_MCA) || !(edx & EDX_MCE) || !c->regs->rdmsr(MSR_MCG_CAP, &v))
		return COUNTER_ABSENT;
	banks = v & 0xff;
	slot->index = (uint8_t)(banks < BANKS_MAX ? banks : BANKS_MAX);
	return banks ? COUNTER_FOUND : COUNTER_ABSENT;
}

/* A mask of the banks whose status is valid. */
static bool banks_read(const struct counters *c, const struct counter_slot *slot, uint64_t *now)
{
	uint64_t v;

	*now = 0;
	for (uint32_t bank = 0; bank < slot->index; bank++) {
		if (c->regs->rdmsr(MSR_MC0_STATUS + bank * MC_STATUS_STEP, &v) &&
		    (v & MC_STATUS_VALID))
			*now |= UINT64_C(1) << bank;
	}
	return true;
}

static uint64_t banks_step(const struct counters *c, const struct counter_slot *slot, uint64_t now)
{
	(void)c;
	return now & ~slot->last;
}

const struct counter_ops counter_thermal_ops = {
	.detect = thermal_detect,
	.clear = thermal_clear,
	.read = thermal_read,
	.step = thermal_step,
};

const struct counter_ops counter_banks_ops = {
	.detect = banks_detect,
	.read = banks_read,
	.step = banks_step,
};
