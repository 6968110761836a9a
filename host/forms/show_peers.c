/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage as hwlatdetect and sysjitter would print it. */
#include "show_peers.h"

#include "host/capture/merge.h"
#include "host/capture/quantile.h"
#include "host/capture/run.h"

#include "core/lib/arith.h"
#include "core/lib/cpulist.h"
#include "core/lib/ticks.h"

#include <inttypes.h>
#include <stdio.h>

/* The stage being printed. */
struct stage_out {
	const struct show_options *options;
	const struct run *run;
	struct run_stage *stage;
	uint64_t threshold_ns;
};

static void each_stage(const struct show_options *o, const struct capture *c,
		       void (*put)(const struct stage_out *s))
{
	static bool any;

	for (size_t n = 0; n < c->runs; n++) {
		struct stage_out s = { .options = o, .run = c->run[n] };

		s.threshold_ns = run_threshold(s.run);
		for (size_t i = 0; i < s.run->stages; i++) {
			s.stage = &s.run->stage[i];
			if (!s.stage->cpus)
				continue;
			if (any)
				putchar('\n');
			any = true;
			put(&s);
		}
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

/* Mean length of a window, and mean time from the start of one to the next, ns. */
static void window_times(const struct stage_out *s, uint64_t *width, uint64_t *window)
{
	const struct run_stage *stage = s->stage;
	uint64_t first = UINT64_MAX, last = 0, length = 0, count = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		const struct run_window *w = &stage->window[i];

		if (w->len_ns > UINT64_MAX - w->start_ns || w->len_ns > UINT64_MAX - length)
			continue;
		first = w->start_ns < first ? w->start_ns : first;
		last = w->start_ns + w->len_ns > last ? w->start_ns + w->len_ns : last;
		length += w->len_ns;
		count += w->windows;
	}
	*width = count ? length / count : 0;
	*window = count ? (last - first) / count : 0;
}

static void put_parameters(const struct stage_out *s)
{
	uint64_t exposure = 0, width, window;

	for (size_t i = 0; i < s->stage->cpus; i++) {
		if (s->stage->cpu[i].exposure_ns > exposure)
			exposure = s->stage->cpu[i].exposure_ns;
	}
	window_times(s, &width, &window);
	printf("hwlatdetect:  test duration %" PRIu64 " seconds\n", exposure / NS_PER_S);
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
	const struct run_stage *stage = s->stage;
	uint64_t began = s->options->has_began ? s->options->began_ns : 0;

	for (size_t i = 0; i < stage->gaps; i++) {
		const struct run_gap *g = &stage->gap[i];
		uint64_t at = arith_sum(began, g->t_ns);

		printf("ts: %" PRIu64 ".%09" PRIu64 ", inner:%" PRIu64 ", outer:0, cpu:%" PRIu32
		       "\n",
		       at / NS_PER_S, at % NS_PER_S, us(g->len_ns), g->cpu);
	}
}

static void put_hwlatdetect(const struct stage_out *s)
{
	struct run_stage *stage = s->stage;
	uint64_t longest = 0, gaps = 0;

	for (size_t i = 0; i < s->stage->cpus; i++) {
		longest = s->stage->cpu[i].max_ns > longest ? s->stage->cpu[i].max_ns : longest;
		gaps = arith_sum(gaps, s->stage->cpu[i].gaps);
	}
	merge_sort(stage);
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

bool show_hwlatdetect_capture(const struct show_options *o, const struct capture *c)
{
	each_stage(o, c, put_hwlatdetect);
	return true;
}

/* ---- sysjitter ---- */

static void cell_core(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu32, cpu->cpu);
}

static void cell_threshold(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)cpu, (void)unused;
	printf(" %" PRIu64, s->threshold_ns);
}

static void cell_mhz(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)cpu, (void)unused;
	printf(" %" PRIu64, s->run->begin.clock.hz / 1000000);
}

static void cell_runtime(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu64, cpu->exposure_ns);
}

static void cell_seconds(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %.3f", (double)cpu->exposure_ns / NS_PER_S);
}

static void cell_gaps(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu64, cpu->gaps);
}

static double ratio(double a, uint64_t b)
{
	return b ? a / (double)b : 0;
}

static void cell_rate(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %.3f", ratio((double)cpu->gaps * NS_PER_S, cpu->exposure_ns));
}

static void cell_quantile(const struct stage_out *s, const struct record_cpu *cpu, double share)
{
	struct maybe at = quantile_at(&cpu->histogram, share);

	(void)s;
	if (at.known || !cpu->gaps)
		printf(" %" PRIu64, at.value);
	else
		fputs(" n/a", stdout);
}

static void cell_mean(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu64, cpu->gaps ? cpu->noise_ns / cpu->gaps : 0);
}

static void cell_max(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu64, cpu->max_ns);
}

static void cell_total(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %" PRIu64, cpu->noise_ns);
}

static void cell_percent(const struct stage_out *s, const struct record_cpu *cpu, double unused)
{
	(void)s, (void)unused;
	printf(" %.3f", ratio((double)cpu->noise_ns * 100, cpu->exposure_ns));
}

static const struct {
	const char *name;
	void (*cell)(const struct stage_out *s, const struct record_cpu *cpu, double share);
	double share;
} rows[] = {
	{ "core_i:", cell_core, 0 },
	{ "threshold(ns):", cell_threshold, 0 },
	{ "cpu_mhz:", cell_mhz, 0 },
	{ "runtime(ns):", cell_runtime, 0 },
	{ "runtime(s):", cell_seconds, 0 },
	{ "int_n:", cell_gaps, 0 },
	{ "int_n_per_sec:", cell_rate, 0 },
	{ "int_min(ns):", cell_quantile, 0 },
	{ "int_median(ns):", cell_quantile, 0.5 },
	{ "int_mean(ns):", cell_mean, 0 },
	{ "int_90(ns):", cell_quantile, 0.9 },
	{ "int_99(ns):", cell_quantile, 0.99 },
	{ "int_999(ns):", cell_quantile, 0.999 },
	{ "int_9999(ns):", cell_quantile, 0.9999 },
	{ "int_99999(ns):", cell_quantile, 0.99999 },
	{ "int_max(ns):", cell_max, 0 },
	{ "int_total(ns):", cell_total, 0 },
	{ "int_total(%):", cell_percent, 0 },
};

static void put_sysjitter(const struct stage_out *s)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		fputs(rows[i].name, stdout);
		for (size_t n = 0; n < s->stage->cpus; n++)
			rows[i].cell(s, &s->stage->cpu[n], rows[i].share);
		putchar('\n');
	}
}

bool show_sysjitter_capture(const struct show_options *o, const struct capture *c)
{
	each_stage(o, c, put_sysjitter);
	return true;
}
