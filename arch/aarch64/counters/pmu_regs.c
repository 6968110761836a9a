/* SPDX-License-Identifier: BSD-2-Clause */
/* The registers of the performance monitors. Source: Arm ARM (DDI 0487), D17.5. */
#include "asm.h"
#include "counters_now.h"

#define EACH_EVENT(row) row(0) row(1) row(2) row(3) row(4) row(5)

#define READ_EVENT(n)                                     \
	case PMU_EVENT + n:                               \
		return sysreg_read("pmevcntr" #n "_el0"); \
	case PMU_EVENT_TYPE + n:                          \
		return sysreg_read("pmevtyper" #n "_el0");
#define WRITE_EVENT(n)                                      \
	case PMU_EVENT_TYPE + n:                            \
		sysreg_write("pmevtyper" #n "_el0", value); \
		break;

static uint64_t pmu_regs_read(enum pmu_reg reg)
{
	switch ((unsigned)reg) {
	case PMU_DFR0:
		return sysreg_read("id_aa64dfr0_el1");
	case PMU_PFR0:
		return sysreg_read("id_aa64pfr0_el1");
	case PMU_EVENTS_THERE:
		return (uint32_t)sysreg_read("pmceid0_el0") | sysreg_read("pmceid1_el0") << 32;
	case PMU_MDCR_EL2:
		return sysreg_read("mdcr_el2");
	case PMU_PMCR:
		return sysreg_read("pmcr_el0");
	case PMU_ENABLE:
		return sysreg_read("pmcntenset_el0");
	case PMU_CYCLES:
		return sysreg_read("pmccntr_el0");
	case PMU_CYCLES_FILTER:
		return sysreg_read("pmccfiltr_el0");
		EACH_EVENT(READ_EVENT)
	default:
		return 0;
	}
}

static void write(enum pmu_reg reg, uint64_t value)
{
	switch ((unsigned)reg) {
	case PMU_MDCR_EL2:
		sysreg_write("mdcr_el2", value);
		break;
	case PMU_PMCR:
		sysreg_write("pmcr_el0", value);
		break;
	case PMU_ENABLE:
		sysreg_write("pmcntenset_el0", value);
		break;
	case PMU_DISABLE:
		sysreg_write("pmcntenclr_el0", value);
		break;
	case PMU_SILENCE:
		sysreg_write("pmintenclr_el1", value);
		break;
	case PMU_CYCLES_FILTER:
		sysreg_write("pmccfiltr_el0", value);
		break;
		EACH_EVENT(WRITE_EVENT)
	}
	isb();
}

const struct pmu_regs pmu_regs_real = { .read = pmu_regs_read,
					.write = write,
					.now = counters_now };
