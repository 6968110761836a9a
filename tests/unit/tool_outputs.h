/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What each tool prints of random gaps, in its own form and cut as it cuts them, and the figures
 * that the output has to hold.
 */
#pragma once

#include "core/records/record.h"

#include "tests/unit/capture.h"
#include "tests/unit/split_holds.h"

#include <inttypes.h>

#define GAPS_MAX 24
#define US(ns)   ((unsigned long long)((ns) / 1000))
#define NS(ns)   ((unsigned long long)(ns))

/* Of one core: gaps, and the figures that the tool's output has to hold. */
struct seen {
	uint64_t gap[GAPS_MAX + 1]; /* a quiet quantum has none */
	size_t gaps;
	uint64_t events, sum_ns, max_ns, cause_ns[TOOL_CAUSES], causes[TOOL_CAUSES];
};

static struct seen saw[CORES_MAX];
static uint32_t cores;
static FILE *to; /* the output */

#define EACH_CORE(n) for (uint32_t n = 0; n < cores; n++)

static inline void see(struct seen *c, uint64_t ns)
{
	c->events++;
	c->sum_ns += ns;
	c->max_ns = arith_max(c->max_ns, ns);
}

/* Gaps of at least `least` ns, all seen. */
static inline void make_gaps(uint64_t least)
{
	cores = 1 + (uint32_t)(bits() % CORES_MAX);
	memset(saw, 0, sizeof(saw));
	EACH_CORE(n)
	{
		for (saw[n].gaps = bits() % GAPS_MAX; saw[n].events < saw[n].gaps;) {
			uint64_t ns = least + any(400000);

			saw[n].gap[saw[n].events] = ns;
			see(&saw[n], ns);
		}
	}
}

/* ---- hwlat: the longest of a window's turns, and how many were above 10 us ---- */

struct window {
	uint64_t longest[2], count; /* inner, outer */
};

/* A turn may have a gap within, one before, or both. */
static inline void take_turn(struct window *w, struct seen *c, size_t *i)
{
	bool both = one_in(4) && *i + 1 < c->gaps, counts = false;
	unsigned side = both ? 0 : bits() % 2;

	for (unsigned k = 0; k <= both; k++, side = 1) {
		uint64_t ns = c->gap[(*i)++];

		w->longest[side] = arith_max(w->longest[side], ns);
		if (ns < 11000)
			continue;
		see(c, ns);
		counts = true;
	}
	w->count += counts;
}

/* The next window that is reported. */
static inline bool next_window(struct window *w, struct seen *c, size_t *i)
{
	if (!*i)
		c->events = c->sum_ns = c->max_ns = 0;
	do {
		*w = (struct window){ .count = 0 };
		for (uint64_t turns = 1 + bits() % 5; turns && *i < c->gaps; turns--)
			take_turn(w, c, i);
	} while (!w->count && *i < c->gaps);
	return w->count;
}

static inline void print_hwlat(void)
{
	bool fields = one_in(2), counts = one_in(2);
	struct window w;

	make_gaps(1000);
	fprintf(to, "# noisefloor: cpus=0-%u exposure=60s\n# tracer: hwlat\n", cores - 1);
	EACH_CORE(n)
	{
		for (size_t i = 0; next_window(&w, &saw[n], &i);) {
			fprintf(to, " <...>-%u [%03u] d.... 9.5: ", 90 + n, n);
			if (fields)
				fprintf(to, "hwlat: cnt:1 ts:9.0000000007 inner:%llu outer:%llu",
					US(w.longest[0]), US(w.longest[1]));
			else
				fprintf(to, "#1 inner/outer(us): %4llu/%-5llu ts:9.000000007",
					US(w.longest[0]), US(w.longest[1]));
			if (counts)
				fprintf(to, " count:%llu", NS(w.count));
			fputc('\n', to);
		}
	}
}

static inline void print_hwlatdetect(void)
{
	struct window w;

	make_gaps(1000);
	fprintf(to,
		"hwlatdetect:  test duration 60 seconds\n   detector: tracer\n   CPU list: 0-%u\n"
		"        Latency threshold: 10us\n        Sample window:     1000000us\n"
		"        Sample width:      500000us\n",
		cores - 1);
	EACH_CORE(n)
	{
		for (size_t i = 0; next_window(&w, &saw[n], &i);)
			fprintf(to, "ts: 9.7, inner:%llu, outer:%llu, cpu:%u, count:%llu\n",
				US(w.longest[0]), US(w.longest[1]), n, NS(w.count));
	}
	fprintf(to, "Max Latency: Below threshold\n");
}

/* ---- osnoise: sums of each period, or each noise ---- */

static const char *const noises[] = { "nmi_noise:", "irq_noise: timer:236",
				      "softirq_noise: TIMER:1", "thread_noise: rcuc/0:19" };

/* A noise with a cause in it, or none: hardware. */
static inline void print_noise(struct seen *c, uint32_t cpu, uint64_t ns, uint64_t at_ns)
{
	unsigned cause = (unsigned)(bits() % TOOL_CAUSES);
	uint64_t part = cause == TOOL_HARDWARE ? ns : ns - any(ns / 2);

	if (cause != TOOL_HARDWARE)
		fprintf(to, "o-9 [%03u] .... 9.1: %s start 9.%09llu duration %llu ns\n", cpu,
			noises[cause], NS(at_ns), NS(part));
	fprintf(to,
		"o-9 [%03u] .... 9.1: sample_threshold: start 9.%09llu duration %llu ns "
		"interference %u\n",
		cpu, NS(at_ns), NS(ns), cause != TOOL_HARDWARE);
	c->cause_ns[cause] += part;
	c->causes[cause]++;
}

static inline void print_figures(const struct seen *c, uint32_t cpu)
{
	fprintf(to, "o-9 [%03u] .... 9.9: 1000000 %llu 99.00000 %llu %llu %llu %llu %llu %llu\n",
		cpu, US(c->sum_ns), US(c->max_ns), NS(c->causes[TOOL_HARDWARE]),
		NS(c->causes[TOOL_NMI]), NS(c->causes[TOOL_IRQ]), NS(c->causes[TOOL_SOFTIRQ]),
		NS(c->causes[TOOL_THREAD]));
}

static inline void print_events(void)
{
	bool figures = one_in(2);

	make_gaps(5000);
	fprintf(to, "# tracer: osnoise\n");
	EACH_CORE(n)
	{
		for (size_t i = 0; i < saw[n].gaps; i++)
			print_noise(&saw[n], n, saw[n].gap[i], 1000000 * (i + 1));
		if (figures || !saw[n].gaps)
			print_figures(&saw[n], n);
	}
}

/* Gaps in periods of a few each: what is summed of the periods' figures, each cut to us. */
static inline uint64_t cut_periods(const struct seen *c, uint64_t *periods, uint64_t *most)
{
	uint64_t sum_us = 0, period = 0;

	*periods = *most = 0;
	for (size_t i = 0; i < c->gaps || !*periods; i++) {
		period += i < c->gaps ? c->gap[i] : 0;
		if (i + 1 < c->gaps && !one_in(4))
			continue;
		*most = arith_max(*most, period / 1000);
		sum_us += period / 1000;
		++*periods;
		period = 0;
	}
	return sum_us;
}

static inline void print_lines(void)
{
	make_gaps(5000);
	fprintf(to, "# tracer: osnoise\n");
	EACH_CORE(n)
	{
		struct seen all = saw[n], part = { .gaps = 0 };

		for (size_t i = 0; i < all.gaps || !i; i++) {
			if (i < all.gaps)
				see(&part, all.gap[i]);
			if (i + 1 < all.gaps && !one_in(4))
				continue;
			print_figures(&part, n);
			part = (struct seen){ .gaps = 0 };
		}
	}
}

static inline void print_top(void)
{
	bool hardware = one_in(2);
	uint64_t periods, most;

	make_gaps(5000);
	fprintf(to, "%s\nduration: 0 00:00:05 | time is in us\n",
		hardware ? "Hardware-related Noise" : "Operating System Noise");
	EACH_CORE(n)
	{
		uint64_t sum_us = cut_periods(&saw[n], &periods, &most);

		fprintf(to, "%3u #%-5llu %12llu %12llu    98.10640 %12llu %12llu %12llu %12u%s\n",
			n, NS(periods), NS(periods * 1000000), NS(sum_us), NS(most),
			US(saw[n].max_ns), NS(saw[n].events), 0,
			hardware ? "" : "     0    0    0");
	}
}

/* ---- Histograms: a row per bucket, a column per core ---- */

/* Gaps of the core in the bucket that begins at `from` us; the last has the longer ones, too. */
static inline uint64_t in_bucket(const struct seen *c, uint64_t from, uint64_t width, bool last)
{
	uint64_t count = 0;

	for (size_t i = 0; i < c->gaps; i++)
		count += c->gap[i] / 1000 >= from && (last || c->gap[i] / 1000 < from + width);
	return count;
}

/* Of all cores; false where there is none. */
static inline bool print_bucket(const char *name, uint64_t from, uint64_t width, bool last)
{
	uint64_t any_gap = 0;

	EACH_CORE(n) any_gap += in_bucket(&saw[n], from, width, last);
	if (!any_gap && !last)
		return false;
	fprintf(to, "%s", name);
	EACH_CORE(n) fprintf(to, " %9llu", NS(in_bucket(&saw[n], from, width, last)));
	return fputc('\n', to) != EOF;
}

static inline void print_hist(void)
{
	const uint64_t width = (uint64_t[]){ 1, 5, 50 }[bits() % 3];
	bool quiet = one_in(10);
	char name[24];

	make_gaps(5000);
	fprintf(to, "# RTLA osnoise histogram\n# Duration:   0 00:00:05\nIndex");
	EACH_CORE(n)
	{
		if (quiet) {
			saw[n] = (struct seen){ .gaps = 0 };
		} else if (!saw[n].gaps) { /* it would have no column */
			saw[n].gap[saw[n].gaps++] = 5000;
			see(&saw[n], 5000);
		}
	}
	if (quiet) {
		fprintf(to, "\nover: 0\ncount: 0\nmin: 0\navg: 0\nmax: 0\n");
		return;
	}
	EACH_CORE(n) fprintf(to, " CPU-%03u", n);
	fputc('\n', to);
	for (uint64_t from = 0; from < 256 * width; from += width) {
		snprintf(name, sizeof(name), "%-6llu", NS(from));
		print_bucket(name, from, width, false);
	}
	print_bucket("over: ", 256 * width, 0, true);
	print_bucket("count:", 0, 0, true);
	fprintf(to, "max:  ");
	EACH_CORE(n) fprintf(to, " %9llu", NS(saw[n].max_ns / 1000 / width * width));
	fputc('\n', to);
}

/* oslat counts every turn; since 2.5 it rounds to the us above, since 2.7 to that below. */
static inline void print_oslat(void)
{
	const unsigned minor = (unsigned[]){ 4, 6, 7 }[bits() % 3];
	const uint64_t up = minor == 6 ? 999 : 0, rows = 2 + bits() % 30;

	make_gaps(2001);
	fprintf(to, "oslat V 2.%u0\n        Core:", minor);
	EACH_CORE(n) fprintf(to, " %u", n);
	for (uint64_t row = 0; row < rows; row++) {
		fprintf(to, "\n    %03llu (us):", NS(row + 1));
		EACH_CORE(n)
		{
			uint64_t turns = row == (up ? 1 : 0) ? 1000000 : 0;

			for (size_t i = 0; i < saw[n].gaps; i++)
				turns += arith_min((saw[n].gap[i] + up) / 1000, rows - 1) == row;
			fprintf(to, " %llu", NS(turns));
		}
	}
	fprintf(to, " (including overflows)\n     Maximum:");
	EACH_CORE(n)
	{
		/* Of none it is that of the other turns. */
		uint64_t max = saw[n].max_ns ? saw[n].max_ns : 700;

		fprintf(to, " %llu", US(max + (minor < 7 ? 999 : 0)));
		if (rows == 2 && up) /* gaps and all other turns are in the last bucket */
			saw[n] = (struct seen){ .max_ns = max };
	}
	fprintf(to, " (us)\n    Duration:");
	EACH_CORE(n) fprintf(to, " 4.000");
	fprintf(to, " (sec)\n");
}

static inline void print_oslat_json(void)
{
	const uint64_t rows = 3 + bits() % 30;

	make_gaps(2001);
	fprintf(to, "{\"file_version\": 1, \"cmdline:\": \"oslat -D 4\", "
		    "\"rt_test_version:\": \"2.40\", \"thread\": {");
	EACH_CORE(n)
	{
		fprintf(to, "%s\"%u\": {\"cpu\": %u, \"max\": %llu, \"duration\": 4.0, ",
			n ? ", " : "", n, n, US(saw[n].max_ns + 999));
		fprintf(to, "\"histogram\": {\"1\": 1000000");
		for (uint64_t row = 1; row < rows; row++) {
			uint64_t turns = in_bucket(&saw[n], row, 1, row + 1 == rows);

			if (turns || row == 1)
				fprintf(to, ", \"%llu\": %llu", NS(row + 1), NS(turns));
		}
		fprintf(to, "}}");
	}
	fprintf(to, "}}\n");
}

/* ---- sysjitter: ns of cycles by whole MHz ---- */

#define CYCLES(ns) ((ns)*2597321 / 1000000) /* 2597.321 MHz */

static inline void print_row(const char *name, size_t at, uint64_t (*of)(uint64_t value))
{
	fprintf(to, "%s", name);
	EACH_CORE(n)
	fprintf(to, " %llu", NS(of(*(const uint64_t *)(const void *)((const char *)&saw[n] + at))));
	fputc('\n', to);
}

static inline uint64_t as_it_is(uint64_t value)
{
	return value;
}

static inline uint64_t by_mhz(uint64_t ns)
{
	return (CYCLES(ns) + 1) * 1000 / 2597;
}

static inline uint64_t one_mhz(uint64_t value)
{
	return 2597 + value * 0;
}

static inline uint64_t one_us(uint64_t value)
{
	return 1000 + value * 0;
}

static inline uint64_t one_minute(uint64_t value)
{
	return 60 * S + value * 0;
}

static inline void print_sysjitter(void)
{
	make_gaps(1000);
	fprintf(to, "core_i:");
	EACH_CORE(n) fprintf(to, " %u", n);
	fputc('\n', to);
	print_row("threshold(ns):", 0, one_us);
	print_row("cpu_mhz:", 0, one_mhz);
	print_row("runtime(ns):", 0, one_minute);
	print_row("int_n:", offsetof(struct seen, events), as_it_is);
	print_row("int_max(ns):", offsetof(struct seen, max_ns), by_mhz);
	print_row("int_total(ns):", offsetof(struct seen, sum_ns), by_mhz);
}

static inline void print_sysjitter_raw(void)
{
	make_gaps(1000);
	cores = 1;
	fprintf(to,
		"# cpu_mhz: 2597\n# threshold: 1000\n# n_interruptions: %llu\n"
		"# total_runtime: 60.000000000 (s)\n",
		NS(saw->events));
	for (size_t i = 0; i < saw->gaps; i++)
		fprintf(to, "%zu 5 %llu %llu\n", i, NS(CYCLES(saw->gap[i]) + 1),
			NS(by_mhz(saw->gap[i])));
}

/* ---- What the kernel does, and how late it wakes ---- */

static inline void print_detour(void)
{
	static const char *const kinds[] = {
		[TOOL_IRQ] = "Irq", [TOOL_SOFTIRQ] = "Softirq", [TOOL_THREAD] = "Sched"
	};
	static const char *const names[] = { [TOOL_IRQ] = "IRQ: 24 [nvme]",
					     [TOOL_SOFTIRQ] = "SIRQ: 1 [TIMER]",
					     [TOOL_THREAD] = "PidNew: 1774 [kswapd0]" };

	make_gaps(1000);
	fprintf(to, "# detect-detour.py --threshold 1000\n");
	EACH_CORE(n)
	{
		for (size_t i = 0; i < saw[n].gaps; i++) {
			unsigned cause = TOOL_IRQ + (unsigned)(bits() % 3);

			fprintf(to, "[%zu.500000] %s: CPU: %u   Pid: 7 [x]   Duration: %llu   %s\n",
				9 + i, kinds[cause], n, NS(saw[n].gap[i]), names[cause]);
			saw[n].cause_ns[cause] += saw[n].gap[i];
		}
	}
}

static inline void print_cyclictest(void)
{
	make_gaps(1000);
	EACH_CORE(n)
	fprintf(to, "T:%2u (  150) P:90 I:1000 C:%7llu Min:     20 Act:   50 Avg:  102 Max:%8llu\n",
		n, NS(saw[n].events), US(saw[n].max_ns));
}

static inline void print_cyclictest_json(void)
{
	bool ns = one_in(2);

	make_gaps(1000);
	fprintf(to,
		"{\"file_version\": 1, \"cmdline:\": \"cyclictest -S\", \"resolution_in_ns\": "
		"%d, \"thread\": {",
		ns);
	EACH_CORE(n)
	fprintf(to, "%s\"%u\": {\"cpu\": %u, \"max\": %llu, \"cycles\": %llu}", n ? ", " : "", n, n,
		ns ? NS(saw[n].max_ns) : US(saw[n].max_ns), NS(saw[n].events));
	fprintf(to, "}}\n");
}

static inline void print_timerlat(void)
{
	make_gaps(1000);
	fprintf(to, "   Timer Latency   \n");
	EACH_CORE(n)
	fprintf(to, "%3u #%-8llu | 0 0 0 %llu | 10 3 9 %llu\n", n, NS(saw[n].events),
		US(saw[n].max_ns / 2), US(saw[n].max_ns));
}

static inline void print_timerlat_trace(void)
{
	bool trace_cmd = one_in(2);

	make_gaps(1000);
	fprintf(to, "# tracer: timerlat\n");
	EACH_CORE(n)
	{
		for (size_t i = 0; i < 2 * saw[n].gaps; i++) {
			uint64_t ns = i % 2 ? saw[n].gap[i / 2] : saw[n].gap[i / 2] / 2;

			if (trace_cmd)
				fprintf(to,
					"x-9 [%03u] 9.1: timerlat: seq:%zu\tcontext:%zu\t"
					"timer_latency:%llu\n",
					n, i / 2, i % 2, NS(ns));
			else
				fprintf(to,
					"x-9 [%03u] d.h. 9.1: #%-5zu context %6s timer_latency "
					"%9llu ns\n",
					n, i / 2, i % 2 ? "thread" : "irq", NS(ns));
		}
	}
}

static inline void print_timerlat_hist(void)
{
	make_gaps(1000);
	fprintf(to, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\nIndex");
	EACH_CORE(n) fprintf(to, " IRQ-%03u Thr-%03u", n, n);
	/* There are no buckets: all latencies are past the last one. */
	fprintf(to, "\nover:");
	EACH_CORE(n) fprintf(to, " %llu %llu", NS(saw[n].events), NS(saw[n].events));
	fprintf(to, "\ncount:");
	EACH_CORE(n) fprintf(to, " %llu %llu", NS(saw[n].events), NS(saw[n].events));
	fprintf(to, "\nmax:");
	EACH_CORE(n) fprintf(to, " %llu %llu", US(saw[n].max_ns / 2), US(saw[n].max_ns));
	fprintf(to, "\n");
}

/* The longest stands for its bucket's end: of 256 sub-buckets, at least half are used. */
static inline void print_jhiccup(void)
{
	uint64_t width = 1;

	make_gaps(1000000);
	cores = 1;
	while (saw->max_ns / width >= 256)
		width *= 2;
	fprintf(to,
		"#[Overall percentile distribution between 0.000 and <Infinite> seconds]\n"
		"#[Max     = %12.2f, Total count    = %12llu]\n"
		"#[Buckets =           18, SubBuckets     =          256]\n",
		(double)(saw->max_ns / width * width + width - 1) / 1e6, NS(saw->events));
}

/* ---- Work: what a quantum takes beyond the quickest ---- */

#define WORK 1234567 /* ns */

/* A quiet one, and at least one with a gap. */
static inline void make_quanta(void)
{
	make_gaps(5000);
	cores = 1;
	if (!saw->gaps) {
		saw->gap[saw->gaps++] = 5000;
		see(saw, 5000);
	}
	saw->gap[saw->gaps] = 0;
}

static inline void print_fwq(void)
{
	bool ticks = one_in(2);

	make_quanta();
	fprintf(to, "%s\n",
		ticks ? "# noisefloor: hz=1000000000" : "# Fixed Work Quantum Benchmark");
	for (size_t i = 0; i <= saw->gaps; i++) {
		uint64_t ns = WORK + saw->gap[i];

		if (ticks)
			fprintf(to, "%llu\n", NS(ns));
		else
			fprintf(to, "%zu  %llu\n", i, US(ns));
	}
}

/* Differences of times of day in us; those of the longest are only in the sum. */
static inline void print_psnap(void)
{
	uint64_t us[GAPS_MAX + 1], sum = 0, longest = 0, now = any(1000), first;

	make_quanta();
	if (one_in(2) && saw->gaps > 1) {
		/* The longest twice, or three times. */
		for (size_t i = saw->gaps; i < saw->gaps + 2 && i < GAPS_MAX; i++)
			saw->gap[i] = saw->max_ns;
		while (saw->events < GAPS_MAX && saw->events < saw->gaps + 2)
			see(saw, saw->max_ns);
		saw->gaps = saw->events;
		saw->gap[saw->gaps] = 0;
	}
	for (size_t i = 0; i <= saw->gaps; i++) {
		first = now;
		now += WORK + saw->gap[saw->gaps - i];
		us[i] = now / 1000 - first / 1000;
		sum += us[i];
		longest = us[i] > us[longest] ? i : longest;
	}
	fprintf(to, "# P-SNAP: PAL System Noise Activity Program v1.0\n# 0 1.000000 %llu node1\n",
		NS(sum));
	for (size_t i = 0; i <= saw->gaps; i++) {
		if (us[i] != us[longest])
			fprintf(to, "0 %llu 1 node1\n", NS(us[i]));
	}
}

/* Pieces of 300 ns in quanta of 100 us; a gap begins with the next piece. */
static inline void print_ftq(void)
{
	uint64_t now = 0, next = 0, work = 0, noise = 0, left;
	size_t quantum = 0;

	make_gaps(1000);
	cores = 1;
	left = saw->gaps;
	saw->sum_ns = saw->max_ns = 0;
	fprintf(to, "# Frequency 10000.000000\n# thread 0, core 0\n");
	for (; quantum < 40; work++) {
		uint64_t gap = left && quantum && one_in(500) ? saw->gap[--left] : 0;

		noise += gap;
		now += 300 + gap;
		if (now < (quantum + 1) * 100000)
			continue;
		fprintf(to, "%llu %llu\n", NS(next), NS(work + 1));
		saw->sum_ns += noise;
		saw->max_ns = arith_max(saw->max_ns, noise);
		next = now;
		quantum = now / 100000;
		work = UINT64_MAX;
		noise = 0;
	}
	fprintf(to, "%llu 1\n", NS(next));
}

/* ---- noisefloor's own records ---- */

static inline void print_own(void)
{
	struct record_begin begin = { .version = "9.8", .config = "threshold=1us" };
	struct record_end end = { .verdict = "none" };
	struct capture c;

	make_gaps(1000);
	capture_start(&c, 0x2a);
	record_send(&c.link, RECORD_BEGIN, &begin);
	EACH_CORE(n)
	{
		uint64_t pair[GAPS_MAX][2];
		struct record_cpu cpu = { .stage = "os",
					  .cpu = n,
					  .exposure_ns = 60 * S,
					  .noise_ns = saw[n].sum_ns,
					  .max_ns = saw[n].max_ns,
					  .gaps = saw[n].events,
					  .histogram = { (const uint64_t(*)[2])pair, 0 } };

		while (cpu.histogram.count < saw[n].gaps) {
			uint64_t *at = pair[cpu.histogram.count];

			at[0] = saw[n].gap[cpu.histogram.count++];
			at[1] = 1;
		}
		record_send(&c.link, RECORD_CPU, &cpu);
	}
	record_send(&c.link, RECORD_END, &end);
	fwrite(c.bytes, 1, c.count, to);
	capture_free(&c);
}
