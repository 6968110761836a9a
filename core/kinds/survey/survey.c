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

static const struct survey_reading *find(const struct survey_core *c, enum survey_area area,
					 uint32_t number, uint32_t sub)
{
	for (uint32_t i = 0; i < c->count; i++) {
		const struct survey_reading *r = &c->at[i];

		if (r->area == area && r->number == number && r->sub == sub &&
		    !(r->flags & SURVEY_FAULTED))
			return r;
	}
	return NULL;
}

bool survey_value(const struct survey_core *c, enum survey_area area, uint32_t number,
		  uint64_t *value)
{
	const struct survey_reading *r = find(c, area, number, 0);

	*value = r ? r->value[0] : 0;
	return r;
}

struct survey_leaf survey_leaf(const struct survey_core *c, uint32_t leaf, uint32_t sub)
{
	const struct survey_reading *r = find(c, SURVEY_CPUID, leaf, sub);

	if (!r)
		return (struct survey_leaf){ 0 };
	return (struct survey_leaf){ (uint32_t)r->value[0], (uint32_t)(r->value[0] >> 32),
				     (uint32_t)r->value[1], (uint32_t)(r->value[1] >> 32) };
}
