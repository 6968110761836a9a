/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a survey's parts, read back as readings of each core: hostile input. */
#include "readiness.h"

#include "survey_records.h"
#include "host/lib/memory.h"

#include "core/lib/cpulist.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 4096 /* a list of every second core of 4,096 is cut, and refused */

/* Cores by number, each with room for its readings once it has one. */
struct cores {
	struct survey_core of[CPULIST_MAX];
};

static void add(struct cores *all, const struct survey_reading *r, const struct cpulist *list)
{
	for (uint32_t n = 0; n <= cpulist_last(list); n++) {
		struct survey_core *c = &all->of[n];

		if (!cpulist_has(list, n))
			continue;
		if (!c->at)
			c->at = memory_new(SURVEY_READINGS_MAX, sizeof(*c->at));
		survey_add(c, r);
	}
}

/* "00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id"; "1a0 850089 0-3", "3a fault 0-3" */
static void take_line(struct cores *all, enum survey_area area, const char *line)
{
	struct survey_reading r = { .area = (uint8_t)area };
	uint32_t eax, ebx, ecx, edx;
	struct cpulist list;
	int at = 0;

	if (area == SURVEY_CPUID) {
		sscanf(line,
		       "%8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %8" SCNx32 " %8" SCNx32
		       " %n",
		       &r.number, &r.sub, &eax, &ebx, &ecx, &edx, &at);
		if (at)
			memcpy(r.value,
			       (uint64_t[]){ eax | (uint64_t)ebx << 32, ecx | (uint64_t)edx << 32 },
			       sizeof(r.value));
	} else {
		sscanf(line, "%8" SCNx32 " %16" SCNx64 " %n", &r.number, &r.value[0], &at);
	}
	if (at && cpulist_parse(&list, line + at, strcspn(line + at, " ")))
		add(all, &r, &list);
}

static void take_part(struct cores *all, enum survey_area area, const char *lines)
{
	char line[LINE_MAX_BYTES];

	for (; *lines; lines += *lines == '\n') {
		size_t bytes = strcspn(lines, "\n");

		if (bytes < sizeof(line)) {
			memcpy(line, lines, bytes);
			line[bytes] = '\0';
			take_line(all, area, line);
		}
		lines += bytes;
	}
}

static void read_parts(struct cores *all, const struct result_stage *stage)
{
	static const enum survey_area areas[] = { SURVEY_CPUID, SURVEY_MSR, SURVEY_APIC };
	struct survey_records_part part;

	for (size_t at = 0; survey_records_next(stage, &at, &part);) {
		for (unsigned i = 0; part.data && i < sizeof(areas) / sizeof(areas[0]); i++)
			if (text_same(part.area, survey_area_name(areas[i])))
				take_part(all, areas[i], (const char *)part.data);
		survey_records_free(&part);
	}
}

/* What the stage's own record has of the whole machine; threads of one core are enough. */
static void add_machine(struct readiness *r, const struct record_stage *state)
{
	struct maybe smt = { 0, false };

	for (uint32_t i = 0; i < r->cores; i++) {
		struct maybe own = r->core[i].of[READINESS_SMT];

		smt.known |= own.known;
		smt.value |= own.value;
	}
	for (uint32_t i = 0; i < r->cores; i++) {
		struct maybe *of = r->core[i].of;

		of[READINESS_SMT] = smt;
		of[READINESS_USB] = (struct maybe){ text_same(state->usb_owner, "bios"),
						    state->usb_owner };
		of[READINESS_FIRMWARE_FIRST] =
			(struct maybe){ state->firmware_first && state->firmware_first[0], true };
	}
}

void readiness_of_stage(struct readiness *r, const struct result_stage *stage)
{
	struct cores *all = memory_new(1, sizeof(*all));

	*r = (struct readiness){ .cores = 0 };
	read_parts(all, stage);
	for (uint32_t n = 0; n < CPULIST_MAX; n++) {
		if (!all->of[n].at)
			continue;
		*MEMORY_ADD(r->number, r->cores) = n;
		r->core = memory_grow(r->core, r->cores - 1, sizeof(*r->core));
		readiness_x86(&all->of[n], &r->core[r->cores - 1]);
		free(all->of[n].at);
	}
	free(all);
	add_machine(r, &stage->state);
}

void readiness_free(struct readiness *r)
{
	free(r->core);
	free(r->number);
	*r = (struct readiness){ .cores = 0 };
}
