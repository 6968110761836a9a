/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mode=survey: what the machine is, and how it is set. Nothing is armed, written or measured: each
 * core is read once, then what there is once.
 */
#include "core/config/mode.h"
#include "core/kinds/readiness/readiness_text.h"
#include "core/run/run.h"
#include "survey_cores.h"
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

/* Those that were read, in the order of cores: then they are all there is. */
static uint32_t gather(struct run *r, struct survey_room *room)
{
	const struct platform *p = r->platform;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!p->cpu[i].measured)
			continue;
		room->core[n] = room->core[i];
		room->number[n] = p->cpu[i].index;
		room->judge(&room->core[n], &room->values[n]);
		n++;
	}
	return n;
}

/* Whether two of all cores are threads of one; a guest's are what its host likes. */
static struct maybe smt(const struct platform *p)
{
	bool all = p->topology && p->whole && !p->hypervisor;

	for (uint32_t a = 0; all && a < p->cpus; a++) {
		all = p->cpu[a].measured && p->topology[a].known;
		for (uint32_t b = 0; all && b < a; b++)
			if (topology_same_core(&p->topology[a], &p->topology[b]))
				return (struct maybe){ 1, true };
	}
	return (struct maybe){ 0, all };
}

static struct maybe usb(const struct record_stage *state)
{
	return (struct maybe){ text_same(state->usb_owner, "bios"), state->usb_owner };
}

static void judge(struct run *r, struct survey_room *room, const struct record_stage *state)
{
	const char *first = state->firmware_first;
	struct maybe threads = smt(r->platform);

	room->readiness = (struct readiness){ room->values, room->number, gather(r, room) };
	for (uint32_t i = 0; i < room->readiness.cores; i++) {
		struct maybe *of = room->values[i].of;

		of[READINESS_SMT] = threads;
		of[READINESS_USB] = usb(state);
		of[READINESS_FIRMWARE_FIRST] = (struct maybe){ first && first[0], true };
	}
}

static void take_readiness(void *ctx, const struct record_readiness *record)
{
	struct report *r = ctx;
	TEXT_DEFINE(t, 300);

	report_record(r, RECORD_READINESS, record);
	readiness_text_row(&t, record);
	report_print(r, &t);
}

static void report_readiness(struct report *r, const struct readiness *of)
{
	TEXT_DEFINE(t, 200);

	readiness_text_head(&t);
	report_print(r, &t);
	readiness_records(of, r->stage, take_readiness, r);
	for (unsigned p = 0; p < READINESS_PROFILES; p++)
		report_text(r, "%s: %u ready, %u not ready, %u unknown",
			    readiness_profile_name((enum readiness_profile)p),
			    readiness_count(of, (enum readiness_profile)p, READINESS_READY),
			    readiness_count(of, (enum readiness_profile)p, READINESS_NOT_READY),
			    readiness_count(of, (enum readiness_profile)p, READINESS_UNKNOWN));
}

static void send_cores(struct survey_room *room)
{
	const struct readiness *of = &room->readiness;

	for (unsigned area = 0; area < SURVEY_AREAS; area++) {
		survey_cores_print(room->core, of->number, of->cores, (enum survey_area)area,
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
	judge(r, room, state);
	send_cores(room);
	room->machine(room->ctx, parts, &room->text);
	report_readiness(r->report, &room->readiness);
	report_text(r->report, "survey: %u parts of %llu bytes, %llu as they are sent",
		    parts->parts, (unsigned long long)parts->bytes,
		    (unsigned long long)parts->packed_bytes);
	r->report->turns++;
	if (p->between)
		p->between(p);
}

const struct mode mode_survey = {
	.name = "survey",
	.needs = "firmware to ask",
	.reads = true,
	.measure = measure,
};
