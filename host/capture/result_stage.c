/* SPDX-License-Identifier: BSD-2-Clause */
/* Records, stored with their stage, and what its gaps, windows and histograms show. */
#include "result.h"

#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct result_stage *result_stage_of(struct result *run, const char *name)
{
	const char *known = name ? name : "n/a";
	struct result_stage *stage = result_find_stage(run, known);

	if (stage || run->stages == RESULT_STAGES_MAX)
		return stage;
	stage = MEMORY_ADD(run->stage, run->stages);
	*stage = (struct result_stage){ .name = memory_text(known) };
	return stage;
}

/* Two records with the same keys would be one series twice. */
static bool has_record(const struct result_stage *stage, enum record_type type, const void *record)
{
	const struct record_field *fields = record_fields(type), *f;
	size_t n = stage->kept[type].count;

	while (n--) {
		for (f = fields; f->kind != FIELD_END; f++)
			if (f->key &&
			    !record_decode_same(f, result_stage_record(stage, type, n), record))
				break;
		if (f->kind == FIELD_END)
			return true;
	}
	return false;
}

/* Keep a record as it is. The first field of these types is the stage. */
static bool add_record(struct result *run, enum record_type type, const void *record)
{
	const char *name = record_field_string(record_fields(type), record);
	struct result_stage *stage = result_stage_of(run, name);
	struct result_list *list = stage ? &stage->kept[type] : NULL;

	if (!list || run->kept[type] == RESULT_KEPT_MAX || has_record(stage, type, record))
		return false;
	list->bytes = record_decode_bytes(type);
	list->at = memory_grow(list->at, list->count, list->bytes);
	memcpy((char *)list->at + list->count++ * list->bytes, record, list->bytes);
	run->kept[type]++;
	return true;
}

bool result_stage_keep(struct result *run, enum record_type type, const union record *record)
{
	const struct host_kind *kind = host_kind_of(type);

	if (!kind)
		return true;
	return kind->keep ? kind->keep(run, record) : add_record(run, type, record);
}

const struct record_service *result_stage_service(struct service_records of, const char *service)
{
	for (size_t i = 0; i < of.count; i++)
		if (text_same(of.at[i].service, service))
			return &of.at[i];
	return NULL;
}

bool result_stage_cores(const struct result_stage *stage, const struct host_kind *kind,
			struct cpulist *list)
{
	bool gaps = kind->type == RECORD_CPU;
	size_t count = gaps ? stage->cpus : stage->kept[kind->type].count;

	for (size_t i = 0; list && kind->cpu && i < count; i++) {
		const char *record = gaps ? (const void *)&stage->cpu[i]
					  : result_stage_record(stage, kind->type, i);

		cpulist_add(list, *(const uint32_t *)(const void *)(record + kind->cpu));
	}
	return kind->mode && count;
}

bool result_stage_is_measured(const struct result_stage *stage)
{
	const struct host_kind *kind;
	size_t n = 0;

	while ((kind = host_kind_at(n)) && !result_stage_cores(stage, kind, NULL))
		n++;
	return kind;
}

void result_stage_free(struct result_stage *stage)
{
	free(stage->name);
	free(stage->cpu);
	free(stage->source);
	free(stage->gap);
	free(stage->window);
	for (unsigned type = 0; type < RECORD_TYPES; type++)
		free(stage->kept[type].at);
}

/* ---- Gaps to events ---- */

#define HZ_MIN UINT64_C(1000000)
#define HZ_MAX UINT64_C(16000000000)

/* Two cores' clocks may be so far apart, up to the shortest gap: core/report/report_events.c. */
uint64_t result_stage_slack(const struct result *run, const struct result_stage *stage)
{
	uint64_t ticks = stage->bound[0] + stage->bound[1], hz = run->begin.clock.hz;

	if (hz < HZ_MIN || hz > HZ_MAX || ticks < stage->bound[0])
		return 0;
	return arith_min(ticks_to_ns(ticks, hz), result_threshold(run));
}

enum event_scope result_scope(const char *name)
{
	unsigned scope = 0;

	while (scope < SCOPE_UNKNOWN && !text_same(event_scope_name((enum event_scope)scope), name))
		scope++;
	return (enum event_scope)scope;
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

/* The probe sends gaps sorted; sorting takes as much memory again. */
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
			result_stage_sink *sink, void *ctx)
{
	static struct event_cpu cpu[CPULIST_MAX];
	static struct event_merge m;
	struct event closed;
	const struct event_setup setup = {
		.cpu = cpu,
		.cpus = CPULIST_MAX,
		.slack = slack,
		.complete_until = UINT64_MAX,
	};

	for (uint32_t i = 0; i < CPULIST_MAX; i++)
		cpu[i] = (struct event_cpu){ .index = i };
	event_merge_begin(&m, &setup);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct result_gap *g = &stage->gap[i];
		struct event_gap gap = { g->t_ns, g->len_ns, g->cpu };

		if (causes & 1u << g->cause && event_merge_add(&m, &gap, &closed))
			sink(ctx, &closed);
	}
	if (event_merge_end(&m, &closed))
		sink(ctx, &closed);
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

/* The time between the starts of windows, ns, by the next record; 0 where it is unknown. */
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

/* ---- Lengths out of a record's histogram, which may hold anything ---- */

uint64_t quantile_bucket_end(uint64_t low, uint64_t max_ns)
{
	return arith_max(low, arith_min(arith_sum(low, low / 64 + 2), max_ns));
}

uint64_t quantile_count(const struct record_pairs *h)
{
	uint64_t count = 0;

	for (size_t i = 0; i < h->count; i++)
		count = arith_sum(count, h->at[i][1]);
	return count;
}

bool quantile_is_rising(const struct record_pairs *h)
{
	for (size_t i = 1; i < h->count; i++) {
		if (h->at[i][0] <= h->at[i - 1][0])
			return false;
	}
	return true;
}

static const struct {
	const char *name;
	unsigned share; /* parts per 10,000 */
} percentiles[QUANTILE_PERCENTILES] = {
	{ "p50", 5000 }, { "p90", 9000 }, { "p99", 9900 }, { "p99.9", 9990 }, { "p99.99", 9999 },
};

const char *quantile_percentile_name(unsigned n)
{
	return percentiles[n].name;
}

struct range quantile_percentile(const struct record_cpu *cpu, unsigned n)
{
	const struct record_pairs *h = &cpu->histogram;
	uint64_t count = quantile_count(h), below = 0, rank;

	if (!count || count != cpu->gaps || !quantile_is_rising(h))
		return (struct range){ 0 };
	rank = (uint64_t)(((unsigned __int128)count * percentiles[n].share + 9999) / 10000);
	/* The longest of all is known exactly. */
	if (rank == count)
		return range_exact(cpu->max_ns);
	for (size_t i = 0;; i++) {
		below += h->at[i][1];
		if (below >= rank)
			return range_of(h->at[i][0], quantile_bucket_end(h->at[i][0], cpu->max_ns));
	}
}

/* ---- How events come: windows in the order of time, and what began in each ---- */

struct spread_window {
	uint64_t start_ns, len_ns;
	const struct result_window *record;
	double count;
};

static ORDER_BY(by_start, struct spread_window, start_ns);

void spread_start(struct spread *s, const struct result_stage *stage)
{
	*s = (struct spread){ memory_new(stage->windows, sizeof(*s->window)), stage->windows };
	for (size_t i = 0; i < s->windows; i++) {
		const struct result_window *w = &stage->window[i];

		s->window[i] = (struct spread_window){ w->start_ns, w->len_ns, w, 0 };
	}
	ORDER_SORT(s->window, s->windows, by_start);
}

/* A gap may begin one sample before the first window: it counts in that window. */
void spread_add(struct spread *s, uint64_t t_ns)
{
	size_t low = 0, high = s->windows;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->window[middle].start_ns <= t_ns)
			low = middle;
		else
			high = middle;
	}
	if (s->windows)
		s->window[low].count++;
}

struct dispersion spread_end(struct spread *s, size_t cores)
{
	struct dispersion_window *w = memory_new(s->windows, sizeof(*w));
	struct dispersion d;
	size_t count = 0;

	for (size_t i = 0; i < s->windows; i++)
		if (s->window[i].len_ns)
			w[count++] = (struct dispersion_window){ s->window[i].count / (double)cores,
								 (double)s->window[i].len_ns };
	d = dispersion_of(w, count);
	free(w);
	free(s->window);
	return d;
}

static struct maybe counted(const struct result_window *w, enum spread_counter counter)
{
	if (counter == SPREAD_GAPS)
		return (struct maybe){ w->gaps, true };
	return w->counted[counter - SPREAD_GAPS - 1];
}

static bool is_known(const struct result_stage *stage, enum spread_counter counter)
{
	for (size_t i = 0; i < stage->windows; i++)
		if (!counted(&stage->window[i], counter).known)
			return false;
	return true;
}

struct dispersion spread_of_counter(const struct result_stage *stage, enum spread_counter counter,
				    size_t cores)
{
	struct spread s;

	if (!is_known(stage, counter))
		counter = SPREAD_GAPS;
	spread_start(&s, stage);
	for (size_t i = 0; i < s.windows; i++)
		s.window[i].count = (double)counted(s.window[i].record, counter).value;
	return spread_end(&s, cores);
}

bool spread_of_gaps(struct dispersion *d, const struct result_stage *stage, uint32_t causes,
		    uint64_t over_ns, uint64_t count)
{
	struct dispersion found;
	uint64_t matching = 0;
	struct spread s;

	spread_start(&s, stage);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct result_gap *g = &stage->gap[i];

		if (!(causes & 1u << g->cause) || g->len_ns <= over_ns)
			continue;
		spread_add(&s, g->t_ns);
		matching++;
	}
	found = spread_end(&s, stage->cpus);
	if (matching < count)
		return false;
	*d = found;
	return true;
}
