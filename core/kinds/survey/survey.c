/* SPDX-License-Identifier: BSD-2-Clause */
/* Readings of one core. */
#include "survey.h"

const char *survey_area_name(enum survey_area area)
{
	static const char *const names[SURVEY_AREAS] = {
		[SURVEY_CPUID] = "cpuid",       [SURVEY_MSR] = "msr",
		[SURVEY_SYSREG] = "sysreg",     [SURVEY_APIC] = "apic",
		[SURVEY_EVIDENCE] = "evidence",
	};

	return names[area];
}

const char *survey_evidence_name(enum survey_evidence state)
{
	static const char *const names[SURVEY_EVIDENCES] = {
		[SURVEY_ABSENT] = "absent",
		[SURVEY_FOUND] = "found",
		[SURVEY_BUSY] = "busy",
		[SURVEY_SILENT] = "silent",
	};

	return state < SURVEY_EVIDENCES ? names[state] : "unknown";
}

void survey_add(struct survey_core *c, const struct survey_reading *r)
{
	if (c->count == SURVEY_READINGS_MAX)
		c->left_out++;
	else
		c->at[c->count++] = *r;
}

bool survey_value(const struct survey_core *c, enum survey_area area, uint32_t number,
		  uint64_t *value)
{
	*value = 0;
	for (uint32_t i = 0; i < c->count; i++) {
		const struct survey_reading *r = &c->at[i];

		if (r->area != area || r->number != number || r->flags & SURVEY_FAULTED)
			continue;
		*value = r->value[0];
		return true;
	}
	return false;
}
