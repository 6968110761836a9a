/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of osnoise, put together core by core. */
#include "osnoise_core.h"

#include "host/lib/list.h"
#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

#define PENDING_MAX 65536 /* causes within one noise */

/* Tracepoints, summed. */
struct points {
	uint64_t samples, shortest_ns, interfered;
	size_t bins; /* of the core */
	struct tool_sum cause[TOOL_CAUSES];
	uint64_t first_ns, last_ns;
};

struct osnoise_core {
	uint64_t lines;
	struct osnoise_line total, last;
	uint64_t max_us;
	struct points now, at_line; /* all; up to the last line of figures */
	struct osnoise_span *cause; /* since the last noise */
	size_t pending;
};

static struct osnoise_core *of(struct tool_core *core)
{
	if (!core->more)
		core->more = memory_new(1, sizeof(struct osnoise_core));
	return core->more;
}

/* The tracepoint osnoise_sample repeats what the tracer's own line has reported. */
static bool is_repeated(const struct osnoise_core *o, const struct osnoise_line *l)
{
	return o->lines && o->now.samples && o->now.samples == o->at_line.samples && l->noise_us &&
	       memcmp(&o->last, l, sizeof(*l)) == 0;
}

void osnoise_add_line(struct tool_core *core, const struct osnoise_line *l)
{
	struct osnoise_core *o = of(core);

	if (is_repeated(o, l))
		return;
	o->lines++;
	o->last = *l;
	o->total.runtime_us = arith_sum(o->total.runtime_us, l->runtime_us);
	o->total.noise_us = arith_sum(o->total.noise_us, l->noise_us);
	o->total.max_us = arith_max(o->total.max_us, l->max_us);
	o->total.assumed = o->total.assumed || l->assumed;
	for (unsigned c = 0; c < TOOL_CAUSES; c++)
		o->total.count[c] = arith_sum(o->total.count[c], l->count[c]);
	o->now.bins = core->bins;
	o->at_line = o->now;
}

void osnoise_add_cause(struct tool_core *core, const struct osnoise_span *s)
{
	struct osnoise_core *o = of(core);

	if (o->pending == PENDING_MAX)
		return;
	o->cause = list_grow(o->cause, o->pending, sizeof(*o->cause));
	o->cause[o->pending++] = *s;
}

/* A noise is printed when it is over: causes that began within it were printed before. */
static void charge_pending(struct osnoise_core *o, const struct osnoise_span *s)
{
	uint64_t end = arith_sum(s->start_ns, s->ns);

	for (size_t i = 0; i < o->pending; i++) {
		const struct osnoise_span *c = &o->cause[i];

		if (c->start_ns >= s->start_ns && c->start_ns < end && c->ns <= s->ns)
			tool_charge(&o->now.cause[c->cause], c->ns);
	}
	o->pending = 0;
}

void osnoise_add_sample(struct tool_core *core, const struct osnoise_span *s, uint64_t interference)
{
	struct osnoise_core *o = of(core);

	charge_pending(o, s);
	o->now.interfered += interference != 0;
	if (!interference)
		tool_charge(&o->now.cause[TOOL_HARDWARE], s->ns);
	if (!o->now.samples++) {
		o->now.shortest_ns = s->ns;
		o->now.first_ns = s->start_ns;
	}
	o->now.shortest_ns = arith_min(o->now.shortest_ns, s->ns);
	o->now.last_ns = arith_max(o->now.last_ns, arith_sum(s->start_ns, s->ns));
	tool_count(core, s->ns, s->ns, 1);
}

/* Keep only the bins that were there at the last line of figures. */
static void cut_bins(struct tool_core *core, size_t bins)
{
	struct tool_bin *bin = core->bin;
	size_t count = bins < core->bins ? bins : core->bins;

	core->bin = NULL;
	core->bins = 0;
	core->events = core->sum_ns = core->max_ns = (struct range){ 0 };
	for (size_t i = 0; i < count; i++)
		tool_count(core, bin[i].low, bin[i].high, bin[i].count);
	free(bin);
}

/* Sums of lines: each was cut to whole us. */
static struct range uncut(uint64_t us, uint64_t lines)
{
	return range_of(arith_times(us, NS_PER_US),
			arith_sum(arith_times(us, NS_PER_US), arith_times(lines, NS_PER_US - 1)));
}

static void count_causes(struct tool_core *core, const struct osnoise_core *o)
{
	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		core->cause[c].events = range_exact(o->total.count[c]);
		/* None of them took no time. */
		if (!o->total.count[c])
			core->cause[c].ns = range_exact(0);
	}
}

/* Were the tracepoints of causes on, or those of noise alone? */
static bool has_causes(const struct points *points)
{
	bool any = !points->interfered;

	for (unsigned c = 0; c < TOOL_HARDWARE; c++)
		any = any || points->cause[c].events.known;
	return any;
}

static void time_causes(struct tool_core *core, const struct points *points)
{
	bool timed = has_causes(points);

	for (unsigned c = 0; c < TOOL_CAUSES; c++) {
		core->cause[c] = points->cause[c];
		if (timed || c == TOOL_HARDWARE)
			core->cause[c].events.known = core->cause[c].ns.known = true;
	}
}

static bool holds(struct range r, uint64_t value)
{
	return value >= r.low && value <= r.high;
}

static void finish_lines(struct tool *tool, struct tool_core *core, struct osnoise_core *o)
{
	struct range noise = uncut(o->total.noise_us, o->lines);

	core->exposure_ns = range_exact(arith_times(o->total.runtime_us, NS_PER_US));
	core->exposure_from = o->total.assumed ? TOOL_ASSUMED : TOOL_STATED;
	cut_bins(core, o->at_line.bins);
	if (o->at_line.samples && holds(noise, core->sum_ns.low)) {
		time_causes(core, &o->at_line);
		return;
	}
	/* Tracepoints that do not add up to the lines: some are missing. */
	if (o->at_line.samples)
		tool->notes |= TOOL_LOST;
	cut_bins(core, 0);
	core->sum_ns = noise;
	core->max_ns = uncut(o->total.max_us, 1);
	count_causes(core, o);
}

uint64_t osnoise_finish(struct tool *tool, struct tool_core *core)
{
	struct osnoise_core *o = of(core);
	uint64_t shortest = OSNOISE_THRESHOLD_OLD_NS;

	free(o->cause);
	if (o->now.samples)
		shortest = arith_min(shortest, o->now.shortest_ns);
	if (o->lines) {
		finish_lines(tool, core, o);
		return shortest;
	}
	time_causes(core, &o->now);
	if (!o->now.samples) {
		core->events = core->sum_ns = core->max_ns = range_exact(0);
		return shortest;
	}
	core->exposure_ns = range_exact(o->now.last_ns - o->now.first_ns);
	core->exposure_from = TOOL_ASSUMED;
	return shortest;
}
