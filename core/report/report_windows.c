/* SPDX-License-Identifier: BSD-2-Clause */
/* Adding windows to the log, and sending them. */
#include "report.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"
#include "core/records/record_field.h"

static void add_sums(struct cpu_sums *to, const struct cpu_sums *from)
{
	to->length += from->length;
	to->slow += from->slow;
	to->gaps += from->gaps;
	to->noise += from->noise;
	to->max = arith_max(to->max, from->max);
#define COUNTED(id, name, ...)  \
	to->name += from->name; \
	to->name##_out += from->name##_out;
#include "core/cause/counted_rows.h"
	for (unsigned i = 0; i < CAUSES; i++) {
		to->cause_gaps[i] += from->cause_gaps[i];
		to->cause_ticks[i] += from->cause_ticks[i];
	}
}

/* Add window `from` to `to`, the one before it. */
static void add_window(struct record_window *to, const struct record_window *from)
{
	to->len_ns = from->start_ns + from->len_ns - to->start_ns;
	record_total_add(RECORD_WINDOW, to, from);
}

/* Make room in a full log by merging neighbours. */
static void halve(struct report *r)
{
	for (unsigned i = 0; i < REPORT_WINDOWS / 2; i++) {
		r->log.window[i] = r->log.window[2 * i];
		add_window(&r->log.window[i], &r->log.window[2 * i + 1]);
	}
	r->log.used = REPORT_WINDOWS / 2;
	r->log.per_entry *= 2;
}

static void report_windows_keep(struct report *r, const struct record_window *w)
{
	struct record_window *last = r->log.used ? &r->log.window[r->log.used - 1] : NULL;

	if (last && last->windows < r->log.per_entry) {
		add_window(last, w);
		return;
	}
	if (r->log.used == REPORT_WINDOWS)
		halve(r);
	r->log.window[r->log.used++] = *w;
}

/* Counts that a measured core does not provide are not known, in all windows alike. */
static void believe(struct record_window *w, const struct platform *p)
{
	uint32_t known = UINT32_MAX;

	for (uint32_t i = 0; i < p->cpus; i++)
		known &= p->cpu[i].measured ? cpu_knows(&p->cpu[i]) : UINT32_MAX;
#define WINDOW_INTERRUPT(id, name) w->name.known = w->name##_out.known = known & EVIDENCE(id);
#define WINDOW_ERROR(id, name)
#define COUNTED(id, name, from, kind, ...) WINDOW_##kind(id, name)
#include "core/cause/counted_rows.h"
}

static uint64_t since_begin(const struct report *r, uint64_t tick)
{
	return ticks_to_ns(tick - r->platform->begin_tsc, r->platform->hz);
}

static void live_line(struct report *r, const struct record_window *record)
{
	if (!r->config->live)
		return;
	r->passing = true;
	report_record_text(r, RECORD_WINDOW, record);
	r->passing = false;
}

/* Record each window for the search for sources. */
static void keep_exposure(struct report *r, uint64_t start, uint64_t end)
{
	if (r->search.exposure.count == r->search.exposure.capacity)
		r->search.exposure_full = true;
	else
		exposure_add(&r->search.exposure, since_begin(r, start), since_begin(r, end));
}

/* Bits of the links with this value of each_window. */
static unsigned links_of_windows(const struct report *r, bool each)
{
	unsigned links = 0;

	for (unsigned i = 0; i < r->links; i++)
		links |= (unsigned)(r->link[i].each_window == each) << i;
	return links;
}

static void forget_outside(struct cpu_sums *sums)
{
#define COUNTED(id, name, ...) sums->name##_out = 0;
#include "core/cause/counted_rows.h"
}

void report_window(struct report *r, uint64_t n, uint64_t start, uint64_t end)
{
	struct platform *p = r->platform;
	struct cpu_sums sums = { 0 };
	struct record_window record;

	for (uint32_t i = 0; i < p->cpus; i++) {
		struct cpu *cpu = &p->cpu[i];

		if (!cpu->measured)
			continue;
		/* Counts before the stage's first window are not between windows. */
		if (n == 1)
			forget_outside(&cpu->window);
		add_sums(&cpu->stage, &cpu->window);
		add_sums(&sums, &cpu->window);
	}
	if (n == 1)
		r->times.first = start;
	r->times.last = end;
	r->times.sampled += end - start;
	record = (struct record_window){
		.stage = r->stage,
		.n = n,
		.windows = 1,
		.start_ns = since_begin(r, start),
		.len_ns = ticks_to_ns(end - start, p->hz),
		.gaps = sums.gaps,
		.noise_ns = ticks_to_ns(sums.noise, p->hz),
		.max_ns = ticks_to_ns(sums.max, p->hz),
#define SUMS_INTERRUPT(name) .name = { sums.name, true }, .name##_out = { sums.name##_out, true },
#define SUMS_ERROR(name)
#define COUNTED(id, name, from, kind, ...) SUMS_##kind(name)
#include "core/cause/counted_rows.h"
	};
	report_windows_keep(r, &record);
	keep_exposure(r, start, end);
	believe(&record, p);
	live_line(r, &record);
	report_send(r, links_of_windows(r, true), RECORD_WINDOW, &record);
}

void report_windows(const struct report *r)
{
	unsigned to = links_of_windows(r, false);

	for (unsigned i = 0; i < r->log.used; i++) {
		struct record_window record = r->log.window[i];

		believe(&record, r->platform);
		report_send(r, to, RECORD_WINDOW, &record);
	}
}
