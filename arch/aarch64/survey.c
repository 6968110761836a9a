/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a core for a survey: its identification registers, its clock, its performance monitors.
 * Source: Arm ARM (DDI 0487), D17.2 and D17.5. A higher level may reserve any of them.
 */
#include "arch/arch.h"
#include "asm.h"
#include "core/lib/steps.h"
#include "hypervisor.h"
#include "percpu.h"

#define AFFINITY UINT64_C(0xff00ffffff) /* affinity fields of MPIDR_EL1 */

/* All with their flags. The monitors' registers, from PMCR on, are undefined if there are none. */
/* clang-format off */
#define SURVEY_REGISTERS(row)                                                           \
	row(midr_el1, 0) row(mpidr_el1, SURVEY_OWN_ID) row(revidr_el1, 0)               \
	row(id_aa64pfr0_el1, 0) row(id_aa64pfr1_el1, 0)                                 \
	row(id_aa64dfr0_el1, 0) row(id_aa64dfr1_el1, 0)                                 \
	row(id_aa64isar0_el1, 0) row(id_aa64isar1_el1, 0)                               \
	row(id_aa64mmfr0_el1, 0) row(id_aa64mmfr1_el1, 0)                               \
	row(ctr_el0, 0) row(clidr_el1, 0) row(dczid_el0, 0) row(CurrentEL, 0)           \
	row(cntfrq_el0, 0) row(cntpct_el0, SURVEY_MOVES) row(cntvct_el0, SURVEY_MOVES)  \
	row(pmcr_el0, 0) row(pmceid0_el0, 0) row(pmceid1_el0, 0) row(pmcntenset_el0, 0) \
	row(pmccntr_el0, SURVEY_MOVES) row(pmccfiltr_el0, 0)
/* clang-format on */

#define READER(name, bits)                               \
	static void read_##name(void *value)             \
	{                                                \
		*(uint64_t *)value = sysreg_read(#name); \
	}
SURVEY_REGISTERS(READER)

static const struct row {
	const char *name;
	void (*read)(void *value);
	uint8_t flags;
} rows[] = {
#define ROW(name, bits) { #name, read_##name, bits },
	SURVEY_REGISTERS(ROW)
};

static void read_register(struct survey_core *c, const struct row *row)
{
	uint64_t value = 0;
	struct survey_reading r = {
		.area = SURVEY_SYSREG,
		.flags = row->flags,
		.name = row->name,
	};

	steps_note(row->name);
	if (arch_try(row->read, &value))
		r.value[0] = row->flags & SURVEY_OWN_ID ? value & ~AFFINITY : value;
	else
		r.flags = SURVEY_FAULTED;
	survey_add(c, &r);
}

static void add_evidence(struct survey_core *c, const char *name, bool found)
{
	survey_add(c, &(struct survey_reading){
			      .area = SURVEY_EVIDENCE,
			      .name = name,
			      .value = { found ? SURVEY_FOUND : SURVEY_ABSENT },
		      });
}

void arch_survey(struct survey_core *c, uint64_t hz)
{
	(void)hz;
	c->count = c->left_out = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		read_register(c, &rows[i]);
	add_evidence(c, "serror_count", true);
	add_evidence(c, "steal_clock", hypervisor_steals());
	add_evidence(c, "monitors", pmu_there(&pmu_regs_real));
}
