/* SPDX-License-Identifier: BSD-2-Clause */
/* A floor, what of it is at least so long, and what that comes to in another time. */
#include "floor.h"

#include "host/tools/peer_records.h"

#include "core/lib/arith.h"

#include <math.h>
#include <string.h>

#define NS_MAX 1.8e19
#define Z      1.959964 /* of the normal distribution, 97.5 % */

static const char *const inherited[] = { "handoff", "acpi", "bare", "firmware" };

static const struct measured_stage *last_stage(const struct measured_run *run)
{
	for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++) {
		const struct measured_stage *stage = measured_stage(run, inherited[i]);

		if (stage)
			return stage;
	}
	return NULL;
}

static void say_stages(const struct measured *m, struct text *why)
{
	for (size_t i = 0; i < m->runs; i++) {
		for (size_t n = 0; n < m->run[i].stages; n++)
			text_add(why, "%s%s", i + n ? ", " : "", m->run[i].stage[n].name);
	}
}

bool floor_choose(const struct measured *m, const char *file, const char *stage,
		  struct floor *floor, struct text *why)
{
	*floor = (struct floor){ .file = file, .runs = m->runs };
	for (size_t i = m->runs; i-- > 0 && !floor->stage;) {
		floor->run = &m->run[i];
		floor->stage = stage ? measured_stage(floor->run, stage) : last_stage(floor->run);
	}
	if (floor->stage) {
		floor->burst = measured_burst(floor->stage);
		return true;
	}
	if (!m->runs) {
		text_add(why, "no run of noisefloor with figures of cores");
		return false;
	}
	text_add(why,
		 "no stage %s to take for the floor; measured: ", stage ? stage : "below an OS");
	say_stages(m, why);
	return false;
}

/* A tick at either end, for edges that were rounded to ns. */
static uint64_t bucket_end(uint64_t low)
{
	return arith_sum(low, low / 64 + 2);
}

/* One bucket: surely in the range, surely not, or perhaps. */
static void add_bucket(struct floor_sum *sum, struct range *in, struct range *out,
		       const struct range bucket, uint64_t count, const struct range wanted)
{
	bool surely = bucket.low >= wanted.low && bucket.high <= wanted.high;
	bool never = bucket.high < wanted.low || bucket.low > wanted.high;
	uint64_t longest = arith_min(bucket.high, wanted.high);

	if (surely)
		in->low = arith_sum(in->low, arith_times(bucket.low, count));
	else
		out->high = arith_sum(out->high, arith_times(bucket.high, count));
	if (never) {
		out->low = arith_sum(out->low, arith_times(bucket.low, count));
		return;
	}
	in->high = arith_sum(in->high, arith_times(longest, count));
	sum->squares += (double)longest * (double)longest * (double)count;
}

void floor_add(struct floor_sum *sum, const struct measured_core *core, uint64_t shortest,
	       uint64_t longest)
{
	const struct range wanted = range_of(shortest, arith_max(shortest, longest));
	struct range in = range_exact(0), out = range_exact(0);

	for (size_t i = 0; i < core->pairs; i++) {
		uint64_t low = core->pair[i][0];
		uint64_t high = arith_max(low, arith_min(bucket_end(low), core->max_ns));

		add_bucket(sum, &in, &out, range_of(low, high), core->pair[i][1], wanted);
	}
	/* The sum of all is exact: what is not outside is in the range. */
	in.low = arith_max(in.low, arith_less(core->noise_ns, out.high));
	in.high = arith_max(in.low, arith_min(in.high, arith_less(core->noise_ns, out.low)));
	sum->noise_ns = range_add(sum->noise_ns, in);
	sum->exposure_ns += (double)core->exposure_ns;
	sum->max_ns = arith_max(sum->max_ns, core->max_ns);
	sum->cores++;
}

static double cube(double x)
{
	return x * x * x;
}

/* Limits of a Poisson mean of which `k` were counted, each side 97.5 % (Wilson and Hilferty). */
static double mean_low(double k)
{
	double root = k > 0 ? 1 - 1 / (9 * k) - Z / (3 * sqrt(k)) : 0;

	return root > 0 ? k * cube(root) : 0;
}

static double mean_high(double k)
{
	return (k + 1) * cube(1 - 1 / (9 * (k + 1)) + Z / (3 * sqrt(k + 1)));
}

/* Counts around a mean, each side 97.5 %, by the Cornish-Fisher expansion. */
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

/* Events of one size that a sum is made of, and that size. */
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

struct floor_share floor_expect(const struct floor_sum *sum, double burst, struct range exposure_ns,
				uint64_t longest)
{
	double low = (double)exposure_ns.low / sum->exposure_ns;
	double high = (double)exposure_ns.high / sum->exposure_ns;
	struct scaled least = scale((double)sum->noise_ns.low, sum->squares, burst);
	struct scaled most = scale((double)sum->noise_ns.high, sum->squares, burst);
	double middle = ((double)sum->noise_ns.low + (double)sum->noise_ns.high) / 2;
	struct floor_share share = { whole(middle * (low + high) / 2), { 0 } };

	share.bounds_ns.known = true;
	share.bounds_ns.low = whole(least.size * count_low(low * mean_low(least.events)));
	if (sum->noise_ns.high)
		share.bounds_ns.high = whole(most.size * count_high(high * mean_high(most.events)));
	else
		share.bounds_ns.high = whole((double)longest * ceil(3 * high));
	share.bounds_ns.low = arith_min(share.bounds_ns.low, share.bounds_ns.high);
	return share;
}
