/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mode=survey: reads the machine. Nothing is armed, written or measured: each core is read once,
 * then the parts that the machine has only once. The host tool judges the settings.
 */
#include "survey_room.h"

#include "core/config/mode.h"
#include "core/lib/cpulist.h"
#include "core/lib/letters.h"
#include "core/lib/mem.h"
#include "core/run/run.h"

#define READ_SECONDS 2 /* limit per core; a guard */

/* ---- Pieces that fit a record ---- */

void survey_parts_add(struct survey_parts *p, const char *area, const char *name, const void *data,
		      size_t bytes)
{
	struct record_survey record = { p->stage, area, name, .bytes = bytes };
	TEXT_DEFINE(letters, BASE45_CHARS(SURVEY_PIECE_BYTES) + 1);
	size_t packed;

	if (bytes > SURVEY_PART_BYTES) {
		report_log(p->report, "warning",
			   "survey: %s %s has %llu bytes, at most %u are sent; left out", area,
			   name ? name : "", (unsigned long long)bytes, SURVEY_PART_BYTES);
		return;
	}
	packed = deflate_pack(p->packed, DEFLATE_BYTES_MAX(SURVEY_PART_BYTES), data, bytes,
			      p->work);
	record.pieces = (uint32_t)((packed + SURVEY_PIECE_BYTES - 1) / SURVEY_PIECE_BYTES);
	record.data = letters.buf;
	for (; record.piece < record.pieces; record.piece++) {
		size_t from = record.piece * SURVEY_PIECE_BYTES, left = packed - from;

		text_reset(&letters);
		letters_base45_add(&letters, p->packed + from,
				   left < SURVEY_PIECE_BYTES ? left : SURVEY_PIECE_BYTES);
		report_record(p->report, RECORD_SURVEY, &record);
	}
	p->parts++;
	p->bytes += bytes;
	p->packed_bytes += packed;
}

void survey_parts_text(struct survey_parts *p, const char *area, struct text *t)
{
	if (t->overflow)
		report_log(p->report, "warning", "survey: %s is cut at %llu bytes", area,
			   (unsigned long long)t->len);
	if (t->len)
		survey_parts_add(p, area, NULL, t->buf, t->len);
	text_reset(t);
}

/* ---- Equal readings of several cores are one line ---- */

#define PRINTED 0x80u /* a flag of a reading */

static bool is_key(const struct survey_reading *a, const struct survey_reading *b)
{
	if (a->area != b->area || a->number != b->number || a->sub != b->sub)
		return false;
	return a->name == b->name || text_same(a->name, b->name);
}

static bool is_same(const struct survey_reading *a, const struct survey_reading *b)
{
	if ((a->flags ^ b->flags) & ~PRINTED)
		return false;
	return a->flags & (SURVEY_MOVES | SURVEY_FAULTED) ||
	       !memcmp(a->value, b->value, sizeof(a->value));
}

/* The core's reading of the same register; cores of one type have it at the same index. */
static struct survey_reading *survey_run_find(const struct survey_core *c,
					      const struct survey_reading *of, uint32_t place)
{
	if (place < c->count && is_key(&c->at[place], of))
		return &c->at[place];
	for (uint32_t i = 0; i < c->count; i++)
		if (is_key(&c->at[i], of))
			return &c->at[i];
	return NULL;
}

static void put_leaf(struct text *t, const struct survey_reading *r)
{
	text_add(t, "%08x %x %08x %08x %08x %08x", (unsigned)r->number, (unsigned)r->sub,
		 (unsigned)r->value[0], (unsigned)(r->value[0] >> 32), (unsigned)r->value[1],
		 (unsigned)(r->value[1] >> 32));
}

static void put_value(struct text *t, const struct survey_reading *r)
{
	if (r->name)
		text_add(t, "%s ", r->name);
	else
		text_add(t, "%x ", (unsigned)r->number);
	if (r->flags & SURVEY_FAULTED)
		text_add(t, "fault");
	else if (r->flags & SURVEY_MOVES)
		text_add(t, "moves");
	else if (r->area == SURVEY_EVIDENCE)
		text_add(t, "%s", survey_evidence_name((enum survey_evidence)r->value[0]));
	else
		text_add(t, "%llx", (unsigned long long)r->value[0]);
}

static void put_line(struct text *t, const struct survey_reading *r, const struct cpulist *cores)
{
	if (r->area == SURVEY_CPUID)
		put_leaf(t, r);
	else
		put_value(t, r);
	text_char(t, ' ');
	cpulist_print(cores, t);
	text_add(t, "%s\n", r->flags & SURVEY_OWN_ID ? " id" : "");
}

/* Print the lines of one area, and mark its readings: an area can be printed only once. */
static void print_area(struct survey_room *room, enum survey_area area)
{
	struct survey_core *core = room->core;
	uint32_t cores = room->cores;
	struct cpulist list;

	for (uint32_t c = 0; c < cores; c++) {
		for (uint32_t i = 0; i < core[c].count; i++) {
			struct survey_reading *r = &core[c].at[i], *other;

			if (r->area != area || r->flags & PRINTED)
				continue;
			cpulist_clear(&list);
			for (uint32_t n = c; n < cores; n++) {
				other = survey_run_find(&core[n], r, i);
				if (!other || !is_same(other, r))
					continue;
				other->flags |= PRINTED;
				cpulist_add(&list, room->number[n]);
			}
			put_line(&room->text, r, &list);
		}
	}
}

/* ---- The stage ---- */

static void read_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct survey_room *room = arg;

	(void)team;
	if (cpu->measured)
		room->read(cpu, &room->core[cpu->position]);
}

static void log_left_out(struct run *r, const struct survey_room *room)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < r->platform->cpus; i++)
		if (room->core[i].left_out > most)
			most = room->core[i].left_out;
	if (most)
		report_log(r->report, "warning",
			   "survey: up to %u registers of a core are left out: there is no room",
			   (unsigned)most);
}

/* Keep the cores that were read, in order; from then on only these exist. */
static void survey_run_gather(struct run *r, struct survey_room *room)
{
	const struct platform *p = r->platform;

	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured)
			continue;
		room->core[room->cores] = room->core[i];
		room->number[room->cores++] = p->cpu[i].index;
	}
}

static void send_cores(struct survey_room *room)
{
	for (unsigned area = 0; area < SURVEY_AREAS; area++) {
		print_area(room, (enum survey_area)area);
		survey_parts_text(&room->parts, survey_area_name((enum survey_area)area),
				  &room->text);
	}
}

static void survey_run_measure(struct run *r, const struct record_stage *state)
{
	struct survey_room *room = r->platform->survey;
	struct survey_parts *parts = &room->parts;

	report_stage(r->report, state, 1);
	run_between(r);
	parts->report = r->report;
	parts->stage = r->report->stage;
	team_do(&r->team, read_task, room, READ_SECONDS * r->platform->hz);
	log_left_out(r, room);
	survey_run_gather(r, room);
	send_cores(room);
	room->machine(room->ctx, parts, &room->text);
	report_text(r->report,
		    "survey: %u parts of %llu bytes, %llu as they are sent; `noisefloor show` "
		    "lists them, and how the machine is set",
		    parts->parts, (unsigned long long)parts->bytes,
		    (unsigned long long)parts->packed_bytes);
	r->report->progress.turns++;
	run_between(r);
}

const struct mode mode_survey = {
	.name = "survey",
	.needs = "firmware to ask",
	.reads = true,
	.measure = survey_run_measure,
};
