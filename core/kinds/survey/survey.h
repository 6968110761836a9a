/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a core was asked for a survey, register by register. arch/ fills it in on each core;
 * the host tool fills it in from a survey's lines.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Each is a part of the survey, by the name that survey_area_name() has. */
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
	SURVEY_SILENT, /* there, and without a sensible value */
	SURVEY_EVIDENCES
};

#define SURVEY_FAULTED 1u /* the processor refuses to give it */
#define SURVEY_MOVES   2u /* it counts: that it can be read is all that counts */
#define SURVEY_OWN_ID  4u /* the core's own id, which stood in it, is taken out */

struct survey_reading {
	uint8_t area, flags;
	uint32_t number, sub;
	const char *name; /* NULL: it has a number */
	uint64_t value[2];
};

/* Readings of a core, all that the largest processors have. */
#define SURVEY_READINGS_MAX 512

struct survey_core {
	struct survey_reading *at; /* room for SURVEY_READINGS_MAX; in a rising order of areas */
	uint32_t count;
	uint32_t left_out; /* there was no room for these */
};

/* "cpuid"; "absent". */
const char *survey_area_name(enum survey_area area);
const char *survey_evidence_name(enum survey_evidence state);

/* Append a reading, or count it as left out. */
void survey_add(struct survey_core *c, const struct survey_reading *r);

/* The core's reading of that register that did not fault, value[0]; else false. */
bool survey_value(const struct survey_core *c, enum survey_area area, uint32_t number,
		  uint64_t *value);
