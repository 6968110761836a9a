/* SPDX-License-Identifier: BSD-2-Clause */
/* A floor: its gaps from a length on, and those to be expected in another exposure. */
#include "floor.h"

#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/lib/text_sanitize.h"
#include "host/statistics/chance.h"

#include "core/lib/arith.h"

#include <math.h>
#include <string.h>

#define NS_MAX 1.8e19
#define TAIL   0.025    /* on each side */
#define Z      1.959964 /* the quantile of the normal distribution at TAIL */

static const char *const inherited[] = { "linux", "handoff", "acpi", "bare", "firmware" };

static bool has_calls(const struct result_stage *stage)
{
	return stage->kept[RECORD_SERVICE].count;
}

/* The stage with that name; NULL: the last that an OS inherits. It has calls, or cores. */
static const struct result_stage *choose_stage(const struct result *run, const char *name,
					       bool calls)
{
	for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++) {
		const char *known = name ?: inherited[i];
		const struct result_stage *stage = calls ? result_find_stage(run, known)
							 : result_find_measured(run, known);

		if (stage && (!calls || has_calls(stage)))
			return stage;
	}
	return NULL;
}

/* List the stages that have figures. Returns false if there are none. */
static bool list_stages(const struct capture *c, struct text *why)
{
	const char *before = "";

	for (size_t i = 0; i < c->runs; i++) {
		for (size_t n = 0; n < c->run[i]->stages; n++) {
			const struct result_stage *stage = &c->run[i]->stage[n];

			if (!stage->cpus && !has_calls(stage))
				continue;
			text_add(why, "%s%s", before, stage->name);
			before = ", ";
		}
	}
	return *before;
}

double floor_burst(const struct result_stage *stage)
{
	return stage->cpus ? spread_of_counter(stage, SPREAD_GAPS, stage->cpus).size : 1;
}

static bool is_clock_wrong(const struct result *run, const char *stage)
{
	bool wrong = false;

	for (size_t i = 0; i < run->pauses && !wrong; i++)
		wrong = strcmp(run->pause[i].stage ? run->pause[i].stage : "n/a", stage) == 0;
	return wrong;
}

static void floor_describe(struct floor *floor)
{
	result_identify(floor->run, &floor->of);
	floor->threshold_ns = result_threshold(floor->run);
	floor->burst = floor_burst(floor->stage);
	floor->clock_wrong = is_clock_wrong(floor->run, floor->stage->name);
	text_sanitize_copy(floor->stage_name, sizeof(floor->stage_name), floor->stage->name);
}

static bool floor_refuse(const struct capture *c, const char *stage)
{
	TEXT_DEFINE(why, 400);

	if (!c->runs && c->want.run)
		return capture_list_runs(c, CAPTURE_NO_RUN);
	text_add(&why,
		 "no stage %s to use as the floor; measured: ", stage ? stage : "below an OS");
	if (!list_stages(c, &why)) {
		text_reset(&why);
		text_add(&why, "no noisefloor run with cpu records");
	}
	text_sanitize(why.buf);
	c->want.complain(c->want.ctx, c->name, 0, why.buf);
	return false;
}

static void choose_calls(const struct capture *c, const char *stage, struct floor *floor)
{
	for (size_t i = c->runs; i-- > 0 && !floor->calls;) {
		floor->calls = choose_stage(c->run[i], stage, true);
		if (floor->calls && !floor->stage)
			floor->run = c->run[i];
	}
	if (!floor->stage)
		floor->stage = floor->calls;
}

bool floor_choose(const struct capture *c, const char *stage, struct floor *floor)
{
	*floor = (struct floor){ .file = c->name };
	for (size_t i = c->runs; i-- > 0;) {
		const struct result *run = c->run[i];

		floor->runs += run->cpus > 0;
		if (floor->stage)
			continue;
		floor->run = run;
		floor->stage = choose_stage(run, stage, false);
	}
	choose_calls(c, stage, floor);
	if (!floor->stage)
		return floor_refuse(c, stage);
	floor_describe(floor);
	return true;
}

/* A core's noise by the lengths of its gaps. */
struct split {
	struct range wanted;  /* lengths */
	struct range in, out; /* sums */
};

/* One bucket: in the range, outside, or undecided. */
static void add_bucket(struct floor_sum *sum, struct split *s, const struct range bucket,
		       uint64_t count)
{
	const struct range wanted = s->wanted;
	bool surely = bucket.low >= wanted.low && bucket.high <= wanted.high;
	bool never = bucket.high < wanted.low || bucket.low > wanted.high;
	uint64_t longest = arith_min(bucket.high, wanted.high);

	if (surely)
		s->in.low = arith_sum(s->in.low, arith_times(bucket.low, count));
	else
		s->out.high = arith_sum(s->out.high, arith_times(bucket.high, count));
	if (never) {
		s->out.low = arith_sum(s->out.low, arith_times(bucket.low, count));
		return;
	}
	s->in.high = arith_sum(s->in.high, arith_times(longest, count));
	sum->squares += (double)longest * (double)longest * (double)count;
}

/* The core's gaps of these lengths. */
static struct range sum_of(struct floor_sum *sum, const struct record_cpu *cpu,
			   struct range lengths)
{
	struct split s = { .wanted = lengths, .in = range_exact(0), .out = range_exact(0) };

	for (size_t i = 0; i < cpu->histogram.count; i++) {
		uint64_t low = cpu->histogram.at[i][0];
		uint64_t high = quantile_bucket_end(low, cpu->max_ns);

		add_bucket(sum, &s, range_of(low, high), cpu->histogram.at[i][1]);
	}
	/* The total is exact: what is not outside is in the range. */
	s.in.low = arith_max(s.in.low, arith_less(cpu->noise_ns, s.out.high));
	s.in.high = arith_max(s.in.low, arith_min(s.in.high, arith_less(cpu->noise_ns, s.out.low)));
	return s.in;
}

void floor_add(struct floor_sum *sum, const struct record_cpu *cpu, uint64_t shortest,
	       uint64_t longest)
{
	struct range noise_ns = range_exact(0);

	if (shortest <= longest)
		noise_ns = sum_of(sum, cpu, range_of(shortest, longest));
	sum->noise_ns = range_add(sum->noise_ns, noise_ns);
	sum->exposure_ns += (double)cpu->exposure_ns;
	sum->max_ns = arith_max(sum->max_ns, cpu->max_ns);
	sum->cores++;
}

/* Limits of counts around a mean, 97.5 % on each side, by the Cornish-Fisher expansion. */
static double count_low(double mean)
{
	double low = mean - Z * sqrt(mean) + (Z * Z - 1) / 6 - 1;

	return low > 0 ? low : 0;
}

static double count_high(double mean)
{
	return mean > 0 ? mean + Z * sqrt(mean) + (Z * Z - 1) / 6 + 1 : 0;
}

static uint64_t whole(double ns)
{
	return ns >= NS_MAX ? UINT64_MAX : ns > 0 ? (uint64_t)(ns + 0.5) : 0;
}

/* The events of one size that make up a sum: their number and size. */
struct scaled {
	double events, size;
};

static struct scaled scale(double noise, double squares, double burst)
{
	struct scaled s = { 0, 0 };

	if (noise > 0 && squares > 0) {
		s.size = squares / noise * burst;
		s.events = noise / s.size;
	}
	return s;
}

struct range floor_expect(const struct floor_sum *sum, double burst, struct range exposure_ns,
			  uint64_t longest)
{
	double low = (double)exposure_ns.low / sum->exposure_ns;
	double high = (double)exposure_ns.high / sum->exposure_ns;
	struct scaled least = scale((double)sum->noise_ns.low, sum->squares, burst);
	struct scaled most = scale((double)sum->noise_ns.high, sum->squares, burst);
	double middle = ((double)sum->noise_ns.low + (double)sum->noise_ns.high) / 2;
	double likely = exposure_ns.value.known ? (double)exposure_ns.value.value / sum->exposure_ns
						: (low + high) / 2;
	const struct maybe expected = { whole(middle * likely), true };
	uint64_t from = whole(least.size * count_low(low * poisson_lower(least.events, TAIL)));
	uint64_t to = whole(
		sum->noise_ns.high ? most.size * count_high(high * poisson_upper(most.events, TAIL))
				   : (double)longest * ceil(3 * high));

	return range_around(arith_min(from, to), expected, to);
}
