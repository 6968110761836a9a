/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs for InfluxDB, in its line protocol: measurements noisefloor_info, _cpu, _gap, _hist and
 * _end, with integers below 2^63 and wall times in ns. Gaps have their own time, all else that of
 * the run's end. The same capture gives the same lines, so sending it twice stores it once. Absent
 * evidence is an absent field.
 */
#include "series.h"
#include "show_form.h"

#include "host/capture/result_began.h"
#include "host/lib/memory.h"

#include "core/records/influx.h"
#include "core/lib/ticks.h"

#include <stdio.h>
#include <stdlib.h>

#define LINE_ROOM 4096 /* at first */

/* The run being printed. */
struct line_run {
	const struct result *run;
	uint64_t began_ns, end_ns; /* wall times */
	struct text line;
};

/* Print the line and begin the next. False: it did not fit; there is more room now. */
static bool print_line(struct text *line)
{
	bool fits = !line->overflow;
	char *buf = line->buf;

	if (fits)
		fwrite(line->buf, 1, line->len, stdout);
	else
		buf = memory_resize(line->buf, line->cap *= 2);
	text_init(line, buf, line->cap);
	return fits;
}

static void put_info(struct line_run *r)
{
	if (!r->run->has_begin)
		return;
	do
		influx_info(&r->line, r->run->sid, &r->run->begin, r->end_ns);
	while (!print_line(&r->line));
}

static void put_cpu(struct line_run *r, const struct record_cpu *cpu)
{
	size_t n = 0, next;

	do
		influx_record(&r->line, r->run->sid, RECORD_CPU, cpu, r->end_ns);
	while (!print_line(&r->line));
	for (; n < cpu->histogram.count; n = next) {
		do
			next = influx_bucket(&r->line, r->run->sid, cpu, n, r->end_ns);
		while (!print_line(&r->line));
	}
}

static void put_gap(struct line_run *r, const char *stage, const struct result_gap *g)
{
	const struct record_gap gap = {
		.stage = stage,
		.cpu = g->cpu,
		.cause = cause_name(g->cause),
		.len_ns = g->len_ns,
	};
	uint64_t ns = g->t_ns > INT64_MAX ? INT64_MAX : r->began_ns + g->t_ns;

	do
		influx_record(&r->line, r->run->sid, RECORD_GAP, &gap, ns);
	while (!print_line(&r->line));
}

static void put_end(struct line_run *r)
{
	const struct result *run = r->run;
	const struct influx_end end = {
		.record = run->has_end ? &run->end : NULL,
		.exit_code = (uint64_t)result_exit_code(run),
		.whole = { result_is_whole(run), true },
	};

	do
		influx_end(&r->line, r->run->sid, &end, r->end_ns);
	while (!print_line(&r->line));
}

/* As requested, else as recorded; else the capture was last written when its run ended. */
static uint64_t began(const struct show_options *o, const struct capture *c,
		      const struct result *run, uint64_t length)
{
	uint64_t recorded = result_began_ns(run), changed;

	if (o->has_began || recorded)
		return o->has_began ? o->began_ns : recorded;
	changed = series_time_of(c->name);
	return changed > length ? changed - length : 0;
}

static void put_run(const struct show_options *o, const struct capture *c, const struct result *run)
{
	uint64_t length = result_length_ns(run);
	struct line_run r = { .run = run };
	const struct record_cpu *cpu;

	text_init(&r.line, memory_new(LINE_ROOM, 1), LINE_ROOM);
	r.began_ns = began(o, c, run, length);
	r.end_ns = length > INT64_MAX ? INT64_MAX : r.began_ns + length;
	put_info(&r);
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		put_cpu(&r, cpu);
	for (size_t i = 0; i < run->stages; i++) {
		const struct result_stage *stage = &run->stage[i];

		for (size_t n = 0; n < stage->gaps; n++)
			put_gap(&r, stage->name, &stage->gap[n]);
	}
	put_end(&r);
	free(r.line.buf);
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	for (size_t n = 0; n < c->runs; n++)
		put_run(o, c, c->run[n]);
	return true;
}

const struct show_form show_form_influx = {
	.keep = RESULT_ALL,
	.capture = put_capture,
	.flaws_apart = true,
	.wants_began = true,
};
