/* SPDX-License-Identifier: BSD-2-Clause */
/* The worst core of both sides, within bounds, against a limit. */
#include "compare.h"

#include "host/capture/result.h"

#include "core/config/limit.h"
#include "core/lib/arith.h"
#include "core/lib/ratio.h"

#define PPM 1000000

/* Flags that leave a figure without an upper bound. */
#define MACHINE_MISSES (1u << SPLIT_FLOOR_CUT | 1u << SPLIT_FLOOR_DAMAGED | 1u << SPLIT_FLOOR_CLOCK)
#define TOOL_MISSES    (TOOL_LOST | TOOL_DAMAGED | TOOL_CUT | TOOL_BLIND)

/* Figures of a finding: the limit, and what the worst cores have. */
enum judge_figure { LIMIT, MACHINE, OS, FIGURES };

/*
 * Round both ends up: whole ppm then exceed a limit of whole ppm exactly if the true figure does.
 */
static uint64_t ppm(uint64_t noise, uint64_t exposure)
{
	return exposure ? arith_min(ratio_share(noise, exposure, RATIO_PPM, true), PPM) : PPM;
}

/* Widen the longest gap: the tool does not see gaps below its threshold. */
static struct range judge_longest(struct range max_ns, struct range threshold_ns)
{
	if (max_ns.known && threshold_ns.known && max_ns.low < threshold_ns.high)
		max_ns = range_of(max_ns.low, arith_max(max_ns.high, threshold_ns.high - 1));
	return max_ns;
}

static struct range machine_core(const struct floor *floor, const struct record_cpu *cpu,
				 enum limit of)
{
	if (of == LIMIT_MAX)
		return judge_longest(range_exact(cpu->max_ns), range_exact(floor->threshold_ns));
	if (!cpu->exposure_ns)
		return (struct range){ 0 };
	return range_exact(ppm(cpu->noise_ns, cpu->exposure_ns));
}

static struct range machine_of(const struct split_result *s, const struct split_row *r,
			       enum limit of)
{
	const struct result_stage *stage = s->floor->stage;
	struct range worst = { 0 };

	for (size_t i = 0; i < stage->cpus; i++) {
		if (r->cpu == TOOL_ANY_CPU || r->cpu == stage->cpu[i].cpu)
			worst = range_max(worst, machine_core(s->floor, &stage->cpu[i], of));
	}
	return worst;
}

static struct range os_of(const struct split_result *s, const struct split_row *r, enum limit of)
{
	const struct range noise = r->figure[SPLIT_NOISE], exposure = r->figure[SPLIT_EXPOSURE];

	if (of == LIMIT_MAX)
		return judge_longest(r->figure[SPLIT_MAX], s->tool->threshold_ns);
	if (!noise.known || !exposure.high)
		return (struct range){ 0 };
	return range_of(ppm(noise.low, exposure.high), ppm(noise.high, exposure.low));
}

static void open_end(struct range *r, bool open)
{
	if (r->known && open)
		*r = range_of(r->low, RANGE_OPEN);
}

static void find_worst(const struct split_result *s, enum limit of, struct range worst[FIGURES])
{
	bool all_os = true, all_machine = true;

	for (size_t i = 0; i < s->rows; i++) {
		struct range os = os_of(s, &s->row[i], of);

		all_os = all_os && os.known;
		all_machine = all_machine && s->row[i].has_floor;
		worst[OS] = range_max(worst[OS], os);
		worst[MACHINE] = range_max(worst[MACHINE], machine_of(s, &s->row[i], of));
	}
	open_end(&worst[OS], !all_os || s->tool->notes & TOOL_MISSES);
	/* A core that the floor lacks has no upper bound. */
	open_end(&worst[MACHINE], !all_machine || s->flags & MACHINE_MISSES);
}

static enum verdict hold(struct range r, uint64_t limit)
{
	if (!r.known || (r.low <= limit && r.high > limit))
		return VERDICT_INCOMPLETE;
	return r.low > limit ? VERDICT_FAIL : VERDICT_PASS;
}

static enum verdict worse(enum verdict a, enum verdict b)
{
	if (a == VERDICT_FAIL || b == VERDICT_FAIL)
		return VERDICT_FAIL;
	return a > b ? a : b;
}

/* True if one side, or both, was not watched as long as the preset requires. */
static bool is_short(const struct split_result *s, const struct result_verdict *v)
{
	bool is = v->preset && preset_is_short(v->preset, v->sampled_ns);

	for (size_t i = 0; v->preset && i < s->rows; i++) {
		const struct split_row *row = &s->row[i];

		is = is || (row->figure[SPLIT_EXPOSURE].known &&
			    preset_is_short(v->preset, split_exposure(row)));
	}
	return is;
}

static void add_figure(struct text *t, enum limit of, struct range r)
{
	range_text(t, r, of == LIMIT_MAX ? RANGE_US : 0);
	if (range_is_bounded(r))
		text_add(t, of == LIMIT_MAX ? " us" : " ppm");
}

static const char *advice(enum verdict machine, enum verdict os, bool too_short)
{
	if (machine == VERDICT_FAIL)
		return ": the machine itself exceeds it, no OS tuning will help";
	if (os == VERDICT_FAIL)
		return machine == VERDICT_PASS
			       ? ": tune the OS"
			       : ": tune the OS; whether the machine allows it is not known";
	if (machine != VERDICT_PASS)
		return ": whether the machine allows it is not known";
	if (os != VERDICT_PASS)
		return ": whether the OS meets it is not known";
	return too_short ? ", but in less time than the preset requires" : "";
}

static const struct {
	enum finding_change change;
	const char *word;
} outcomes[VERDICTS] = {
	[VERDICT_PASS] = { FINDING_MET, "met" },
	[VERDICT_FAIL] = { FINDING_EXCEEDED, "exceeded" },
	[VERDICT_INCOMPLETE] = { FINDING_UNDECIDED, "undecided" },
};

static enum verdict judge_finding(struct finding *f, enum limit of, bool too_short)
{
	enum verdict machine = hold(f->figure[MACHINE], f->figure[LIMIT].low);
	enum verdict os = hold(f->figure[OS], f->figure[LIMIT].low), both = worse(machine, os);
	struct text t;

	f->change = outcomes[both].change;
	text_init(&t, f->why, sizeof(f->why));
	text_add(&t, "%s ", of == LIMIT_MAX ? "longest gap, limit" : "noise, limit");
	add_figure(&t, of, f->figure[LIMIT]);
	text_add(&t, " %s: the machine allows ", outcomes[both].word);
	add_figure(&t, of, f->figure[MACHINE]);
	text_add(&t, ", the OS uses ");
	add_figure(&t, of, f->figure[OS]);
	text_add(&t, "%s", advice(machine, os, too_short));
	return both;
}

/*
 * Add a finding per limit, whose reason is:
 *
 * "longest gap, limit 20.000 us exceeded: the machine allows 8.000 us, the OS uses 31-32 us: tune
 * the OS"
 */
static enum verdict judge_split(const struct compare_limits *limits, struct split_result *s,
				enum verdict verdict)
{
	static const struct finding_figure figures[FIGURES] = { { .key = "limit" },
								{ .key = "machine" },
								{ .key = "os" } };
	static const enum limit judged[] = { LIMIT_MAX, LIMIT_MAX_NOISE };
	static struct result_verdict v;

	s->limits =
		(struct findings){ .stage = s->tool->tool, .figure = figures, .figures = FIGURES };
	if (limits->preset)
		result_verdict_read(&v, s->floor->run, limits->preset);
	else
		v = (struct result_verdict){ .preset = NULL };
	for (size_t n = 0; n < sizeof(judged) / sizeof(judged[0]); n++) {
		enum limit of = judged[n];
		const struct config_limit *preset = &v.limits.limit[of];
		uint64_t limit = limits->limit[of] ?: preset->value;
		struct finding *new;

		if ((!limits->limit[of] && !preset->set) || s->refused)
			continue;
		new = findings_add(&s->limits, FINDING_NS, "%s", limit_row(of)->name);
		new->figure[LIMIT] = range_exact(limit);
		find_worst(s, of, new->figure);
		verdict = worse(verdict, judge_finding(new, of, is_short(s, &v)));
	}
	return verdict;
}

enum verdict compare_judge(const struct compare_limits *limits, struct split_result *split,
			   size_t count)
{
	enum verdict verdict = VERDICT_NONE;

	for (size_t i = 0; i < count; i++)
		verdict = judge_split(limits, &split[i], verdict);
	return verdict;
}
