/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mode=survey: what the machine is. Nothing is armed, written or measured: each core is read once,
 * then what there is once. What it shows of how the machine is set is the host tool's to judge.
 */
#include "core/config/mode.h"
#include "core/run/run.h"
#include "survey_room.h"

#define READ_SECONDS 2 /* of a core; a guard */

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

/* Keep those that were read, in the order of cores: then they are all there is. */
static void gather(struct run *r, struct survey_room *room)
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
		survey_cores_print(room->core, room->number, room->cores, (enum survey_area)area,
				   &room->text);
		survey_parts_text(&room->parts, survey_area_name((enum survey_area)area),
				  &room->text);
	}
}

static void measure(struct run *r, const struct record_stage *state)
{
	struct platform *p = r->platform;
	struct survey_room *room = p->survey;
	struct survey_parts *parts = &room->parts;

	report_stage(r->report, state, 1);
	if (p->between)
		p->between(p);
	parts->report = r->report;
	parts->stage = r->report->stage;
	team_do(&r->team, read_task, room, READ_SECONDS * p->hz);
	log_left_out(r, room);
	gather(r, room);
	send_cores(room);
	room->machine(room->ctx, parts, &room->text);
	report_text(r->report,
		    "survey: %u parts of %llu bytes, %llu as they are sent; `noisefloor show` "
		    "lists them, and how the machine is set",
		    parts->parts, (unsigned long long)parts->bytes,
		    (unsigned long long)parts->packed_bytes);
	r->report->progress.turns++;
	if (p->between)
		p->between(p);
}

const struct mode mode_survey = {
	.name = "survey",
	.needs = "firmware to ask",
	.reads = true,
	.measure = measure,
};
