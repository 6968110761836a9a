/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage in mode=services: service by service, in windows in which the boot core calls and all
 * others sample. Calls and controls are at random times, so that periodic events are beside both
 * equally often.
 */
#include "service_room.h"

#include "core/cause/cause.h"
#include "core/config/mode.h"
#include "core/gaps/gaplist.h"
#include "core/gaps/hist.h"
#include "core/kinds/fault/fault.h"
#include "core/kinds/service/service_record.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/sort.h"
#include "core/lib/splitmix.h"
#include "core/lib/ticks.h"
#include "core/records/record_kind.h"
#include "core/run/run.h"
#include "core/run/window.h"

#include <stdatomic.h>

/* Pause between two slots, ns: up to twice a millisecond, a timer's usual period. */
#define PAUSE_LEAST_NS 50000u
#define PAUSE_MOST_NS  2000000u

struct calling {
	struct run *run;
	struct service_room *room;
	atomic_bool calls;   /* a call is in progress */
	atomic_bool reports; /* another core examines the call, and reports it; the caller waits */
	bool is_late;        /* the call was reported as not returning */
	enum config_service service;
	uint64_t services; /* services of the stage */
	uint64_t wanted;   /* calls */
	unsigned controls; /* controls per call */
	uint64_t length;   /* duration of the last call, ticks */
	uint64_t called;   /* start of the last call, or of the service, ticks */
	uint64_t lot;
	size_t slots;    /* slots in this window */
	uint64_t smi[2]; /* on the calling core: in controls, in calls */
	struct service_tally together;
	uint64_t smi_others;
	struct record_service record;
};

size_t service_room_bytes(uint32_t cpus)
{
	return sizeof(struct service_room) + cpus * sizeof(struct service_tally);
}

struct service_room *service_room_lay(void *memory)
{
	struct service_room *room = memory;

	room->core = (void *)(room + 1);
	return room;
}

/* ---- In a window ---- */

static uint64_t wait_for(struct platform *p, uint64_t from, uint64_t ticks)
{
	uint64_t now;

	while ((now = p->now()) - from < ticks)
		p->relax();
	return now;
}

static void pause(struct calling *c)
{
	struct platform *p = c->run->platform;
	uint64_t ns = PAUSE_LEAST_NS + splitmix_next(&c->lot) % (PAUSE_MOST_NS - PAUSE_LEAST_NS);

	wait_for(p, p->now(), ticks_from_ns(ns, p->hz));
}

static void keep_call(struct calling *c, const struct service_call *call)
{
	struct record_service *r = &c->record;

	if (c->is_late && !call->fault)
		r->why = "a call took longer than the others sample";
	c->is_late = false;
	c->length = call->end - call->start;
	c->room->length[r->calls++] = c->length;
	if (call->fault)
		r->why = call->fault;
	if (!call->status && !call->fault)
		return;
	if (!r->failed++ && !call->fault)
		r->status = (struct maybe){ call->status, true };
}

static void fill_slot(struct calling *c, struct service_slot *slot)
{
	struct platform *p = c->run->platform;
	struct cpu *cpu = &p->cpu[0];
	struct service_call call = { 0 };
	uint32_t before;

	p->before_window(cpu);
	before = cpu->smi.last;
	if (slot->is_call) {
		atomic_store(&c->calls, true);
		c->room->call(c->room->ctx, c->service, &call);
		atomic_store(&c->calls, false);
		while (atomic_load(&c->reports))
			p->relax();
		c->called = call.start;
		keep_call(c, &call);
	} else {
		call.start = p->now();
		call.end = wait_for(p, call.start, c->length);
	}
	p->before_window(cpu);
	slot->start = call.start;
	slot->end = call.end;
	c->smi[slot->is_call] += cpu->smi.last - before;
}

/* Add a call and its controls, in random order. */
static void add_group(struct calling *c)
{
	/* The length of controls is known after the first call. */
	unsigned call = c->record.calls ? (unsigned)(splitmix_next(&c->lot) % (c->controls + 1))
					: 0;

	for (unsigned i = 0; i <= c->controls; i++) {
		struct service_slot *slot = &c->room->slot[c->slots++];

		pause(c);
		slot->is_call = i == call;
		fill_slot(c, slot);
	}
}

static bool wants_more(const struct calling *c)
{
	return !c->room->apart_ns && c->record.calls < c->wanted && !c->record.why &&
	       c->slots + c->controls + 1 <= SERVICE_SLOTS;
}

/* Called on another core after its window, as the boot core may never return. */
static void report_late(struct calling *c)
{
	struct report *r = c->run->report;
	const struct platform *p = c->run->platform;

	if (c->run->plan.end - c->run->plan.start < c->run->plan.length ||
	    atomic_exchange(&c->reports, true))
		return;
	if (atomic_load(&c->calls) && !c->is_late) {
		c->is_late = true;
		fault_report_wait(r, "a service of firmware",
				  (struct maybe){ p->cpu[0].index, true });
		report_log(r, "error", "%s has not returned for %u s", c->record.service,
			   SERVICE_GUARD_SECONDS);
		verdict_cut_short(&c->run->reasons, "%s has not returned", c->record.service);
		if (c->room->lost)
			c->room->lost(c->room->ctx);
	}
	atomic_store(&c->reports, false);
}

static void call_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct calling *c = arg;
	struct platform *p = team->platform;
	struct platform_window *plan = &c->run->plan;

	if (cpu->position != 0 && cpu->measured) {
		p->window(cpu, plan);
		report_late(c);
		return;
	}
	window_gather(cpu, c->run);
	if (cpu->position != 0)
		return;
	while ((int64_t)(p->now() - plan->start) < 0)
		p->relax();
	do
		add_group(c);
	while (wants_more(c) &&
	       p->now() - plan->start < ticks_from_ns(c->run->config->window_ns, p->hz));
	pause(c);
	window_end_at(p, plan, p->now());
}

/* ---- Behind it ---- */

static bool is_other(const struct cpu *cpu)
{
	return cpu->position != 0 && cpu->measured;
}

/* Add one of the window's groups; `weight` has the weight of each slot. */
static void add_tally(const struct calling *c, const uint64_t *weight, size_t first,
		      struct service_tally *t)
{
	uint64_t control[SERVICE_CONTROLS_MAX], call = 0;
	unsigned n = 0;

	for (unsigned i = 0; i <= c->controls; i++) {
		if (c->room->slot[first + i].is_call)
			call = weight[i];
		else
			control[n++] = weight[i];
	}
	service_tally_add(t, call, control, c->controls);
}

static void look_at_core(struct calling *c, const struct cpu *cpu, size_t slots)
{
	struct service_room *room = c->room;
	uint64_t weight[SERVICE_CONTROLS_MAX + 1];

	service_overlap(cpu, room->slot, slots, room->one);
	for (size_t s = 0; s < slots; s++) {
		const struct gap *g = room->one[s].longest;
		uint64_t ns = g ? ticks_to_ns(g->ticks, c->run->platform->hz) : 0;
		size_t n = s % (c->controls + 1);

		weight[n] = service_weight(&room->one[s]);
		if (n == c->controls)
			add_tally(c, weight, s - n, &room->core[cpu->position]);
		room->weight[s] = arith_max(room->weight[s], weight[n]);
		room->beside[s] = arith_max(room->beside[s], ns);
		if (!room->slot[s].is_call)
			continue;
		c->smi_others += room->one[s].smi;
		if (ns <= c->record.longest_ns.value)
			continue;
		c->record.longest_ns = (struct maybe){ ns, true };
		c->record.cause = cause_name((enum cause)g->cause);
	}
}

static void look_at_all(struct calling *c, size_t slots)
{
	struct record_service *r = &c->record;

	for (size_t s = 0; s < slots; s++) {
		const struct maybe ns = { c->room->beside[s], c->room->beside[s] != 0 };

		if (s % (c->controls + 1) == 0)
			add_tally(c, &c->room->weight[s], s, &c->together);
		if (!c->room->slot[s].is_call) {
			r->controls++;
			r->control_overlaps += ns.known;
		} else if (ns.known) {
			r->overlaps++;
			if (!r->least_ns.known || ns.value < r->least_ns.value)
				r->least_ns = ns;
		}
	}
}

static void services_run_look(struct calling *c)
{
	struct platform *p = c->run->platform;
	uint64_t until = gaplist_complete_until(p);
	size_t slots = c->slots;

	while (slots && c->room->slot[slots - 1].end > until)
		slots -= c->controls + 1;
	c->record.unseen += (c->slots - slots) / (c->controls + 1);
	memset(c->room->beside, 0, sizeof(c->room->beside));
	memset(c->room->weight, 0, sizeof(c->room->weight));
	for (uint32_t i = 0; i < p->cpus; i++) {
		if (!is_other(&p->cpu[i]))
			continue;
		look_at_core(c, &p->cpu[i], slots);
		p->cpu[i].stage.max = arith_max(p->cpu[i].stage.max, p->cpu[i].window.max);
	}
	look_at_all(c, slots);
}

/* Wait until apart_ns after the call, while no core samples. */
static void keep_apart(struct calling *c)
{
	struct platform *p = c->run->platform;

	while (p->now() - c->called < ticks_from_ns(c->room->apart_ns, p->hz))
		p->idle(&p->cpu[0]);
}

static void run_window(struct calling *c)
{
	struct platform *p = c->run->platform;

	for (uint32_t i = 0; i < p->cpus; i++)
		gap_ring_clear(&p->cpu[i].ring);
	c->slots = 0;
	keep_apart(c);
	run_count(c->run, false);
	team_do(&c->run->team, call_task, c, c->run->plan.length);
	run_count(c->run, true);
	services_run_look(c);
}

/* ---- A service ---- */

static struct maybe services_run_quantile(const struct calling *c, unsigned percent)
{
	uint64_t n = c->record.calls, shorter = hist_rank(n, 100 * percent) - 1;

	if (!n)
		return (struct maybe){ 0, false };
	return (struct maybe){ ticks_to_ns(c->room->length[shorter], c->run->platform->hz), true };
}

static void conclude_smi(struct calling *c)
{
	const struct platform *p = c->run->platform;
	const struct cpu_counter *own = &p->cpu[0].smi;
	struct record_service *r = &c->record;
	bool known = own->moved || (own->readable && own->last);

	r->smi = (struct maybe){ c->smi[1], known };
	r->smi_quiet = (struct maybe){ c->smi[0], known };
	r->smi_others = (struct maybe){ c->smi_others, r->others != 0 };
	for (uint32_t i = 0; i < p->cpus; i++)
		r->smi_others.known &= !is_other(&p->cpu[i]) ||
				       (p->cpu[i].smi.moved && !p->cpu[i].blind.gaps);
}

static void conclude_others(struct calling *c)
{
	const struct platform *p = c->run->platform;
	struct record_service *r = &c->record;

	r->chance_milli = service_chance(&c->together, c->controls);
	r->stops = service_is_significant(r->chance_milli, c->services);
	for (uint32_t i = 0; i < p->cpus; i++)
		r->stopped += is_other(&p->cpu[i]) &&
			      service_is_significant(service_chance(&c->room->core[i], c->controls),
						     c->services * r->others);
	r->stops |= r->stopped != 0;
}

static void conclude(struct calling *c)
{
	struct platform *p = c->run->platform;
	struct record_service *r = &c->record;

	sort_u64(c->room->length, (size_t)r->calls);
	r->min_ns = services_run_quantile(c, 0);
	r->p50_ns = services_run_quantile(c, 50);
	r->p99_ns = services_run_quantile(c, 99);
	r->max_ns = services_run_quantile(c, 100);
	p->cpu[0].call.value = arith_max(p->cpu[0].call.value, r->max_ns.value);
	p->cpu[0].call.known |= r->max_ns.known;
	conclude_smi(c);
	conclude_others(c);
}

static uint64_t calls_of(const struct config *c, enum config_service service)
{
	return service == SERVICE_SET_VARIABLE
		       ? arith_min(c->service_calls.value, c->service_writes.value)
		       : c->service_calls.value;
}

static uint32_t others(const struct platform *p)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->cpus; i++)
		count += is_other(&p->cpu[i]);
	return count;
}

static void begin_service(struct calling *c, enum config_service service)
{
	struct platform *p = c->run->platform;

	c->service = service;
	c->wanted = calls_of(c->run->config, service);
	c->controls = service_controls(c->wanted);
	c->length = 0;
	c->smi[0] = c->smi[1] = c->smi_others = 0;
	c->together = (struct service_tally){ 0, 0 };
	memset(c->room->core, 0, p->cpus * sizeof(*c->room->core));
	c->record = (struct record_service){ .stage = c->run->report->stage,
					     .service = config_service_name(service),
					     .cpu = p->cpu[0].index,
					     .others = others(p) };
	c->room->watched = c->record.others != 0;
}

static void report_service(struct calling *c)
{
	struct report *r = c->run->report;

	report_record(r, RECORD_SERVICE, &c->record);
	report_record_text(r, RECORD_SERVICE, &c->record);
	/* A service requested by name must exist. */
	if (c->record.why && (!c->run->config->services_all || c->service == SERVICE_SMI))
		verdict_cut_short(&c->run->reasons, "%s: %s", c->record.service, c->record.why);
	c->room->done[c->room->count++] = c->record;
	r->progress.turns++;
}

static void run_service(struct calling *c, enum config_service service)
{
	struct run *r = c->run;

	begin_service(c, service);
	c->record.why = c->room->open(c->room->ctx, service);
	c->called = r->platform->now();
	if (!c->record.why) {
		while (c->record.calls < c->wanted && !c->record.why && !r->over) {
			run_window(c);
			r->over = run_stop_requested(r);
		}
		c->room->close(c->room->ctx, service);
		conclude(c);
	}
	report_service(c);
	run_between(r);
}

/* ---- The stage ---- */

static uint32_t chosen(const struct config *c)
{
	return c->services | (uint32_t)c->smi.set << SERVICE_SMI;
}

static void services_run_clear(struct run *r)
{
	struct platform *p = r->platform;

	p->services->count = 0;
	/* A limit on calls applies to the calling core. */
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].call = (struct maybe){ 0, i != 0 };
}

static void report_sentences(struct run *r)
{
	const struct service_room *room = r->platform->services;
	TEXT_DEFINE(t, 400);

	for (unsigned i = 0; i < room->count; i++) {
		if (!room->done[i].calls)
			continue;
		service_record_sentence(&t, &room->done[i]);
		report_print(r->report, &t);
	}
}

static void refuse_alone(struct run *r)
{
	if (others(r->platform))
		return;
	report_log(r->report, "warning",
		   "services: only one core is measured: whom calls stop is not known");
	if (r->config->limit[LIMIT_MAX].set)
		verdict_cut_short(&r->reasons, "max cannot be judged: no other core sampled");
}

static void services_run_measure(struct run *r, const struct record_stage *state)
{
	struct platform *p = r->platform;
	uint32_t services = chosen(r->config);
	struct calling c = { .run = r, .room = p->services, .lot = p->now() };

	for (unsigned s = 0; s < SERVICES; s++)
		c.services += services >> s & 1;
	window_plan(r);
	r->plan.length = SERVICE_GUARD_SECONDS * p->hz;
	r->plan.stop = r->plan.stop_total = UINT64_MAX;
	services_run_clear(r);
	report_stage(r->report, state, c.services);
	run_between(r);
	refuse_alone(r);
	report_text(r->report, "%s", record_kind_of(RECORD_SERVICE)->head);
	for (unsigned s = 0; s < SERVICES && !r->over; s++)
		if (services >> s & 1)
			run_service(&c, (enum config_service)s);
	report_sentences(r);
	run_logs(r);
}

const struct mode mode_services = {
	.name = "services",
	.keeps_gaps = true,
	.calls = true,
	.measure = services_run_measure,
};
