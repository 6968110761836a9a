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

#define EACH_REGISTER(row)                                                                      \
	row(MIDR, "midr_el1", 0) row(MPIDR, "mpidr_el1", SURVEY_OWN_ID)                         \
		row(REVIDR, "revidr_el1", 0) row(PFR0, "id_aa64pfr0_el1", 0) row(               \
			PFR1, "id_aa64pfr1_el1", 0) row(DFR0, "id_aa64dfr0_el1", 0)             \
			row(DFR1, "id_aa64dfr1_el1", 0) row(ISAR0, "id_aa64isar0_el1", 0) row(  \
				ISAR1, "id_aa64isar1_el1", 0) row(MMFR0, "id_aa64mmfr0_el1", 0) \
				row(MMFR1, "id_aa64mmfr1_el1", 0) row(CTR, "ctr_el0", 0) row(   \
					CLIDR, "clidr_el1", 0) row(DCZID, "dczid_el0", 0)       \
					row(LEVEL, "CurrentEL", 0) row(CNTFRQ, "cntfrq_el0", 0) \
						row(CNTPCT, "cntpct_el0", SURVEY_MOVES)         \
							row(CNTVCT, "cntvct_el0", SURVEY_MOVES) \
								EACH_MONITOR(row)

/* This register is undefined if there are none. */
#define EACH_MONITOR(row)                                                                      \
	row(PMCR, "pmcr_el0", 0) row(PMCEID0, "pmceid0_el0", 0) row(PMCEID1, "pmceid1_el0", 0) \
		row(PMCNTENSET, "pmcntenset_el0", 0) row(PMCCNTR, "pmccntr_el0", SURVEY_MOVES) \
			row(PMCCFILTR, "pmccfiltr_el0", 0)

enum register_id {
#define ID(id, text, flags) REGISTER_##id,
	EACH_REGISTER(ID) REGISTERS
};

static const struct {
	const char *name;
	uint8_t flags;
} rows[REGISTERS] = {
#define ROW(id, text, bits) [REGISTER_##id] = { text, bits },
	EACH_REGISTER(ROW)
};

struct question {
	enum register_id id;
	uint64_t value;
};

static void survey_ask(void *question)
{
	struct question *q = question;

	switch (q->id) {
#define READ(id, text, flags)                 \
	case REGISTER_##id:                   \
		q->value = sysreg_read(text); \
		break;
		EACH_REGISTER(READ)
	default:
		break;
	}
}

static void read_register(struct survey_core *c, enum register_id id)
{
	struct question q = { .id = id };
	struct survey_reading r = {
		.area = SURVEY_SYSREG,
		.flags = rows[id].flags,
		.name = rows[id].name,
	};

	steps_note(rows[id].name);
	if (arch_try(survey_ask, &q))
		r.value[0] = id == REGISTER_MPIDR ? q.value & ~AFFINITY : q.value;
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
	for (unsigned id = 0; id < REGISTERS; id++)
		read_register(c, (enum register_id)id);
	add_evidence(c, "serror_count", true);
	add_evidence(c, "steal_clock", hypervisor_steals());
	add_evidence(c, "monitors", pmu_there(&pmu_regs_real));
}
