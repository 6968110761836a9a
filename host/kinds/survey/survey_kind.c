/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Survey records: how the machine is set, and each part's lines or, if it is not text, its length.
 * Nothing in a capture is trusted: sizes, numbers and letters are checked, deflate the rest.
 */
#define _GNU_SOURCE /* strsep */
#include "readiness.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/cpulist.h"
#include "core/lib/deflate.h"
#include "core/lib/letters.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- Parts, put together from their pieces and inflated ---- */

#define PART_BYTES_MAX (1u << 20) /* a longer one is refused */

struct part {
	const char *area, *name; /* from the record; "n/a" for NULL area */
	uint8_t *data;           /* NULL: it is damaged; else with a NUL behind it */
	size_t bytes;
	const char *problem; /* "a piece is missing"; NULL: none */
};

static bool is_part(const struct record_survey *a, const struct record_survey *b)
{
	return text_same(a->area, b->area) && text_same(a->name, b->name);
}

/* The end of the part that begins at `first`: the next piece 0, or a piece of another part. */
static size_t end_of(struct survey_records of, size_t first)
{
	size_t i = first + 1;

	while (i < of.count && of.at[i].piece && is_part(&of.at[i], &of.at[i - 1]))
		i++;
	return i;
}

static const char *inflate_all(struct part *p, const uint8_t *packed, size_t bytes)
{
	void *work = memory_new(1, DEFLATE_WORK_BYTES);
	size_t inflated;

	p->data = memory_new(p->bytes + 1, 1);
	inflated = deflate_unpack(p->data, p->bytes, packed, bytes, work);
	free(work);
	return inflated && inflated == p->bytes ? NULL : "it cannot be inflated";
}

/* Decode a piece, and append it to the *used bytes in `to`. False: it is damaged. */
static bool take_piece(uint8_t *to, size_t *used, const char *letters)
{
	size_t count = letters ? strlen(letters) : 0;

	if (!count || count > RECORD_LINE_MAX ||
	    letters_base45_read(to + *used, letters, count) != count)
		return false;
	*used += BASE45_BYTES(count);
	return true;
}

static const char *join(struct survey_records of, size_t first, size_t end, struct part *p)
{
	const struct record_survey *r = &of.at[first];
	uint32_t pieces = r->pieces;
	size_t used = 0;
	const char *problem = NULL;
	uint8_t *packed;

	if (r->bytes > PART_BYTES_MAX)
		return "it is too long";
	if (r->piece || !pieces || pieces > end - first)
		return "a piece is missing";
	p->bytes = (size_t)r->bytes;
	packed = memory_new(pieces, RECORD_LINE_MAX);
	for (uint32_t n = 0; n < pieces && !problem; n++) {
		const struct record_survey *piece = &of.at[first + n];

		if (piece->piece != n || piece->pieces != pieces)
			problem = "a piece is missing";
		else if (!take_piece(packed, &used, piece->data))
			problem = "a piece is damaged";
	}
	if (!problem)
		problem = inflate_all(p, packed, used);
	free(packed);
	return problem;
}

static void free_part(struct part *p)
{
	free(p->data);
	p->data = NULL;
}

/* Read the next part, in order of arrival, from *at = 0 on; to be freed. False past the last. */
static bool next_part(const struct result_stage *stage, size_t *at, struct part *p)
{
	const struct survey_records of = survey_records_of(stage);
	size_t first = *at;

	if (first == of.count)
		return false;
	*at = end_of(of, first);
	*p = (struct part){ .area = of.at[first].area ?: "n/a", .name = of.at[first].name };
	p->problem = join(of, first, *at, p);
	if (p->problem)
		free_part(p);
	return true;
}

/* True for lines of printable text. */
static bool is_text(const struct part *p)
{
	size_t i = 0;

	while (i < p->bytes && (p->data[i] == '\n' || isprint(p->data[i])))
		i++;
	return i == p->bytes;
}

/* ---- Readings of each core, out of lines of the parts: hostile input ---- */

/* Cores by number, each with room for its readings once it has one. */
struct cores {
	struct survey_core of[CPULIST_MAX];
};

static void survey_kind_add(struct cores *all, const struct survey_reading *r,
			    const struct cpulist *list)
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
		survey_kind_add(all, &r, &list);
}

static void take_part(struct cores *all, enum survey_area area, char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		take_line(all, area, line);
}

static void read_parts(struct cores *all, const struct result_stage *stage)
{
	static const enum survey_area areas[] = { SURVEY_CPUID, SURVEY_MSR, SURVEY_APIC };
	struct part part;

	for (size_t at = 0; next_part(stage, &at, &part);) {
		for (unsigned i = 0; part.data && i < sizeof(areas) / sizeof(areas[0]); i++)
			if (text_same(part.area, survey_area_name(areas[i])))
				take_part(all, areas[i], (char *)part.data);
		free_part(&part);
	}
}

/* Add what holds for the whole machine: SMT if one core has it, and the stage's own record. */
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

/* ---- The kind ---- */

static void put_lines(struct text *t, const char *lines)
{
	while (*lines) {
		size_t bytes = strcspn(lines, "\n");

		text_add(t, "  ");
		text_bytes(t, lines, bytes);
		text_sanitize_print(t);
		lines += bytes + (lines[bytes] == '\n');
	}
}

static void put_part(struct text *t, const struct part *p)
{
	bool lines = !p->problem && is_text(p);

	text_add(t, "survey %s%s%s: ", p->area, p->name ? " " : "", p->name ? p->name : "");
	if (p->problem)
		text_add(t, "%s", p->problem);
	else if (!lines)
		text_add(t, "%llu bytes", (unsigned long long)p->bytes);
	text_sanitize_print(t);
	if (lines)
		put_lines(t, (const char *)p->data);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	struct readiness readiness;
	struct part part;

	(void)run;
	readiness_of_stage(&readiness, stage);
	readiness_print(t, &readiness);
	readiness_free(&readiness);
	for (size_t at = 0; next_part(stage, &at, &part);) {
		put_part(t, &part);
		free_part(&part);
	}
}

const struct host_kind host_kind_survey = {
	.type = RECORD_SURVEY,
	.mode = &mode_survey,
	.title = "How the machine is set",
	.text = put_text,
};
