/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of the performance monitors. Source: Arm ARM (DDI 0487), D17.5. */
#include "asm.h"
#include "counters_now.h"

#define EACH_EVENT(row) row(0) row(1) row(2) row(3) row(4) row(5)

#define READ(reg, name) \
	case PMU_##reg: \
		return sysreg_read(name);
#define READ_EVENT(n)                                     \
	case PMU_EVENT + n:                               \
		return sysreg_read("pmevcntr" #n "_el0"); \
	case PMU_EVENT_TYPE + n:                          \
		return sysreg_read("pmevtyper" #n "_el0");
#define WRITE(reg, name)                   \
	case PMU_##reg:                    \
		sysreg_write(name, value); \
		break;
#define WRITE_EVENT(n)                                      \
	case PMU_EVENT_TYPE + n:                            \
		sysreg_write("pmevtyper" #n "_el0", value); \
		break;

/* clang-format off */
static uint64_t pmu_regs_read(enum pmu_reg reg)
{
	switch ((unsigned)reg) {
	READ(DFR0, "id_aa64dfr0_el1")
	READ(PFR0, "id_aa64pfr0_el1")
	READ(MDCR_EL2, "mdcr_el2")
	READ(PMCR, "pmcr_el0")
	READ(ENABLE, "pmcntenset_el0")
	READ(CYCLES, "pmccntr_el0")
	READ(CYCLES_FILTER, "pmccfiltr_el0")
	EACH_EVENT(READ_EVENT)
	case PMU_EVENTS_THERE:
		return (uint32_t)sysreg_read("pmceid0_el0") | sysreg_read("pmceid1_el0") << 32;
	default:
		return 0;
	}
}

static void pmu_regs_write(enum pmu_reg reg, uint64_t value)
{
	switch ((unsigned)reg) {
	WRITE(MDCR_EL2, "mdcr_el2")
	WRITE(PMCR, "pmcr_el0")
	WRITE(ENABLE, "pmcntenset_el0")
	WRITE(DISABLE, "pmcntenclr_el0")
	WRITE(SILENCE, "pmintenclr_el1")
	WRITE(CYCLES_FILTER, "pmccfiltr_el0")
	EACH_EVENT(WRITE_EVENT)
	}
	isb();
}
/* clang-format on */

const struct pmu_regs pmu_regs_real = { .read = pmu_regs_read,
					.write = pmu_regs_write,
					.now = counters_now };
