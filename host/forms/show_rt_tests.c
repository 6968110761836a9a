/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The last measured stage of a run as `oslat --json` of rt-tests 2.8 writes it (file_version 1),
 * whose times are whole us, rounded down. The label of a bucket is its upper edge; the lowest holds
 * the turns of the loop without a gap, the highest all that is longer, too. A gap is put where the
 * lower edge of its own bucket is, which is 1.6 % wide at most. How many turns there were, and so
 * `avg`, is estimated by the median turn. `max` is exact.
 */
#include "show_form.h"

#include "host/capture/result.h"
#include "host/lib/json_name.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <time.h>

#define BUCKETS 32 /* oslat's default */

/* "Sun, 22 Nov 2026 18:10:15 +0000"; null for a time that is not known. */
static json_t *date(uint64_t ns)
{
	time_t s = (time_t)(ns / NS_PER_S);
	char text[64];
	struct tm tm;

	if (!ns || !gmtime_r(&s, &tm) ||
	    !strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S +0000", &tm))
		return json_null();
	return json_string(text);
}

/* The upper edge of the lowest bucket, us: no gap is shorter. */
static uint64_t lowest_us(const struct result *run)
{
	return arith_max(1, arith_sum(result_threshold(run), NS_PER_US - 1) / NS_PER_US);
}

/* The median turn, ns; 0: not known. */
static double turn_ns(const struct result *run, const struct record_cpu *cpu)
{
	uint64_t hz = run->begin.clock.hz;

	return hz ? (double)cpu->interval_p50 * NS_PER_S / (double)hz : 0;
}

static double turns(const struct result *run, const struct record_cpu *cpu)
{
	double ns = turn_ns(run, cpu);

	return ns > 0 ? (double)arith_less(cpu->exposure_ns, cpu->noise_ns) / ns : 0;
}

static json_t *average(const struct result *run, const struct record_cpu *cpu)
{
	double all = turns(run, cpu) + (double)cpu->gaps;

	return turns(run, cpu) > 0 ? json_real((double)cpu->exposure_ns / NS_PER_US / all)
				   : json_null();
}

/* Half of the turns are no longer than the median. */
static json_t *least(const struct result *run, const struct record_cpu *cpu)
{
	double ns = turn_ns(run, cpu);

	return ns > 0 && ns < NS_PER_US ? json_integer(0) : json_null();
}

static uint64_t most_us(const struct result *run, const struct record_cpu *cpu)
{
	uint64_t ns = cpu->gaps ? cpu->max_ns : arith_less(result_threshold(run), 1);

	return ns / NS_PER_US;
}

static json_t *histogram(const struct result *run, const struct record_cpu *cpu)
{
	uint64_t lowest = lowest_us(run), count[BUCKETS] = { 0 };
	json_t *list = json_object();
	double unseen = turns(run, cpu);
	char label[24];

	count[0] = unseen < (double)INT64_MAX ? (uint64_t)(unseen + 0.5) : INT64_MAX;
	for (size_t i = 0; i < cpu->histogram.count; i++) {
		const uint64_t *pair = cpu->histogram.at[i];
		uint64_t n = arith_less(pair[0] / NS_PER_US + 1, lowest);

		n = arith_min(n, BUCKETS - 1);
		count[n] = arith_sum(count[n], pair[1]);
	}
	for (size_t n = 0; n < BUCKETS; n++) {
		snprintf(label, sizeof(label), "%" PRIu64, lowest + n);
		json_object_set_new(list, label, json_number(count[n]));
	}
	return list;
}

static json_t *thread(const struct result *run, const struct record_cpu *cpu)
{
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:f,s:o}", "cpu", json_number(cpu->cpu), "freq",
			 json_number(run->begin.clock.hz / 1000000), "min", least(run, cpu), "avg",
			 average(run, cpu), "max", json_number(most_us(run, cpu)), "duration",
			 (double)(cpu->exposure_ns / 1000000) / 1000, "histogram",
			 histogram(run, cpu));
}

static json_t *threads(const struct result *run, const struct result_stage *stage)
{
	json_t *list = json_object();
	char number[24];

	for (size_t n = 0; n < stage->cpus; n++) {
		snprintf(number, sizeof(number), "%zu", n);
		json_object_set_new(list, number, thread(run, &stage->cpu[n]));
	}
	return list;
}

/* The system is ours: no kernel was running. */
static json_t *system_of(const struct result *run, const struct result_stage *stage)
{
	struct result_identity id;
	char name[64];

	result_identify(run, &id);
	snprintf(name, sizeof(name), "stage %s", stage->name);
	return json_pack("{s:s,s:o,s:o,s:o,s:s,s:i}", "sysname", "noisefloor", "nodename",
			 json_name(id.machine), "release", json_name(id.version), "version",
			 json_name(name), "machine", "n/a", "realtime", 0);
}

static void put_stage(const struct show_options *o, const struct result *run,
		      const struct result_stage *stage)
{
	uint64_t began = o->has_began ? o->began_ns : result_began_ns(run);

	json_print(json_pack("{s:i,s:s,s:s,s:o,s:o,s:i,s:o,s:o,s:o}", "file_version", 1,
			     "cmdline:", "oslat --json, by noisefloor", "rt_test_version:", "2.80",
			     "start_time", date(began), "end_time",
			     date(began ? arith_sum(began, result_length_ns(run)) : 0),
			     "return_code", result_exit_code(run), "sysinfo", system_of(run, stage),
			     "num_threads", json_number(stage->cpus), "thread",
			     threads(run, stage)),
		   JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}

/* The file holds one test. */
static void put_run(const struct show_options *o, const struct capture *c, struct result *run)
{
	const struct result_stage *stage = NULL;
	static bool any;

	for (size_t i = 0; i < run->stages; i++)
		stage = run->stage[i].cpus ? &run->stage[i] : stage;
	if (stage && any)
		fprintf(stderr, "%s: run %016" PRIx64 " is left out: the file holds one\n", c->name,
			run->sid);
	else if (stage)
		put_stage(o, run, stage);
	any |= stage != NULL;
}

const struct show_form show_form_rt_tests = {
	.only = &mode_gaps,
	.keep = RESULT_ALL,
	.run = put_run,
	.flaws_apart = true,
};
