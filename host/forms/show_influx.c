/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs for InfluxDB, in its line protocol: measurements noisefloor_info, _cpu, _gap, _hist,
 * _end, _node and _node_source, and one for each kind whose records are series, with integers below
 * 2^63 and wall times in ns. Gaps have their own time, all else that of the run's end. The same
 * capture gives the same lines, so sending it twice stores it once. Absent evidence is an absent
 * field.
 */
#include "influx.h"
#include "show_form.h"

#include "host/capture/figures.h"
#include "host/capture/result.h"
#include "host/capture/summary.h"
#include "host/kinds/host_kind.h"

#include "core/lib/ticks.h"
#include "core/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

/* The run being printed. */
struct line_run {
	const struct result *run;
	uint64_t began_ns, end_ns; /* wall times */
	struct summary summary;    /* by the policy, if there is one */
};

static void put_record(struct line_run *r, enum record_type type, const void *record, uint64_t ns)
{
	influx_record(stdout, r->run->sid, type, record, ns);
}

static void put_cpu(struct line_run *r, const struct record_cpu *cpu)
{
	put_record(r, RECORD_CPU, cpu, r->end_ns);
	for (size_t n = 0; n < cpu->histogram.count;)
		n = influx_bucket(stdout, r->run->sid, cpu, n, r->end_ns);
}

/* Of the kinds whose records are series. */
static void put_kinds(struct line_run *r, const struct result_stage *stage)
{
	const struct host_kind *kind;

	for (size_t i = 0; (kind = host_kind_at(i)); i++)
		for (size_t n = 0; kind->series && n < stage->kept[kind->type].count; n++)
			put_record(r, kind->type, result_stage_record(stage, kind->type, n),
				   r->end_ns);
}

static void put_gap(struct line_run *r, const char *stage, const struct result_gap *g)
{
	const struct record_gap gap = {
		.stage = stage,
		.cpu = g->cpu,
		.cause = cause_name(g->cause),
		.len_ns = g->len_ns,
	};

	put_record(r, RECORD_GAP, &gap, g->t_ns > INT64_MAX ? INT64_MAX : r->began_ns + g->t_ns);
}

static void put_end(struct line_run *r)
{
	const struct result *run = r->run;
	const struct influx_end end = {
		.record = run->has_end ? &run->end : NULL,
		.exit_code = (uint64_t)result_exit_code(run),
		.whole = result_is_whole(run),
	};

	influx_end(stdout, run->sid, &end, r->end_ns);
}

/*
 * The machine's state for queries of an engine, by the summary that a collector stores: the tags
 * are few, whatever the number of runs, so the run's id is two numbers, each exact in floating
 * point. Fields of an earlier run stay where this one has none, so `known` and `sources` have what
 * counts.
 */

static struct influx_point open_node(struct line_run *r, const char *measurement)
{
	struct influx_point p = influx_open(stdout, measurement);
	const struct summary *s = &r->summary;
	char sid[20];

	influx_tag(&p, "uuid", s->uuid);
	/* Without a UUID each run is a machine of its own. */
	snprintf(sid, sizeof(sid), "%016" PRIx64, r->run->sid);
	if (!*s->uuid)
		influx_tag(&p, "run", sid);
	return p;
}

static void put_number(struct influx_point *p, const char *name, uint64_t value)
{
	influx_field(p, name, (struct maybe){ value, true });
}

static void put_node(struct line_run *r, const struct figures *f)
{
	const struct summary *s = &r->summary;
	struct influx_point p = open_node(r, "node");
	uint64_t began_s = result_began_ns(r->run) / NS_PER_S, known = began_s ? FIGURES_BEGAN : 0;
	char number[32];

	influx_tag(&p, "product", s->product);
	influx_tag(&p, "bios", s->bios);
	influx_tag(&p, "stage", f->stage);
	put_number(&p, "sid_high", r->run->sid >> 32);
	put_number(&p, "sid_low", r->run->sid & UINT32_MAX);
	put_number(&p, "ended_ms", r->end_ns / (NS_PER_S / 1000));
	put_number(&p, "verdict", summary_outcome(s));
	put_number(&p, "lines", r->run->received->seen.members);
	put_number(&p, "lost", s->lost);
	put_number(&p, "cores", f->cores);
	put_number(&p, "sources", f->sources);
	if (began_s)
		put_number(&p, "began_s", began_s);
	for (unsigned n = 0; n < FIGURES; n++) {
		if (!f->known[n])
			continue;
		known |= 1u << n;
		snprintf(number, sizeof(number), "%.12g", f->value[n]);
		influx_field_text(&p, figures_kind((enum figure)n)->name, number);
	}
	for (unsigned n = 1; host_mode_at(n); n++)
		known |= result_mode(r->run) == host_mode_at(n) ? FIGURES_MODE(n) : 0;
	if (*summary_remark(s))
		known |= FIGURES_SHORT;
	put_number(&p, "known", known);
	influx_close(&p, r->end_ns);
}

static void put_node_source(struct line_run *r, const struct figures_source *source, size_t n)
{
	struct influx_point p = open_node(r, "node_source");

	influx_tag_number(&p, "source", n);
	influx_tag(&p, "cause", source->cause);
	put_number(&p, "period_ns", source->period_ns);
	put_number(&p, "sid_low", r->run->sid & UINT32_MAX);
	influx_close(&p, r->end_ns);
}

/* A run that has not ended is not yet a machine's state. */
static void put_machine(struct line_run *r)
{
	struct figures f = { 0 };

	if (!r->run->has_end)
		return;
	if (r->run->stages)
		figures_read(&f, r->run);
	put_node(r, &f);
	for (size_t n = 0; n < f.sources; n++)
		put_node_source(r, &f.source[n], n);
}

/* When a file was last written, ns since 1970; 0: unknown. */
static uint64_t written_ns(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0 || st.st_mtim.tv_sec < 0)
		return 0;
	return (uint64_t)st.st_mtim.tv_sec * NS_PER_S + (uint64_t)st.st_mtim.tv_nsec;
}

/* As requested, else as recorded; else the capture was last written when its run ended. */
static uint64_t began(const struct show_options *o, const struct capture *c,
		      const struct result *run, uint64_t length)
{
	uint64_t recorded = result_began_ns(run), changed;

	if (o->has_began || recorded)
		return o->has_began ? o->began_ns : recorded;
	changed = written_ns(c->name);
	return changed > length ? changed - length : 0;
}

static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	uint64_t length = result_length_ns(run);
	struct line_run r = { .run = run };
	const struct record_cpu *cpu;

	summary_of_run(&r.summary, run);
	if (o->judge)
		o->judge(&r.summary);
	r.began_ns = began(o, c, run, length);
	r.end_ns = length > INT64_MAX ? INT64_MAX : r.began_ns + length;
	if (run->has_begin)
		influx_info(stdout, run->sid, &run->begin, r.end_ns);
	for (size_t n = 0; (cpu = result_cpu(run, n)); n++)
		put_cpu(&r, cpu);
	for (size_t i = 0; i < run->stages; i++) {
		const struct result_stage *stage = &run->stage[i];

		for (size_t n = 0; n < stage->gaps; n++)
			put_gap(&r, stage->name, &stage->gap[n]);
		put_kinds(&r, stage);
	}
	put_machine(&r);
	put_end(&r);
}

const struct show_form show_form_influx = {
	.keep = RESULT_ALL,
	.run = put_run,
	.flaws_apart = true,
	.wants_began = true,
};
