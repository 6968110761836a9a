/* SPDX-License-Identifier: BSD-2-Clause */
/* Records with random contents, all members set by hand: independent of the field tables. */
#pragma once

#include "draw.h"

#include "core/gaps/hist.h"
#include "core/records/record.h"

#include <stdint.h>
#include <string.h>

#define SOME_POOL  65536
#define SOME_PAIRS HIST_BUCKETS

struct some {
	uint64_t seed;
	size_t used;
	char pool[SOME_POOL];
	uint64_t pair[SOME_PAIRS][2];
};

/* The same seed gives the same records. */
static inline void some_start(struct some *s, uint64_t seed)
{
	s->seed = seed;
	s->used = 0;
}

static inline uint64_t some_bits(struct some *s)
{
	return draw_bits(&s->seed);
}

/* Of every size: small numbers and 2^64 - 1 alike. */
static inline uint64_t some_u64(struct some *s)
{
	return some_bits(s) >> some_bits(s) % 64;
}

static inline uint32_t some_u32(struct some *s)
{
	return (uint32_t)some_bits(s) >> some_bits(s) % 32;
}

static inline void some_maybe(struct some *s, struct maybe *m)
{
	m->known = some_bits(s) & 1;
	m->value = m->known ? some_u64(s) : 0;
}

/* ASCII without NUL, rich in what JSON has to escape. */
static inline const char *some_text(struct some *s, size_t bytes)
{
	static const char nasty[] = "\"\\{}[],:\n\r\t\b\x1b\x7f\x01";
	char *text = s->pool + s->used;

	for (size_t i = 0; i < bytes; i++) {
		if (some_bits(s) % 4)
			text[i] = (char)(' ' + some_bits(s) % 95);
		else
			text[i] = nasty[some_bits(s) % (sizeof(nasty) - 1)];
	}
	text[bytes] = '\0';
	s->used += bytes + 1;
	return text;
}

/* Sometimes absent, sometimes long. */
static inline const char *some_string(struct some *s)
{
	uint64_t dice = some_bits(s) % 16;

	if (dice == 0)
		return NULL;
	return some_text(s, some_bits(s) % (dice == 1 ? 180 : 30));
}

/* Short enough to stand on every line uncut, however it is escaped. */
static inline const char *some_key(struct some *s)
{
	return some_text(s, some_bits(s) % 10);
}

static inline void some_strings(struct some *s, const char **strings)
{
	uint64_t count = some_bits(s) % (RECORD_STRINGS + 1);

	for (uint64_t i = 0; i < count; i++)
		strings[i] = some_text(s, some_bits(s) % 100);
}

static inline void some_causes(struct some *s, struct cause_sum *sums)
{
	for (unsigned i = 0; i < CAUSES; i++) {
		bool any = some_bits(s) & 1;

		sums[i].gaps = any ? some_u64(s) : 0;
		sums[i].ns = any ? some_u64(s) : 0;
	}
}

static inline void some_pairs(struct some *s, struct record_pairs *pairs)
{
	pairs->count = some_bits(s) % 3 ? some_bits(s) % (SOME_PAIRS + 1) : 0;
	pairs->at = (const uint64_t(*)[2])s->pair;
	for (size_t i = 0; i < pairs->count; i++) {
		s->pair[i][0] = some_u64(s);
		s->pair[i][1] = some_u64(s);
	}
}

static inline void some_begin(struct some *s, struct record_begin *b)
{
	b->version = some_string(s);
	b->machine.vendor = some_string(s);
	b->machine.product = some_string(s);
	b->machine.board = some_string(s);
	b->machine.bios_vendor = some_string(s);
	b->machine.bios_version = some_string(s);
	b->machine.bios_date = some_string(s);
	b->machine.uuid = some_string(s);
	b->cpu.vendor = some_string(s);
	b->cpu.brand = some_string(s);
	b->cpu.family = some_u32(s);
	b->cpu.model = some_u32(s);
	b->cpu.stepping = some_u32(s);
	some_maybe(s, &b->cpu.microcode);
	b->hypervisor = some_string(s);
	b->os = some_string(s);
	b->cpus.found = some_u32(s);
	b->cpus.started = some_u32(s);
	b->cpus.measured = some_u32(s);
	b->cpus.apic_ids = some_string(s);
	some_maybe(s, &b->cpus.bringup_ns);
	b->clock.hz = some_u64(s);
	b->clock.source = some_string(s);
	b->clock.invariant = some_bits(s) & 1;
	some_maybe(s, &b->clock.quantum);
	b->clock.audited_by = some_string(s);
	some_maybe(s, &b->clock.audit_ppm);
	some_strings(s, b->evidence);
	b->config = some_string(s);
	b->begin_tsc = some_u64(s);
	b->began = some_string(s);
}

/* Names as the probe's own, which need no escaping. */
static inline void some_timers(struct some *s, struct period_timer *timers)
{
	static const char *const names[RECORD_TIMERS] = { "SWSMI timer 1.5 ms", "TCO timer 1.2 s",
							  "periodic SMI timer 8 s", "d" };
	uint64_t count = some_bits(s) % (RECORD_TIMERS + 1);

	for (uint64_t i = 0; i < count; i++)
		timers[i] = (struct period_timer){ names[i], some_u64(s) };
}

static inline void some_stage(struct some *s, struct record_stage *r)
{
	r->stage = some_key(s);
	some_maybe(s, &r->sci_en);
	r->usb_owner = some_string(s);
	r->usb = some_string(s);
	r->chipset = some_string(s);
	some_maybe(s, &r->smi_en);
	some_maybe(s, &r->smi_sts);
	r->smi_enabled = some_string(s);
	r->smi_status = some_string(s);
	r->tsc_adjust = some_string(s);
	r->firmware_first = some_string(s);
	some_timers(s, r->timers);
}

static inline void some_window(struct some *s, struct record_window *w)
{
	w->stage = some_key(s);
	w->n = some_u64(s);
	w->windows = some_u64(s);
	w->start_ns = some_u64(s);
	w->len_ns = some_u64(s);
	w->gaps = some_u64(s);
	w->noise_ns = some_u64(s);
	w->max_ns = some_u64(s);
	some_maybe(s, &w->smi);
	some_maybe(s, &w->nmi);
	some_maybe(s, &w->smi_out);
	some_maybe(s, &w->nmi_out);
}

static inline void some_gap(struct some *s, struct record_gap *g)
{
	g->stage = some_key(s);
	g->cpu = some_u32(s);
	g->start_tsc = some_u64(s);
	g->ticks = some_u64(s);
	g->t_ns = some_u64(s);
	g->len_ns = some_u64(s);
	g->cause_id = (enum cause)(some_bits(s) % CAUSES);
	g->cause = cause_name(g->cause_id);
	some_maybe(s, &g->smi);
	some_maybe(s, &g->nmi);
	some_maybe(s, &g->mce);
	g->why = some_string(s);
}

static inline void some_event(struct some *s, struct record_event *e)
{
	e->stage = some_key(s);
	e->of = some_u64(s);
	e->t_ns = some_u64(s);
	e->len_ns = some_u64(s);
	e->gaps = some_u64(s);
	e->cpus = some_u32(s);
	e->list = some_string(s);
	e->first = some_u32(s);
	e->last = some_u32(s);
	e->skew_ns = some_u64(s);
	e->end_skew_ns = some_u64(s);
	e->cause = some_string(s);
	e->scope = some_string(s);
	e->partial = some_bits(s) & 1;
}

static inline void some_cpu(struct some *s, struct record_cpu *c)
{
	c->stage = some_key(s);
	c->cpu = some_u32(s);
	c->apic_id = some_u32(s);
	some_maybe(s, &c->package);
	some_maybe(s, &c->core);
	some_maybe(s, &c->thread);
	c->core_type = some_string(s);
	c->proved = some_string(s);
	some_maybe(s, &c->tsc_offset_bound);
	c->tsc_offset = (int64_t)some_bits(s) >> some_bits(s) % 64;
	c->exposure_ns = some_u64(s);
	c->noise_ns = some_u64(s);
	c->max_ns = some_u64(s);
	c->gaps = some_u64(s);
	c->dropped = some_u64(s);
	some_maybe(s, &c->smi);
	some_maybe(s, &c->nmi);
	some_maybe(s, &c->mce);
	some_maybe(s, &c->smi_out);
	some_maybe(s, &c->nmi_out);
	some_causes(s, c->cause);
	c->interval_p50 = some_u64(s);
	c->interval_p999 = some_u64(s);
	some_pairs(s, &c->histogram);
}

static inline void some_source(struct some *s, struct record_source *r)
{
	r->stage = some_key(s);
	r->cause = some_string(s);
	r->period_ns = some_u64(s);
	r->jitter_ns = some_u64(s);
	r->fill_ppm = some_u32(s);
	r->events = some_u64(s);
	r->chance_milli = (int64_t)some_bits(s) >> some_bits(s) % 64;
	r->origin = some_string(s);
	r->hint = some_string(s);
}

static inline void some_pause(struct some *s, struct record_pause *p)
{
	p->stage = some_string(s);
	p->from_ns = some_u64(s);
	p->until_ns = some_u64(s);
	p->least_ns = some_u64(s);
	p->most_ns = some_u64(s);
	p->pauses = some_u64(s);
	p->worst_ns = some_u64(s);
	p->forward = some_u64(s) & 1;
	p->clock = some_string(s);
}

static inline void some_log(struct some *s, struct record_log *l)
{
	l->level = some_string(s);
	l->text = some_string(s);
}

/* Without `records`: the link fills them in. */
static inline void some_end(struct some *s, struct record_end *e)
{
	e->verdict = some_string(s);
	some_strings(s, e->reasons);
	e->remark = some_string(s);
	some_maybe(s, &e->sampled_ns);
	some_maybe(s, &e->watched_ppm);
	e->gaps_unsent = some_u64(s);
	some_maybe(s, &e->events_unsent);
}

static inline void some_stretch(struct some *s, struct record_stretch *r)
{
	uint64_t *numbers[] = { &r->quanta, &r->work, &r->best, &r->p50, &r->p90,
				&r->p99,    &r->p999, &r->max,  &r->mean };

	r->stage = some_key(s);
	r->kernel = some_key(s);
	r->phase = some_key(s);
	r->cpu = some_u32(s);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = some_u64(s);
	some_maybe(s, &r->min);
	some_maybe(s, &r->gaps);
	some_maybe(s, &r->clock);
	some_maybe(s, &r->cpi);
	some_maybe(s, &r->rest);
	some_pairs(s, &r->hist);
}

static inline void some_interfere(struct some *s, struct record_interfere *r)
{
	r->stage = some_key(s);
	r->kernel = some_key(s);
	r->victim = some_u32(s);
	r->aggressor = some_u32(s);
	r->group = some_string(s);
	r->ratio = some_u64(s);
	r->bound = some_u64(s);
}

static inline void some_survey(struct some *s, struct record_survey *r)
{
	r->stage = some_key(s);
	r->area = some_key(s);
	r->name = some_key(s);
	r->piece = some_u32(s);
	r->pieces = some_u32(s);
	r->bytes = some_u64(s);
	r->data = some_string(s);
}

static inline void some_fault(struct some *s, struct record_fault *r)
{
	struct maybe *maybes[] = {
		&r->cpu, &r->vector, &r->syndrome, &r->pc, &r->image, &r->address
	};

	r->stage = some_key(s);
	r->kind = some_key(s);
	r->what = some_string(s);
	for (size_t i = 0; i < sizeof(maybes) / sizeof(maybes[0]); i++)
		some_maybe(s, maybes[i]);
	r->doing = some_string(s);
	some_strings(s, r->steps);
}

static inline void some_service(struct some *s, struct record_service *r)
{
	struct maybe *maybes[] = { &r->status,
				   &r->min_ns,
				   &r->p50_ns,
				   &r->p99_ns,
				   &r->max_ns,
				   &r->smi,
				   &r->smi_quiet,
				   &r->smi_others,
				   &r->least_ns,
				   &r->longest_ns,
				   &r->control_longest_ns };
	uint64_t *numbers[] = { &r->calls,    &r->failed,           &r->overlaps,
				&r->controls, &r->control_overlaps, &r->unseen };

	r->stage = some_key(s);
	r->service = some_key(s);
	r->why = some_string(s);
	r->cause = some_string(s);
	r->cpu = some_u32(s);
	r->others = some_u32(s);
	r->stopped = some_u32(s);
	r->stops = some_u64(s) & 1;
	r->chance_milli = (int64_t)some_u64(s);
	for (size_t i = 0; i < sizeof(maybes) / sizeof(maybes[0]); i++)
		some_maybe(s, maybes[i]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		*numbers[i] = some_u64(s);
}

static inline void some_attest(struct some *s, struct record_attest *r)
{
	r->tpm = some_string(s);
	r->config = some_string(s);
	some_strings(s, r->lines);
	some_strings(s, r->started);
	r->pcrs = some_string(s);
	some_strings(s, r->values);
	r->key = some_string(s);
	r->quote = some_string(s);
	r->signature = some_string(s);
}

/* Fill a record of any type that has a struct; false for the others. */
static inline void some_summary(struct some *s, struct record_summary *r)
{
	const char **strings[] = { &r->version,
				   &r->arch,
				   &r->began,
				   &r->machine.vendor,
				   &r->machine.product,
				   &r->machine.board,
				   &r->machine.bios_vendor,
				   &r->machine.bios_version,
				   &r->machine.bios_date,
				   &r->machine.uuid,
				   &r->cpu,
				   &r->hypervisor,
				   &r->os,
				   &r->stages,
				   &r->limits,
				   &r->verdict,
				   &r->remark,
				   &r->longest_stage,
				   &r->longest_cause };
	struct maybe *maybes[] = { &r->microcode,  &r->sampled_ns,  &r->exposure_ns, &r->gaps,
				   &r->noise_ns,   &r->smi,         &r->nmi,         &r->mce,
				   &r->longest_ns, &r->longest_cpu, &r->stretch };

	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		*strings[i] = some_string(s);
	r->threshold_ns = some_u64(s);
	for (size_t i = 0; i < sizeof(maybes) / sizeof(maybes[0]); i++)
		some_maybe(s, maybes[i]);
	for (unsigned i = 0; i < CAUSES; i++)
		some_maybe(s, &r->longest[i]);
	r->found = some_u32(s);
	r->measured = some_u32(s);
	some_causes(s, r->cause);
}

static inline bool some_record(struct some *s, enum record_type type, union record *r)
{
	memset(r, 0, sizeof(*r));
	switch (type) {
	case RECORD_BEGIN:
		some_begin(s, &r->begin);
		return true;
	case RECORD_STAGE:
		some_stage(s, &r->stage);
		return true;
	case RECORD_WINDOW:
		some_window(s, &r->window);
		return true;
	case RECORD_GAP:
		some_gap(s, &r->gap);
		return true;
	case RECORD_EVENT:
		some_event(s, &r->event);
		return true;
	case RECORD_CPU:
		some_cpu(s, &r->cpu);
		return true;
	case RECORD_SOURCE:
		some_source(s, &r->source);
		return true;
	case RECORD_PAUSE:
		some_pause(s, &r->pause);
		return true;
	case RECORD_LOG:
		some_log(s, &r->log);
		return true;
	case RECORD_END:
		some_end(s, &r->end);
		return true;
	case RECORD_STRETCH:
		some_stretch(s, &r->stretch);
		return true;
	case RECORD_INTERFERE:
		some_interfere(s, &r->interfere);
		return true;
	case RECORD_SUMMARY:
		some_summary(s, &r->summary);
		return true;
	case RECORD_SURVEY:
		some_survey(s, &r->survey);
		return true;
	case RECORD_FAULT:
		some_fault(s, &r->fault);
		return true;
	case RECORD_SERVICE:
		some_service(s, &r->service);
		return true;
	case RECORD_ATTEST:
		some_attest(s, &r->attest);
		return true;
	default:
		return false;
	}
}
