/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers read for a survey. arch/ fills it in on each core; the host tool fills it in from a
 * survey's lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Areas. Each is a part of the survey, named by survey_area_name(). */
enum survey_area {
	SURVEY_CPUID,    /* number, sub; EAX and EBX, ECX and EDX in value */
	SURVEY_MSR,      /* number; value[0] */
	SURVEY_SYSREG,   /* name; value[0] */
	SURVEY_APIC,     /* offset of a local APIC's register in number; value[0] */
	SURVEY_EVIDENCE, /* name; value[0] is enum survey_evidence */
	SURVEY_AREAS
};

enum survey_evidence {
	SURVEY_ABSENT, /* not on this processor, or a register of it faults */
	SURVEY_FOUND,  /* a run would arm it, and believe it once it has moved */
	SURVEY_BUSY,   /* the firmware uses it: a run leaves it alone */
	SURVEY_SILENT, /* present, but without a sensible value */
	SURVEY_EVIDENCES
};

#define SURVEY_FAULTED 1u /* reading it faults */
#define SURVEY_MOVES   2u /* a counter: only its presence is compared */
#define SURVEY_OWN_ID  4u /* the core's own id has been removed from the value */

struct survey_reading {
	uint8_t area, flags;
	uint32_t number, sub;
	const char *name; /* NULL: it has a number */
	uint64_t value[2];
};

/* Readings of a core, enough for the largest processors. */
#define SURVEY_READINGS_MAX 512

struct survey_core {
	struct survey_reading *at; /* room for SURVEY_READINGS_MAX; in a rising order of areas */
	uint32_t count;
	uint32_t left_out; /* number of readings without room */
};

/* "cpuid"; "absent". */
const char *survey_area_name(enum survey_area area);
const char *survey_evidence_name(enum survey_evidence state);

/* Append a reading, or count it as left out. */
void survey_add(struct survey_core *c, const struct survey_reading *r);

/* Get value[0] of the core's reading of this register; false if there is none, or if it faulted. */
bool survey_value(const struct survey_core *c, enum survey_area area, uint32_t number,
		  uint64_t *value);
