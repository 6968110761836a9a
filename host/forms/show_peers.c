/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs in the output formats of other tools, for programs that read those.
 *
 * hwlatdetect of rt-tests 2.6 to 2.9: a block per stage, its lines in that order. Lengths are whole
 * us, rounded down as hwlat's are; a gap has no inner and outer half, so all of it is `inner`.
 * Times are s since the begin of the run, or wall times with --began. SMIs are printed only where
 * they were counted.
 *
 * sysjitter 1.4: a block per stage, a column per core. Quantiles are lower edges of buckets, 1.6 %
 * wide at most; int_max and the sums are exact.
 */
#include "show_form.h"

#include "host/capture/result_stage.h"
#include "host/capture/quantile.h"
#include "host/capture/result.h"

#include "core/lib/arith.h"
#include "core/lib/cpulist.h"
#include "core/lib/ticks.h"

#include <inttypes.h>
#include <stdio.h>

/* The stage being printed. */
struct stage_out {
	const struct show_options *options;
	const struct result *run;
	struct result_stage *stage;
	uint64_t threshold_ns;
};

static void each_stage(const struct show_options *o, const struct result *run,
		       void (*put)(const struct stage_out *s))
{
	static bool any;
	struct stage_out s = { o, run, .threshold_ns = result_threshold(run) };

	for (size_t i = 0; i < run->stages; i++) {
		s.stage = &run->stage[i];
		if (!s.stage->cpus)
			continue;
		if (any)
			putchar('\n');
		any = true;
		put(&s);
	}
}

/* ---- hwlatdetect ---- */

static uint64_t us(uint64_t ns)
{
	return ns / 1000;
}

static void put_cpu_list(const struct stage_out *s)
{
	static char buf[CPULIST_MAX * 5];
	struct cpulist list;
	struct text t;

	cpulist_clear(&list);
	for (size_t i = 0; i < s->stage->cpus; i++)
		cpulist_add(&list, s->stage->cpu[i].cpu);
	text_init(&t, buf, sizeof(buf));
	cpulist_print(&list, &t);
	printf("        CPU list:          %s\n", buf);
}

/*
 * Mean length of a window, and mean time from the start of one to the next, ns. Returns the time
 * from the start of the first to the end of the last, ns.
 */
static uint64_t window_times(const struct stage_out *s, uint64_t *width, uint64_t *window)
{
	const struct result_stage *stage = s->stage;
	uint64_t first = UINT64_MAX, last = 0, length = 0, count = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		const struct result_window *w = &stage->window[i];

		if (w->len_ns > UINT64_MAX - w->start_ns || w->len_ns > UINT64_MAX - length)
			continue;
		first = w->start_ns < first ? w->start_ns : first;
		last = w->start_ns + w->len_ns > last ? w->start_ns + w->len_ns : last;
		length += w->len_ns;
		count += w->windows;
	}
	*width = count ? length / count : 0;
	*window = count ? (last - first) / count : 0;
	return count ? last - first : 0;
}

static void put_parameters(const struct stage_out *s)
{
	uint64_t width, window, duration = window_times(s, &width, &window);

	for (size_t i = 0; i < s->stage->cpus; i++) {
		if (s->stage->cpu[i].exposure_ns > duration)
			duration = s->stage->cpu[i].exposure_ns;
	}
	printf("hwlatdetect:  test duration %" PRIu64 " seconds\n",
	       duration / NS_PER_S + (duration % NS_PER_S >= NS_PER_S / 2));
	puts("   detector: noisefloor\n   parameters:");
	put_cpu_list(s);
	printf("        Latency threshold: %" PRIu64 "us\n", us(s->threshold_ns));
	printf("        Sample window:     %" PRIu64 "us\n", us(window));
	printf("        Sample width:      %" PRIu64 "us\n", us(width));
	printf("     Non-sampling period:  %" PRIu64 "us\n",
	       us(window > width ? window - width : 0));
	puts("        Output File:       None\n\nStarting test\ntest finished");
}

static void put_smis(const struct stage_out *s)
{
	struct maybe all = { 0, s->stage->cpus > 0 };

	for (size_t i = 0; i < s->stage->cpus; i++) {
		all.value = arith_sum(all.value, s->stage->cpu[i].smi.value);
		all.known = all.known && s->stage->cpu[i].smi.known;
	}
	if (!all.known)
		return;
	for (size_t i = 0; i < s->stage->cpus; i++) {
		/* The original's spelling. */
		if (s->stage->cpu[i].smi.value)
			printf("%" PRIu64 " SMIs occured on cpu %" PRIu32 "\n",
			       s->stage->cpu[i].smi.value, s->stage->cpu[i].cpu);
	}
	printf("SMIs during run: %" PRIu64 "\n", all.value);
}

static void put_samples(const struct stage_out *s)
{
	const struct result_stage *stage = s->stage;
	uint64_t began = s->options->has_began ? s->options->began_ns : 0;

	for (size_t i = 0; i < stage->gaps; i++) {
		const struct result_gap *g = &stage->gap[i];
		uint64_t at = arith_sum(began, g->t_ns);

		printf("ts: %" PRIu64 ".%09" PRIu64 ", inner:%" PRIu64 ", outer:0, cpu:%" PRIu32
		       "\n",
		       at / NS_PER_S, at % NS_PER_S, us(g->len_ns), g->cpu);
	}
}

static void put_hwlatdetect(const struct stage_out *s)
{
	struct result_stage *stage = s->stage;
	uint64_t longest = 0, gaps = 0;

	for (size_t i = 0; i < s->stage->cpus; i++) {
		longest = s->stage->cpu[i].max_ns > longest ? s->stage->cpu[i].max_ns : longest;
		gaps = arith_sum(gaps, s->stage->cpu[i].gaps);
	}
	result_stage_sort_gaps(stage);
	put_parameters(s);
	if (gaps)
		printf("Max Latency: %" PRIu64 "us\n", us(longest));
	else
		puts("Max Latency: Below threshold");
	printf("Samples recorded: %zu\n", stage->gaps);
	printf("Samples exceeding threshold: %" PRIu64 "\n", gaps);
	put_smis(s);
	put_samples(s);
}

static void put_hwlatdetects(const struct show_options *o, const struct capture *c,
			     struct result *run)
{
	(void)c;
	each_stage(o, run, put_hwlatdetect);
}

const struct show_form show_form_hwlatdetect = {
	.only = &mode_gaps,
	.keep = RESULT_ALL,
	.run = put_hwlatdetects,
	.flaws_apart = true,
};

/* ---- sysjitter ---- */

struct cell {
	const struct stage_out *of;
	const struct record_cpu *cpu;
	const uint64_t *value; /* the row's field of it */
	double by;             /* a quantile's share, a rate's unit */
};

static void cell_core(const struct cell *c)
{
	printf(" %" PRIu32, c->cpu->cpu);
}

static void cell_threshold(const struct cell *c)
{
	printf(" %" PRIu64, c->of->threshold_ns);
}

static void cell_mhz(const struct cell *c)
{
	printf(" %" PRIu64, c->of->run->begin.clock.hz / 1000000);
}

static void cell_seconds(const struct cell *c)
{
	printf(" %.3f", (double)c->cpu->exposure_ns / NS_PER_S);
}

static void cell_mean(const struct cell *c)
{
	printf(" %" PRIu64, c->cpu->gaps ? c->cpu->noise_ns / c->cpu->gaps : 0);
}

static void cell_number(const struct cell *c)
{
	printf(" %" PRIu64, *c->value);
}

/* Per unit of the exposure. */
static void cell_rate(const struct cell *c)
{
	uint64_t exposure = c->cpu->exposure_ns;

	printf(" %.3f", exposure ? (double)*c->value * c->by / (double)exposure : 0);
}

static void cell_quantile(const struct cell *c)
{
	struct maybe at = quantile_at(&c->cpu->histogram, c->by);

	if (at.known || !c->cpu->gaps)
		printf(" %" PRIu64, at.value);
	else
		fputs(" n/a", stdout);
}

#define FIELD(name) .offset = offsetof(struct record_cpu, name)

static const struct {
	const char *name;
	void (*put)(const struct cell *c);
	double by;
	size_t offset;
} rows[] = {
	{ "core_i:", .put = cell_core },
	{ "threshold(ns):", .put = cell_threshold },
	{ "cpu_mhz:", .put = cell_mhz },
	{ "runtime(ns):", .put = cell_number, FIELD(exposure_ns) },
	{ "runtime(s):", .put = cell_seconds },
	{ "int_n:", .put = cell_number, FIELD(gaps) },
	{ "int_n_per_sec:", .put = cell_rate, NS_PER_S, FIELD(gaps) },
	{ "int_min(ns):", .put = cell_quantile, .by = 0 },
	{ "int_median(ns):", .put = cell_quantile, .by = 0.5 },
	{ "int_mean(ns):", .put = cell_mean },
	{ "int_90(ns):", .put = cell_quantile, .by = 0.9 },
	{ "int_99(ns):", .put = cell_quantile, .by = 0.99 },
	{ "int_999(ns):", .put = cell_quantile, .by = 0.999 },
	{ "int_9999(ns):", .put = cell_quantile, .by = 0.9999 },
	{ "int_99999(ns):", .put = cell_quantile, .by = 0.99999 },
	{ "int_max(ns):", .put = cell_number, FIELD(max_ns) },
	{ "int_total(ns):", .put = cell_number, FIELD(noise_ns) },
	{ "int_total(%):", .put = cell_rate, 100, FIELD(noise_ns) },
};

static void put_sysjitter(const struct stage_out *s)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fputs(rows[i].name, stdout);
		for (size_t n = 0; n < s->stage->cpus; n++) {
			const struct record_cpu *cpu = &s->stage->cpu[n];
			const void *value = (const char *)cpu + rows[i].offset;

			rows[i].put(&(struct cell){ s, cpu, value, rows[i].by });
		}
		putchar('\n');
	}
}

static void put_sysjitters(const struct show_options *o, const struct capture *c,
			   struct result *run)
{
	(void)c;
	each_stage(o, run, put_sysjitter);
}

const struct show_form show_form_sysjitter = {
	.only = &mode_gaps,
	.keep = RESULT_ALL,
	.run = put_sysjitters,
	.flaws_apart = true,
};
