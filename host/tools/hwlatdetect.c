/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hwlatdetect (rt-tests) runs the hwlat tracer and prints its samples. Their lines have grown
 * field by field: cpu since 2.6, count since 2.10, delta after it. By default one
 * thread moves over the cores, so what the run watched of one core depends on how many
 * there are, which is not printed.
 */
#include "hwlat.h"
#include "tool_format.h"
#include "tool_frame.h"
#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

struct sample {
	struct hwlat_record gaps;
	uint32_t cpu;
};

struct detect {
	struct maybe duration_s, threshold_us, window_us, width_us, max_us, recorded, exceeding;
	bool below, has_list;
	struct cpulist list;
	struct sample *sample;
	size_t samples;
};

static bool take_maybe(const char *at, const char *unit, struct maybe *m)
{
	return m->known = scan_maybe(&at, m) && scan_literal(&at, unit);
}

static bool take_title(struct tool_parse *p, const char *at)
{
	struct detect *d = p->state;

	return !scan_literal(&at, "test duration") || take_maybe(at, "seconds", &d->duration_s);
}

static bool take_max(struct tool_parse *p, const char *at)
{
	struct detect *d = p->state;

	d->below = scan_literal(&at, "Below threshold");
	return d->below || take_maybe(at, "us", &d->max_us);
}

static bool take_list(struct tool_parse *p, const char *at)
{
	struct detect *d = p->state;

	if (scan_literal(&at, "None"))
		return true;
	at += strspn(at, " ");
	d->has_list = cpulist_parse(&d->list, at, strcspn(at, " "));
	return d->has_list;
}

/* "SMIs during run: 0" is also what comes out where the counter does not exist. */
static bool take_smis(struct tool_parse *p, const char *at)
{
	uint64_t smis;

	if (!scan_u64(&at, &smis))
		return false;
	if (!smis)
		p->tool->notes |= TOOL_SMI_UNSURE;
	return true;
}

/* What follows each of these in its line: a number with a unit, or what take() takes. */
static const struct {
	const char *name;
	bool (*take)(struct tool_parse *p, const char *at);
	const char *unit;
	size_t offset;
} fields[] = {
	{ "hwlatdetect:", .take = take_title },
	{ "CPU list:", .take = take_list },
	{ "Latency threshold:", NULL, "us", offsetof(struct detect, threshold_us) },
	{ "Sample window:", NULL, "us", offsetof(struct detect, window_us) },
	{ "Sample width:", NULL, "us", offsetof(struct detect, width_us) },
	{ "Max Latency:", .take = take_max },
	{ "Samples recorded:", NULL, "", offsetof(struct detect, recorded) },
	{ "Samples exceeding threshold:", NULL, "", offsetof(struct detect, exceeding) },
	{ "SMIs during run:", .take = take_smis },
	{ .name = "detector:" },
	{ .name = "parameters:" },
	{ .name = "Non-sampling period:" },
	{ .name = "Output File:" },
	{ .name = "Starting test" },
	{ .name = "test finished" },
	{ .name = "MTBF:" },
	{ .name = "report saved to" },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static bool take_field(struct tool_parse *p, size_t n, const char *at)
{
	if (fields[n].take)
		return fields[n].take(p, at);
	return !fields[n].unit ||
	       take_maybe(at, fields[n].unit,
			  (struct maybe *)(void *)((char *)p->state + fields[n].offset));
}

/* ts: WHEN[, delta:S], inner:46, outer:45[, cpu:3][, count:49] */
static bool read_sample(const char *at, struct sample *s)
{
	s->cpu = TOOL_ANY_CPU;
	if (!scan_past(&at, ", inner:") || !scan_u64(&at, &s->gaps.inner_us) ||
	    !tool_take(&at, ", outer:", &s->gaps.outer_us))
		return false;
	if (scan_literal(&at, ", cpu:") && !scan_u32(&at, &s->cpu))
		return false;
	if (scan_literal(&at, ", count:"))
		scan_maybe(&at, &s->gaps.count);
	return scan_end(at);
}

static void take_sample(struct tool_parse *p, const char *line)
{
	struct detect *d = p->state;
	struct sample s = { 0 };

	if (!read_sample(line, &s)) {
		tool_wrong(p, line, "ts: TIME, inner:N, outer:N[, cpu:N][, count:N]");
		return;
	}
	if (!tool_core(p, s.cpu))
		return;
	*MEMORY_ADD(d->sample, d->samples) = s;
	p->tool->rows++;
}

/* 3 SMIs occured on cpu 0 (so it is spelt) */
static bool take_smi_count(struct tool_parse *p, const char *at)
{
	struct tool_core *core;
	uint64_t smis;
	uint32_t cpu;

	if (!scan_u64(&at, &smis) || !scan_literal(&at, "SMIs occured on cpu") ||
	    !scan_u32(&at, &cpu))
		return false;
	core = tool_core(p, cpu);
	if (core)
		core->smi = (struct maybe){ smis, true };
	return true;
}

static void parse(struct tool_parse *p, const char *line)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const char *at = line;

		if (!scan_literal(&at, fields[i].name))
			continue;
		if (!take_field(p, i, at))
			tool_wrong(p, line, "a number with the unit that is printed there");
		p->tool->rows++;
		return;
	}
	line += strspn(line, " ");
	if (strncmp(line, "ts:", 3) == 0)
		take_sample(p, line);
	else
		p->tool->rows += take_smi_count(p, line);
}

/* Others that print its output name it, too. */
static enum tool_match find(const char *line, const char **at)
{
	const char *from = line;

	*at = tool_frame_word(line, "hwlatdetect:");
	if (!*at || scan_literal(&from, "hwlatdetect:"))
		return tool_match_at(*at, TOOL_OPENING);
	from = *at;
	return scan_past(&from, ":") && scan_literal(&from, "test duration") ? TOOL_OPENING
									     : TOOL_NO;
}

static uint64_t or_default(const struct maybe *us, uint64_t ns)
{
	return us->known ? arith_times(us->value, NS_PER_US) : ns;
}

static void add_listed(struct tool_parse *p, const struct detect *d)
{
	for (uint32_t cpu = 0; d->has_list && cpu < CPULIST_MAX; cpu++) {
		if (cpulist_has(&d->list, cpu))
			tool_core(p, cpu);
	}
}

/* What is stated of all samples beyond those that are listed. */
struct unlisted {
	uint64_t count; /* at least */
	bool longest;   /* the longest is among them */
};

static struct unlisted find_unlisted(const struct detect *d)
{
	uint64_t turns = 0, longest_us = 0;
	struct unlisted u;

	for (size_t i = 0; i < d->samples; i++) {
		const struct hwlat_record *r = &d->sample[i].gaps;

		turns = arith_sum(turns, r->count.known ? r->count.value : 1);
		longest_us = arith_max(longest_us, arith_max(r->inner_us, r->outer_us));
	}
	u.longest = d->max_us.known && d->max_us.value > longest_us;
	u.count = arith_max(arith_less(d->recorded.value, d->samples),
			    arith_less(d->exceeding.value, turns));
	u.count = arith_max(u.count, u.longest);
	return u;
}

/* People cut lists; then neither the cores nor an upper bound of the rest are known. */
static void add_unlisted(struct tool_parse *p, const struct detect *d, uint64_t shortest_ns)
{
	const struct unlisted u = find_unlisted(d);
	struct range max_ns = range_of(shortest_ns, RANGE_OPEN);
	struct tool_core *core;

	if (!u.count)
		return;
	if (d->max_us.known)
		max_ns = range_cut(d->max_us.value, NS_PER_US);
	if (!u.longest)
		max_ns = range_of(arith_min(shortest_ns, max_ns.high), max_ns.high);
	core = tool_core(p, TOOL_ANY_CPU);
	core->max_ns = range_max(core->max_ns, max_ns);
	core->events = range_add(core->events, range_of(u.count, RANGE_OPEN));
	core->sum_ns = range_add(
		core->sum_ns,
		range_of(arith_sum(max_ns.low, arith_times(u.count - 1, shortest_ns)), RANGE_OPEN));
	p->tool->notes |= TOOL_PART_LISTED;
}

static void add_gaps(struct tool_parse *p, const struct detect *d, uint64_t threshold_us)
{
	for (size_t i = 0; i < d->samples; i++) {
		const struct hwlat_record *r = &d->sample[i].gaps;
		uint64_t us = arith_min(threshold_us,
					arith_less(arith_max(r->inner_us, r->outer_us), 1));

		hwlat_sum_add(tool_core(p, d->sample[i].cpu), r, us,
			      or_default(&d->width_us, HWLAT_WIDTH_NS));
	}
	add_unlisted(p, d, hwlat_shortest_ns(threshold_us));
	for (size_t i = 0; i < p->tool->cores; i++) {
		struct tool_core *core = &p->tool->core[i];

		tool_count_none(core);
		hwlat_sum_no_interrupts(core);
	}
}

/* One thread watches `width` of each `window`, of one core or another. */
static void set_exposure(struct tool *tool, const struct detect *d)
{
	uint64_t window = or_default(&d->window_us, HWLAT_WINDOW_NS);
	uint64_t width = or_default(&d->width_us, HWLAT_WIDTH_NS);
	uint64_t windows = window ? arith_times(d->duration_s.value, NS_PER_S) / window : 0;
	uint64_t watched = arith_times(windows, width);

	if (!d->duration_s.known)
		return;
	if (tool->cores == 1 && (d->has_list || tool->core[0].cpu == TOOL_ANY_CPU)) {
		tool_exposure(&tool->core[0], range_exact(watched), TOOL_ASSUMED);
	} else if (d->has_list) {
		/* Those that are not listed may be of any of these cores. */
		size_t named = tool->cores - (tool_find(tool, TOOL_ANY_CPU) != NULL);

		for (size_t i = 0; i < tool->cores; i++) {
			if (tool->core[i].cpu != TOOL_ANY_CPU)
				tool_exposure(&tool->core[i], range_exact(watched / named),
					      TOOL_ASSUMED);
		}
	} else {
		tool->shared_ns = range_exact(watched);
	}
}

static void finish(struct tool_parse *p)
{
	struct detect *d = p->state;
	uint64_t us = d->threshold_us.known ? d->threshold_us.value : HWLAT_THRESHOLD_US;

	tool_threshold(p->tool, range_exact(hwlat_shortest_ns(us)),
		       d->threshold_us.known ? TOOL_STATED : TOOL_ASSUMED);
	p->tool->over_ns = NS_PER_US;
	if (!d->below && !d->max_us.known)
		tool_cut(p, "\"Max Latency:\"");
	add_listed(p, d);
	/* Where the samples do not name a core, or there is none: one place for all cores. */
	if (!p->tool->cores && d->below)
		tool_core(p, TOOL_ANY_CPU);
	add_gaps(p, d, us);
	set_exposure(p->tool, d);
	free(d->sample);
}

const struct tool_format tool_hwlatdetect = {
	.name = "hwlatdetect",
	.find = find,
	.state_bytes = sizeof(struct detect),
	.notes = TOOL_ONE_THREAD,
	.parse = parse,
	.finish = finish,
};
