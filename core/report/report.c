/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes records and text from the run's state. */
#include "report.h"

#include "table.h"
#include "core/lib/mem.h"
#include "core/lib/lines.h"
#include "core/lib/ratio.h"
#include "core/records/record_kind.h"
#include "core/lib/ticks.h"

#include <stdarg.h>

/* Sentences for gaps whose steps are unknown. */
#define WHY_BLIND    "from inside an OS: its interrupts and threads, or what is below it"
#define WHY_NOT_KEPT "by the core's counters; the list of gaps was full, and did not keep them"

/* ---- Memory ---- */

size_t report_room(uint32_t cpus)
{
	const struct report_scratch *s = NULL;
	size_t each = sizeof(*s->cpus) + sizeof(uint64_t) +
		      CAUSES * (sizeof(*s->heads) + sizeof(*s->event_cpus));

	return REPORT_EXPOSURE * sizeof(struct exposure_window) + HIST_BUCKETS * sizeof(*s->pairs) +
	       REPORT_TIMES * sizeof(*s->times) + cpus * each;
}

/* Take memory, aligned to 8 bytes. */
static void *report_take(uint8_t **at, size_t bytes)
{
	void *taken = *at;

	*at += (bytes + 7) & ~(size_t)7;
	return taken;
}

void report_lay(struct report *r, void *memory, uint32_t cpus)
{
	struct report_scratch *s = &r->scratch;
	uint8_t *at = memory;

	r->search.exposure = (struct exposure){
		.window = report_take(&at, REPORT_EXPOSURE * sizeof(struct exposure_window)),
		.capacity = REPORT_EXPOSURE,
	};
	s->pairs = report_take(&at, HIST_BUCKETS * sizeof(*s->pairs));
	s->times = report_take(&at, REPORT_TIMES * sizeof(*s->times));
	s->cpus = report_take(&at, cpus * sizeof(*s->cpus));
	s->order = report_take(&at, cpus * sizeof(*s->order));
	s->heads = report_take(&at, CAUSES * cpus * sizeof(*s->heads));
	s->event_cpus = report_take(&at, CAUSES * cpus * sizeof(*s->event_cpus));
}

/* ---- Output ---- */

void report_print(struct report *r, struct text *t)
{
	r->line(r->ctx, t->buf, t->len);
	text_reset(t);
}

void report_add_link(struct report *r, struct report_link link)
{
	if (r->hashed)
		record_hash(link.to);
	r->link[r->links++] = link;
}

void report_record_text(struct report *r, enum record_type type, const void *record)
{
	const struct record_context of = {
		.hz = r->platform ? r->platform->hz : 0,
		.windows = r->progress.planned,
		.no_smi = r->summary.no_smi,
	};
	struct lines lines;

	lines_init(&lines, r->line, r->ctx);
	record_kind_of(type)->text(&lines, record, &of);
}

void report_record(struct report *r, enum record_type type, const void *record)
{
	if (record_kind_of(type)->printed)
		report_record_text(r, type, record);
	for (unsigned i = 0; i < r->links; i++)
		record_send(r->link[i].to, type, record);
}

void report_text(struct report *r, const char *format, ...)
{
	TEXT_DEFINE(t, LINES_MAX);
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	report_print(r, &t);
}

void report_log(struct report *r, const char *level, const char *format, ...)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);
	struct record_log log = { .level = level, .text = t.buf };
	va_list args;

	va_start(args, format);
	text_vadd(&t, format, args);
	va_end(args);
	report_record(r, RECORD_LOG, &log);
}

void report_begin(struct report *r, const struct record_begin *begin)
{
	TEXT_DEFINE(t, LINES_MAX);

	summary_begin(&r->summary, begin, r->config);
	report_record_text(r, RECORD_BEGIN, begin);
	summary_print_platform(&t, begin);
	report_print(r, &t);
	report_record(r, RECORD_BEGIN, begin);
}

void report_stage(struct report *r, const struct record_stage *state, uint64_t windows)
{
	report_text(r, "stage %s", state->stage);
	summary_stage(&r->summary, state->stage);
	r->stage = state->stage;
	r->progress = (struct report_progress){ .planned = windows };
	r->log.used = 0;
	r->log.per_entry = 1;
	r->times.sampled = 0;
	r->search.sources = 0;
	r->search.exposure.count = 0;
	r->search.exposure_full = false;
	memcpy(r->search.timers, state->timers, sizeof(r->search.timers));
	report_record(r, RECORD_STAGE, state);
}

void report_send(const struct report *r, unsigned to, enum record_type type, const void *record)
{
	for (unsigned i = 0; i < r->links; i++)
		if (to >> i & 1)
			record_send(r->link[i].to, type, record);
}

/* The limit of a link on gaps, and on events, per stage; UINT64_MAX: none. */
static uint64_t limit_of(const struct report *r, const struct report_link *link)
{
	const struct config_limit *gaps = &r->config->gaps;
	uint64_t own = link->gaps_default;

	if (!gaps->set || (link->gaps_bounded && gaps->value > own))
		return own;
	return gaps->value;
}

struct longest report_longest(const struct report *r)
{
	return (struct longest){ .length = r->scratch.times, .capacity = REPORT_TIMES };
}

void report_choose(const struct report *r, struct longest *longest,
		   struct longest_choice choice[REPORT_LINKS])
{
	for (unsigned i = 0; i < r->links; i++)
		choice[i] = longest_choose(longest, limit_of(r, &r->link[i]));
}

unsigned report_takers(const struct report *r, struct longest_choice choice[REPORT_LINKS],
		       uint64_t length)
{
	unsigned to = 0;

	for (unsigned i = 0; i < r->links; i++)
		to |= (unsigned)longest_take(&choice[i], length) << i;
	return to;
}

static void send_gap(const struct report *r, unsigned to, const struct gap *gap,
		     const struct cpu *cpu)
{
	const struct platform *p = r->platform;
	struct attribution why;
	TEXT_DEFINE(sentence, LINES_MAX);
	struct record_gap record = {
		.stage = r->stage,
		.cpu = cpu->index,
		.start_tsc = gap->start,
		.ticks = gap->ticks,
		.t_ns = ticks_to_ns(gaplist_time(cpu, gap) - p->begin_tsc, p->hz),
		.len_ns = ticks_to_ns(gap->ticks, p->hz),
		.cause = cause_name((enum cause)gap->cause),
#define GAP_REGISTER(name)           cpu->name.moved && !cpu->blind.gaps
#define GAP_HANDLER(name)            !cpu->blind.gaps
#define COUNTED(id, name, from, ...) .name = { gap->evidence.name, GAP_##from(name) },
#include "core/cause/counted_rows.h"
		.why = sentence.buf,
	};

	if (cpu->blind.gaps) {
		text_add(&sentence, WHY_BLIND);
	} else if (gaplist_why(cpu, gap, &why)) {
		attribution_sentence(&why, gap->ticks, &sentence);
	} else {
		text_add(&sentence, WHY_NOT_KEPT);
	}
	report_send(r, to, RECORD_GAP, &record);
}

/* The number of the stage's gaps, from the rings: sums lack the window in which a core was lost. */
static uint64_t count_gaps(const struct platform *p)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < p->cpus; i++)
		count += p->cpu[i].ring.used + p->cpu[i].ring.dropped;
	return count;
}

/* Make each gap's record once, for all links that send it. */
static void send_gaps(struct report *r)
{
	struct longest longest = report_longest(r);
	struct longest_choice choice[REPORT_LINKS];
	const struct gap *gap;
	const struct cpu *cpu;
	struct gaplist list;

	gaplist_begin(&list, r->platform, r->scratch.heads, GAPLIST_ALL);
	while (gaplist_next(&list, &gap, &cpu))
		longest_add(&longest, gap->ticks);
	report_choose(r, &longest, choice);
	for (unsigned i = 0; i < r->links; i++)
		r->link[i].gaps_unsent += count_gaps(r->platform) - choice[i].chosen;
	gaplist_begin(&list, r->platform, r->scratch.heads, GAPLIST_ALL);
	while (gaplist_next(&list, &gap, &cpu)) {
		unsigned to = report_takers(r, choice, gap->ticks);

		if (to)
			send_gap(r, to, gap, cpu);
	}
}

/* The core's histogram, in r->scratch.pairs. */
static struct record_pairs histogram_of(const struct report *r, const struct hist *h)
{
	size_t n = 0;

	for (size_t i = 0; i < HIST_BUCKETS; i++) {
		if (!h->count[i])
			continue;
		r->scratch.pairs[n][0] = ticks_to_ns(hist_low(i), r->platform->hz);
		r->scratch.pairs[n++][1] = h->count[i];
	}
	return (struct record_pairs){ (const uint64_t(*)[2])r->scratch.pairs, n };
}

static void fill_cpu(const struct report *r, const struct cpu *cpu, struct record_cpu *out)
{
	const struct topology *all = r->platform->topology;
	const struct topology place = all ? all[cpu->position] : (struct topology){ 0 };
	const struct cpu_sums *s = &cpu->stage;
	const uint32_t known = cpu_knows(cpu);
	uint64_t hz = r->platform->hz;

	*out = (struct record_cpu){
		.stage = r->stage,
		.cpu = cpu->index,
		.apic_id = cpu->apic_id,
		.package = { place.package, place.known },
		.core = { place.core, place.known },
		.thread = { place.thread, place.known },
		.core_type = place.type,
		.proved = cpu->proved,
		.tsc_offset_bound = cpu->tsc_offset_bound,
		.tsc_offset = cpu->tsc_offset,
		.exposure_ns = ticks_to_ns(s->length - s->slow, hz),
		.noise_ns = ticks_to_ns(s->noise, hz),
		.max_ns = ticks_to_ns(s->max, hz),
		.gaps = s->gaps,
		.dropped = cpu->ring.dropped,
#define OUT_INTERRUPT(id, name) .name##_out = { s->name##_out, known & EVIDENCE(id) },
#define OUT_ERROR(id, name)
#define COUNTED(id, name, from, kind, ...) \
	.name = { s->name, known & EVIDENCE(id) }, OUT_##kind(id, name)
#include "core/cause/counted_rows.h"
		.interval_p50 = cpu->interval_p50,
		.interval_p999 = cpu->interval_p999,
	};
	for (unsigned i = 0; i < CAUSES; i++)
		out->cause[i] = (struct cause_sum){ s->cause_gaps[i],
						    ticks_to_ns(s->cause_ticks[i], hz) };
}

size_t report_table(const struct report *r, struct lines *out, unsigned flags)
{
	const struct platform *p = r->platform;
	struct record_cpu *record = r->scratch.cpus;

	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].stage.length)
			fill_cpu(r, &p->cpu[i], record++);
	if (r->summary.no_smi)
		flags |= TABLE_NO_SMI;
	table_print(out, r->scratch.cpus, (size_t)(record - r->scratch.cpus), flags,
		    r->scratch.order);
	return (size_t)(record - r->scratch.cpus);
}

static void send_cpus(struct report *r)
{
	const struct platform *p = r->platform;
	struct record_cpu record;
	struct lines lines;

	for (const struct cpu *cpu = p->cpu; cpu < p->cpu + p->cpus; cpu++) {
		if (!cpu->stage.length)
			continue;
		fill_cpu(r, cpu, &record);
		record.histogram = histogram_of(r, &cpu->hist);
		summary_cpu(&r->summary, &record, cpu);
		report_record(r, RECORD_CPU, &record);
	}
	lines_init(&lines, r->line, r->ctx);
	report_lava_cpus(r, report_table(r, &lines, 0));
}

static void note_oddities(struct report *r)
{
	const struct platform *p = r->platform;
	uint64_t unrecorded = 0, cores = 0;

	for (uint32_t i = 0; i < p->cpus; i++) {
		const struct cpu *cpu = &p->cpu[i];

		if (cpu->rewinds)
			report_log(r, "warning", "the TSC of cpu %u stepped back %llu times",
				   (unsigned)cpu->index, (unsigned long long)cpu->rewinds);
		unrecorded += cpu->queue_full;
		cores += cpu->queue_full != 0;
	}
	if (unrecorded)
		report_log(r, "warning",
			   "on %llu cores gaps came faster than they could be recorded, %llu times "
			   "in all; that time is not counted as exposure",
			   (unsigned long long)cores, (unsigned long long)unrecorded);
}

/* Add the cores' mean exposure, and the time from the first window to the last. */
static void add_watched(struct report *r)
{
	const struct platform *p = r->platform;
	uint64_t mean = 0, rest = 0, cores = 0;

	for (uint32_t i = 0; i < p->cpus; i++)
		cores += p->cpu[i].measured;
	for (uint32_t i = 0; i < p->cpus; i++) {
		uint64_t exposure = p->cpu[i].stage.length - p->cpu[i].stage.slow;

		if (!p->cpu[i].measured)
			continue;
		/* Divide each core's exposure by itself: the sum of all may overflow. */
		mean += exposure / cores;
		rest += exposure % cores;
	}
	if (cores)
		r->times.watched += mean + rest / cores;
	r->times.wall += r->times.last - r->times.first;
}

struct maybe report_sampled(const struct report *r)
{
	const struct maybe *least = &r->times.shortest;

	return (struct maybe){ least->known ? ticks_to_ns(least->value, r->platform->hz) : 0,
			       least->known };
}

void report_stage_end(struct report *r)
{
	struct report_times *t = &r->times;

	if (!t->shortest.known || t->sampled < t->shortest.value)
		t->shortest = (struct maybe){ t->sampled, true };
	add_watched(r);
	report_windows(r);
	send_gaps(r);
	note_oddities(r);
	send_cpus(r);
	report_events(r);
}

void report_end(struct report *r, const struct verdict_reasons *reasons)
{
	struct record_end end = {
		.verdict = verdict_name(reasons->verdict),
		.remark = reasons->remark[0] ? reasons->remark : NULL,
		.sampled_ns = report_sampled(r),
	};
	TEXT_DEFINE(t, RECORD_LINE_MAX);

	for (unsigned i = 0; i < reasons->count; i++)
		end.reasons[i] = reasons->text[i];
	if (r->times.wall)
		end.watched_ppm = (struct maybe){
			ratio_share(r->times.watched, r->times.wall, RATIO_PPM, false), true
		};
	report_lava_end(r, reasons);
	summary_print_stages(&r->summary, r->line, r->ctx);
	if (end.watched_ppm.known) {
		summary_print_watched(&t, &end);
		report_print(r, &t);
	}
	summary_print_verdict(&t, &end);
	report_print(r, &t);
	summary_end(&r->summary, &end);
	/* A run that did not start has nothing to sum up. */
	if (r->summary.record.version)
		report_record(r, RECORD_SUMMARY, &r->summary.record);
	if (r->summary.record.version && r->before_end)
		r->before_end(r->before_end_ctx);
	for (const struct report_link *l = r->link; l < r->link + r->links; l++) {
		end.gaps_unsent = l->gaps_unsent;
		end.events_unsent = (struct maybe){ l->events_unsent, true };
		record_send(l->to, RECORD_END, &end);
	}
}
