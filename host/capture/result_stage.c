/* SPDX-License-Identifier: BSD-2-Clause */
/* Records, stored with their stage. */
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "result.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <stdlib.h>
#include <string.h>

static struct result_stage *stage_of(struct result *run, const char *name)
{
	const char *known = name ? name : "n/a";
	struct result_stage *stage = result_find_stage(run, known);

	if (stage || run->stages == RESULT_STAGES_MAX)
		return stage;
	stage = MEMORY_ADD(run->stage, run->stages);
	*stage = (struct result_stage){ .name = memory_text(known) };
	return stage;
}

static bool keep_state(struct result *run, const union record *record)
{
	struct result_stage *stage = stage_of(run, record->stage.stage);

	if (!stage || stage->has_state)
		return false;
	stage->state = record->stage;
	stage->has_state = true;
	return true;
}

static bool keep_window(struct result *run, const union record *record)
{
	const struct record_window *w = &record->window;
	struct result_stage *stage = stage_of(run, w->stage);

	ladder_add_window(&run->ladder, w);
	if (!stage || run->windows == RESULT_WINDOWS_MAX)
		return false;
	*MEMORY_ADD(stage->window, stage->windows) =
		(struct result_window){ w->n, w->windows, w->start_ns, w->len_ns, w->gaps };
	run->windows++;
	return true;
}

static bool keep_gap(struct result *run, const union record *record)
{
	const struct record_gap *g = &record->gap;
	struct result_stage *stage = stage_of(run, g->stage);

	if (!stage || run->gaps == RESULT_GAPS_MAX || g->cpu >= CPULIST_MAX)
		return false;
	*MEMORY_ADD(stage->gap, stage->gaps) = (struct result_gap){ g->t_ns, g->len_ns, g->cpu,
								    g->cause_id };
	run->gaps++;
	return true;
}

static enum event_scope scope_of(const char *name)
{
	unsigned scope = 0;

	while (scope < SCOPE_UNKNOWN &&
	       (!name || strcmp(event_scope_name((enum event_scope)scope), name) != 0))
		scope++;
	return (enum event_scope)scope;
}

/* Own copies of its strings, so that the record need not be kept. */
static struct record_event own_words(const struct record_event *e)
{
	struct record_event own = *e;
	enum cause cause;

	own.stage = own.list = NULL;
	own.scope = event_scope_name(scope_of(e->scope));
	own.cause = e->cause && cause_parse(e->cause, &cause) ? cause_name(cause) : NULL;
	return own;
}

static bool is_weaker(const struct record_event *a, const struct record_event *b)
{
	return a->len_ns < b->len_ns || (a->len_ns == b->len_ns && a->t_ns > b->t_ns);
}

/* The first of the longest to be replaced. */
static uint32_t weakest(const struct result_stage *stage)
{
	uint32_t weak = 0;

	for (uint32_t i = 1; i < stage->listed; i++) {
		if (is_weaker(&stage->longest[i], &stage->longest[weak]))
			weak = i;
	}
	return weak;
}

static void remove_listed(struct result_stage *stage, uint32_t n)
{
	stage->listed--;
	memmove(&stage->longest[n], &stage->longest[n + 1],
		(stage->listed - n) * sizeof(stage->longest[0]));
}

static void insert_by_time(struct result_stage *stage, const struct record_event *e)
{
	uint32_t at = stage->listed;

	while (at && stage->longest[at - 1].t_ns > e->t_ns)
		at--;
	memmove(&stage->longest[at + 1], &stage->longest[at],
		(stage->listed - at) * sizeof(stage->longest[0]));
	stage->longest[at] = *e;
	stage->listed++;
}

static bool keep_event(struct result *run, const union record *record)
{
	const struct record_event e = own_words(&record->event);
	struct result_stage *stage = stage_of(run, record->event.stage);

	if (!stage)
		return false;
	stage->of = e.of;
	stage->events++;
	stage->scope[scope_of(e.scope)]++;
	if (stage->listed == TABLE_EVENTS) {
		uint32_t weak = weakest(stage);

		if (!is_weaker(&stage->longest[weak], &e))
			return true;
		remove_listed(stage, weak);
	}
	insert_by_time(stage, &e);
	return true;
}

static bool keep_source(struct result *run, const union record *record)
{
	struct result_stage *stage = stage_of(run, record->source.stage);

	if (!stage || run->sources == RESULT_SOURCES_MAX)
		return false;
	*MEMORY_ADD(stage->source, stage->sources) = record->source;
	run->sources++;
	return true;
}

static void add_bound(struct result_stage *stage, uint64_t bound)
{
	if (bound > stage->bound[0]) {
		stage->bound[1] = stage->bound[0];
		stage->bound[0] = bound;
	} else if (bound > stage->bound[1]) {
		stage->bound[1] = bound;
	}
}

/* They come in rising order: most are higher than any before. */
static bool has_core(const struct result_stage *stage, uint32_t cpu)
{
	size_t n = stage->cpus;

	if (cpu > stage->highest)
		return false;
	while (n && stage->cpu[n - 1].cpu != cpu)
		n--;
	return n;
}

static bool keep_cpu(struct result *run, const union record *record)
{
	const struct record_cpu *cpu = &record->cpu;
	struct result_stage *stage = stage_of(run, cpu->stage);

	if (!stage || run->cpus == RESULT_CPUS_MAX || has_core(stage, cpu->cpu))
		return false;
	ladder_add(&run->ladder, cpu);
	*MEMORY_ADD(stage->cpu, stage->cpus) = *cpu;
	stage->gaps_counted = arith_sum(stage->gaps_counted, cpu->gaps);
	stage->dropped = arith_sum(stage->dropped, cpu->dropped);
	if (cpu->tsc_offset_bound.known)
		add_bound(stage, cpu->tsc_offset_bound.value);
	if (cpu->cpu > stage->highest)
		stage->highest = cpu->cpu;
	run->cpus++;
	return true;
}

static bool are_same(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}

bool result_stage_is_like(const struct record_stretch *a, const struct record_stretch *b)
{
	return are_same(a->kernel, b->kernel) && are_same(a->phase, b->phase);
}

bool result_stage_is_counted(const struct record_stretch *r)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < r->hist.count; i++) {
		if (i && r->hist.at[i][0] <= r->hist.at[i - 1][0])
			return false;
		sum = arith_sum(sum, r->hist.at[i][1]);
	}
	return sum == r->quanta && sum != UINT64_MAX;
}

/* Two of a core, kernel and phase would be one series twice. */
static bool has_stretch(const struct result_stage *stage, const struct record_stretch *r)
{
	size_t n = stage->stretches;

	while (n && (stage->stretch[n - 1].cpu != r->cpu ||
		     !result_stage_is_like(&stage->stretch[n - 1], r)))
		n--;
	return n;
}

static bool has_interfere(const struct result_stage *stage, const struct record_interfere *r)
{
	size_t n = stage->interferes;

	while (n && (stage->interfere[n - 1].victim != r->victim ||
		     stage->interfere[n - 1].aggressor != r->aggressor ||
		     !are_same(stage->interfere[n - 1].kernel, r->kernel)))
		n--;
	return n;
}

static bool keep_stretch(struct result *run, const union record *record)
{
	struct result_stage *stage = stage_of(run, record->stretch.stage);

	if (!stage || run->stretches == RESULT_STRETCH_MAX || has_stretch(stage, &record->stretch))
		return false;
	*MEMORY_ADD(stage->stretch, stage->stretches) = record->stretch;
	run->stretches++;
	return true;
}

static bool keep_interfere(struct result *run, const union record *record)
{
	struct result_stage *stage = stage_of(run, record->interfere.stage);

	if (!stage || run->interferes == RESULT_STRETCH_MAX ||
	    has_interfere(stage, &record->interfere))
		return false;
	*MEMORY_ADD(stage->interfere, stage->interferes) = record->interfere;
	run->interferes++;
	return true;
}

static bool (*const keepers[RECORD_TYPES])(struct result *run, const union record *record) = {
	[RECORD_STAGE] = keep_state,     [RECORD_WINDOW] = keep_window,
	[RECORD_GAP] = keep_gap,         [RECORD_EVENT] = keep_event,
	[RECORD_CPU] = keep_cpu,         [RECORD_SOURCE] = keep_source,
	[RECORD_STRETCH] = keep_stretch, [RECORD_INTERFERE] = keep_interfere,
};

bool result_stage_keep(struct result *run, enum record_type type, const union record *record)
{
	return keepers[type](run, record);
}

void result_stage_free(struct result_stage *stage)
{
	free(stage->name);
	free(stage->cpu);
	free(stage->source);
	free(stage->stretch);
	free(stage->interfere);
	free(stage->gap);
	free(stage->window);
}

/* ---- Gaps to events ---- */

#define HZ_MIN UINT64_C(1000000)
#define HZ_MAX UINT64_C(16000000000)

/* As far apart as two cores' clocks may be, up to the shortest gap: core/report/stage_events.c. */
uint64_t result_stage_slack(const struct result *run, const struct result_stage *stage)
{
	uint64_t ticks = stage->bound[0] + stage->bound[1], hz = run->begin.clock.hz;

	if (hz < HZ_MIN || hz > HZ_MAX || ticks < stage->bound[0])
		return 0;
	return arith_min(ticks_to_ns(ticks, hz), result_threshold(run));
}

bool result_stage_has_all_gaps(const struct result_stage *stage, struct text *why)
{
	uint64_t there = stage->gaps_counted;

	if (!stage->cpus)
		text_add(why, "no cpu record has the number of gaps");
	else if (stage->dropped)
		text_add(why, "%llu of %llu gaps did not fit into the list",
			 (unsigned long long)stage->dropped, (unsigned long long)there);
	else if (stage->gaps < there)
		text_add(why, "%llu of %llu gaps are in the report; gaps=all sends all",
			 (unsigned long long)stage->gaps, (unsigned long long)there);
	return !why->len;
}

static ORDER_BY(by_time, struct result_gap, t_ns);

/* As the probe sends them; sorting takes as much memory again. */
static bool is_sorted(const struct result_stage *stage)
{
	for (size_t i = 1; i < stage->gaps; i++) {
		if (stage->gap[i].t_ns < stage->gap[i - 1].t_ns)
			return false;
	}
	return true;
}

void result_stage_sort_gaps(struct result_stage *stage)
{
	if (!is_sorted(stage))
		qsort(stage->gap, stage->gaps, sizeof(*stage->gap), by_time);
}

void result_stage_merge(const struct result_stage *stage, uint32_t causes, uint64_t slack,
			event_sink *sink, void *ctx)
{
	static struct event_cpu cpu[CPULIST_MAX];
	static struct event_merge m;
	const struct event_setup setup = {
		.cpu = cpu,
		.cpus = CPULIST_MAX,
		.slack = slack,
		.complete_until = UINT64_MAX,
	};

	for (uint32_t i = 0; i < CPULIST_MAX; i++)
		cpu[i] = (struct event_cpu){ .index = i };
	event_merge_begin(&m, &setup, sink, ctx);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct result_gap *g = &stage->gap[i];
		struct event_gap gap = { g->t_ns, g->len_ns, g->cpu, g->cause };

		if (causes & 1u << g->cause)
			event_merge_add(&m, &gap);
	}
	event_merge_end(&m);
}

/* ---- Windows ---- */

/*
 * A record of k windows has the start of the first and the end of the last. The next record's start
 * gives the distance from start to start, and with it the length of each window.
 */

static ORDER_BY(by_window, struct result_window, n);

static uint64_t count_windows(const struct result_stage *stage)
{
	uint64_t count = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		if (!stage->window[i].windows ||
		    stage->window[i].windows > RESULT_WINDOWS_MAX - count)
			return 0;
		count += stage->window[i].windows;
	}
	return count;
}

/* From start to start, by the next record; 0 where it is unknown. */
static uint64_t distance(const struct result_stage *stage, size_t i)
{
	const struct result_window *w = &stage->window[i], *next = w + 1;

	if (i + 1 == stage->windows || next->start_ns < w->start_ns || next->n <= w->n)
		return 0;
	return (next->start_ns - w->start_ns) / (next->n - w->n);
}

/* `apart` is 0 where it is not known: then the windows are treated as one. */
static bool lay_record(const struct result_window *w, uint64_t apart, struct exposure *out)
{
	uint64_t others = w->windows - 1, length;

	if (w->start_ns + w->len_ns < w->start_ns)
		return false;
	if (others && (!apart || apart > w->len_ns / others))
		apart = w->len_ns / w->windows;
	length = w->len_ns - others * apart;
	if (others && length > apart)
		length = apart;
	for (uint64_t k = 0; k < w->windows; k++) {
		uint64_t start = w->start_ns + k * apart;

		if (!exposure_add(out, start, start + length))
			return false;
	}
	return true;
}

static bool lay(const struct result_stage *stage, struct exposure *out)
{
	uint64_t apart = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		uint64_t known = distance(stage, i);

		/* No record follows the last. */
		apart = known ? known : apart;
		if (!lay_record(&stage->window[i], apart, out))
			return false;
	}
	return true;
}

bool result_stage_exposure(struct result_stage *stage, struct exposure *out)
{
	uint64_t count = count_windows(stage);

	*out = (struct exposure){ 0 };
	if (!count)
		return false;
	qsort(stage->window, stage->windows, sizeof(*stage->window), by_window);
	out->window = memory_new(count, sizeof(*out->window));
	out->capacity = count;
	if (lay(stage, out))
		return true;
	free(out->window);
	*out = (struct exposure){ 0 };
	return false;
}
