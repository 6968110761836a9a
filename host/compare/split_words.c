/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a comparison. */
#include "split.h"

#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ratio.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The floor's part of the noise in hundredths of a percent; unknown where nothing was split. */
static struct range share_of(const struct split_row *r)
{
	return range_share(r->figure[SPLIT_BELOW], r->figure[SPLIT_NOISE], 10000);
}

static void add_value(struct text *t, const char *before, struct maybe m, unsigned digits)
{
	if (!m.known)
		return;
	text_add(t, "%s", before);
	text_fixed(t, m.value, digits, 0);
}

/*
 * below the OS: 200.000 us, 77.52 % of the noise; at 95 % 40-258 us, 15-100 %; added by the OS:
 * 0-218 us
 *
 * The share has no value where the noise is only known within bounds.
 */
static void put_answer(struct text *t, const struct split_result *s, const struct split_row *r)
{
	const char *who = s->tool->left ? "Linux's drivers" : "the OS";
	const struct range share = share_of(r);

	if (!r->figure[SPLIT_NOISE].high) {
		text_add(t, "no noise was seen: %s added none", who);
		return;
	}
	add_value(t, "below the OS: ", r->figure[SPLIT_BELOW].value, RANGE_US);
	text_add(t, " us");
	add_value(t, ", ", share.value, RANGE_PERCENT);
	text_add(t, "%s; at 95 %% ", share.value.known ? " % of the noise" : " expected");
	range_text(t, r->figure[SPLIT_BELOW], RANGE_US);
	text_add(t, " us, ");
	range_text(t, share, RANGE_PERCENT);
	text_add(t, " %%%s; added by %s: ", share.value.known ? "" : " of the noise", who);
	range_text(t, r->figure[SPLIT_ADDED], RANGE_US);
	text_add(t, "%s", range_is_bounded(r->figure[SPLIT_ADDED]) ? " us" : "");
}

void split_words_flags(const struct split_result *s, split_words_report *report, void *ctx)
{
	for (unsigned i = 0; i < SPLIT_FLAGS; i++) {
		if (s->flags >> i & 1)
			report(ctx, s->refused && SPLIT_REFUSE >> i & 1, &split_flags[i]);
	}
	for (unsigned n = 0; n < TOOL_NOTES; n++) {
		if (s->tool->notes >> n & 1)
			report(ctx, false, &tool_notes[n]);
	}
}

/* ---- Findings ---- */

#define RATE_DIGITS 2

/* The exposure is printed in seconds, cut to the ms: never more than was watched. */
static const struct finding_figure figures[SPLIT_FIGURES] = {
	[SPLIT_EXPOSURE] = { "exposure_ns", "EXPOSURE(s)", NS_PER_S / 1000, 3, false },
	[SPLIT_NOISE] = { "noise_ns", "NOISE(us)", 1, RANGE_US, false },
	[SPLIT_BELOW] = { "floor_ns", "BELOW(us)", 1, RANGE_US, false },
	[SPLIT_CAUSE + TOOL_NMI] = { "nmi_ns", "NMI(us)", 1, RANGE_US, true },
	[SPLIT_CAUSE + TOOL_IRQ] = { "irq_ns", "IRQ(us)", 1, RANGE_US, true },
	[SPLIT_CAUSE + TOOL_SOFTIRQ] = { "softirq_ns", "SOFTIRQ(us)", 1, RANGE_US, true },
	[SPLIT_CAUSE + TOOL_THREAD] = { "thread_ns", "THREAD(us)", 1, RANGE_US, true },
	[SPLIT_UNEXPLAINED] = { "unexplained_ns", "UNEXPLAINED(us)", 1, RANGE_US, false },
	[SPLIT_BELOW_PERCENT] = { NULL, "BELOW(%)", 1, RANGE_PERCENT, false },
	[SPLIT_MAX] = { "max_ns", "MAX(us)", 1, RANGE_US, false },
	[SPLIT_BELOW_MAX] = { "floor_max_ns", "BELOW-MAX(us)", 1, RANGE_US, false },
	[SPLIT_SMIS] = { NULL, "SMI/s", 1, RATE_DIGITS, true },
	[SPLIT_BELOW_SMIS] = { NULL, "BELOW-SMI/s", 1, RATE_DIGITS, true },
	[SPLIT_EVENTS] = { .key = "events" },
	[SPLIT_BELOW_PPM] = { .key = "floor_ppm" },
	[SPLIT_IN_CAUSES] = { .key = "in_causes_ns" },
	[SPLIT_ADDED] = { .key = "added_ns" },
};

/* Count per second, in hundredths. */
static struct range per_second(struct maybe count, uint64_t ns)
{
	if (!count.known || !ns)
		return (struct range){ 0 };
	return range_exact(ratio_share(count.value, ns, RATIO_PER_S + RATE_DIGITS, false));
}

/* Add SMIs if the tool counts them. */
static void add_smis(struct range *figure, const struct split_result *s, const struct split_row *r,
		     const struct tool_core *core)
{
	const struct result_stage *stage = s->floor->stage;

	figure[SPLIT_SMIS] = per_second(core->smi, split_exposure(r));
	for (size_t i = 0; i < stage->cpus && core->smi.known; i++)
		if (stage->cpu[i].cpu == r->cpu)
			figure[SPLIT_BELOW_SMIS] = per_second(stage->cpu[i].smi,
							      stage->cpu[i].exposure_ns);
}

/* `core` is NULL for the sum. */
static void add_row(struct findings *f, const struct split_result *s, const struct split_row *r,
		    const struct tool_core *core)
{
	struct finding *new = findings_add(f, FINDING_NS, "%s", core ? "any" : "all");
	struct range *figure = new->figure;
	struct text why;

	if (r->cpu != TOOL_ANY_CPU && core)
		snprintf(new->what, sizeof(new->what), "%" PRIu32, r->cpu);
	new->ns = split_exposure(r);
	new->change = r->split ? FINDING_SHOWN : FINDING_MISSING;
	text_init(&why, new->why, sizeof(new->why));
	if (r->split)
		put_answer(&why, s, r);
	else
		text_add(&why, "%s",
			 r->has_floor ? "only the longest gaps can be compared"
				      : "the floor has no such core");
	memcpy(figure, r->figure, sizeof(r->figure));
	figure[SPLIT_BELOW_PERCENT] = share_of(r);
	figure[SPLIT_BELOW_PPM] = range_share(figure[SPLIT_BELOW], figure[SPLIT_NOISE], 1000000);
	/* One event may hit all cores: theirs do not add up. */
	if (core) {
		figure[SPLIT_EVENTS] = core->events;
		add_smis(figure, s, r, core);
	}
}

static void find_cores(struct split_result *s)
{
	s->cores = (struct findings){ .stage = s->tool->tool,
				      .what = "CPU",
				      .kind = "cpu ",
				      .figure = figures,
				      .figures = SPLIT_FIGURES,
				      .worst = SPLIT_NOISE,
				      .has_sum = s->has_all && s->rows > 1 };
	for (size_t i = 0; i < s->rows; i++)
		add_row(&s->cores, s, &s->row[i], &s->tool->core[i]);
	if (s->cores.has_sum)
		add_row(&s->cores, s, &s->all, NULL);
}

static void add_threshold(struct text *t, const struct tool *tool)
{
	text_add(t, ", threshold ");
	if (!tool->threshold_ns.known) {
		text_add(t, "n/a");
		return;
	}
	text_add(t, "%s", tool->over_ns ? "> " : "");
	units_print_ns(t, tool->threshold_ns.low - tool->over_ns);
	if (tool->threshold_ns.high != tool->threshold_ns.low) {
		text_add(t, " to ");
		units_print_ns(t, tool->threshold_ns.high);
	}
	text_add(t, " (%s)", tool_origin_name(tool->threshold_from));
}

void split_words_tool(struct text *t, const struct split_result *s)
{
	const struct tool *tool = s->tool;

	text_add(t, "%s", tool->file);
	if (tool->line > 1)
		text_add(t, ":%llu", (unsigned long long)tool->line);
	text_add(t, ": %s%s%s", tool->tool, tool->version[0] ? " " : "", tool->version);
	if (!(tool->notes & TOOL_WAKEUP) && (tool->cores || !tool->services))
		add_threshold(t, tool);
	if (s->rows && s->row[0].figure[SPLIT_EXPOSURE].known)
		text_add(t, ", exposure %s", tool_origin_name(s->row[0].exposure_from));
}

void split_words_floor(struct text *t, const struct floor *floor)
{
	text_add(t, "%s: run %016llx, stage %s, threshold ", floor->file,
		 (unsigned long long)floor->run->sid, floor->stage_name);
	units_print_ns(t, floor->threshold_ns);
	if (floor->stage->cpus)
		text_add(t, ", %zu core%s", floor->stage->cpus, floor->stage->cpus == 1 ? "" : "s");
}

/* ---- Flags ---- */

const struct tool_words split_flags[SPLIT_FLAGS] = {
#define ROW(flag, name, text) { name, text },
	SPLIT_FLAG_ROWS(ROW)
#undef ROW
};

/* ---- Services ---- */

/* A service as measured inside the OS, and in the floor; below is NULL if the floor lacks it. */
struct beside {
	const struct record_service *below, *inside;
};

static const struct record_service *find_service(const struct result_stage *stage,
						 const char *service)
{
	return stage ? result_stage_service(service_records_of(stage), service) : NULL;
}

/* The n-th of s->tool->services. */
static struct beside beside_at(const struct split_result *s, size_t n)
{
	const struct record_service *inside = &s->tool->service[n];

	return (struct beside){ find_service(s->floor->calls, inside->service), inside };
}

/* True if both sides called it. */
static bool beside_is_whole(const struct beside *b)
{
	return b->inside->calls && b->below && b->below->calls;
}

/* Hide services that neither side can call, such as another processor's. */
static bool beside_is_shown(const struct beside *b)
{
	return b->inside->calls || !b->below || b->below->calls;
}

/*
 * ---- Sentences ----
 *
 * "get_variable_small takes 12.0 us below the OS, and 45.0 us from inside, by two calls (medians);
 * firmware stops others, from inside, too: to confine it to a housekeeping core does not help"
 */

static void put_missing(struct text *t, const struct beside *b)
{
	const struct record_service *of = b->inside->calls ? b->below : b->inside;

	text_add(t, "was not called %s", b->inside->calls ? "below the OS" : "from inside");
	if (of && of->why)
		text_add(t, ": %s", of->why);
}

/* fs/efivarfs/file.c of Linux, efivarfs_file_read(): its size first, then its value. */
static bool is_two_calls(const struct record_service *r)
{
	static const char head[] = "get_variable_";

	return r->service && strncmp(r->service, head, sizeof(head) - 1) == 0;
}

static void put_lengths(struct text *t, const struct beside *b)
{
	text_add(t, "takes ");
	text_duration(t, b->below->p50_ns.value);
	text_add(t, " below the OS, and ");
	text_duration(t, b->inside->p50_ns.value);
	text_add(t, " from inside%s (medians)", is_two_calls(b->inside) ? ", by two calls" : "");
	if (b->inside->failed)
		text_add(t, ", where %llu of %llu failed", (unsigned long long)b->inside->failed,
			 (unsigned long long)b->inside->calls);
}

static void put_stops(struct text *t, const struct beside *b)
{
	static const char useless[] = ": to confine it to a housekeeping core does not help";
	bool below = b->below->stops, inside = b->inside->stops;

	if (below)
		text_add(t, "firmware stops others%s%s",
			 inside ? ", from inside, too" : ", which was not seen from inside",
			 useless);
	else if (inside && b->below->others)
		text_add(t, "others are stopped from inside only, which is not firmware's doing");
	else if (inside)
		text_add(t, "others are stopped from inside; whether by firmware is not known");
	else if (b->below->others && b->inside->others)
		text_add(t, "no other core was seen to be stopped, on either side");
	else
		text_add(t, "whom it stops is not known: no other core sampled");
}

static void beside_sentence(struct text *t, const struct beside *b)
{
	text_add(t, "%s ", b->inside->service ? b->inside->service : "n/a");
	if (!beside_is_whole(b)) {
		put_missing(t, b);
	} else {
		put_lengths(t, b);
		text_add(t, "; ");
		put_stops(t, b);
	}
	text_sanitize(t->buf);
}

/* ---- Findings ---- */

static struct finding_side median_of(const struct record_service *r)
{
	if (!r)
		return (struct finding_side){ .known = false };
	return (struct finding_side){ .known = r->calls && r->p50_ns.known,
				      .bounded = r->min_ns.known && r->max_ns.known,
				      .value = (double)r->p50_ns.value,
				      .low = (double)r->min_ns.value,
				      .high = (double)r->max_ns.value };
}

static void find_services(struct split_result *s)
{
	s->services = (struct findings){ .stage = s->floor->stage_name,
					 .kind = "service ",
					 .what = "MEDIAN OF A CALL",
					 .bounds = " (MIN-MAX)",
					 .side = { "BELOW", "INSIDE", "WHOSE IT IS" } };
	for (size_t i = 0; i < s->tool->services; i++) {
		const struct beside b = beside_at(s, i);
		struct finding *new;
		struct text t;

		if (!beside_is_shown(&b))
			continue;
		new = findings_add(&s->services, FINDING_NS, "%s", b.inside->service ?: "n/a");
		new->side[0] = median_of(b.below);
		new->side[1] = median_of(b.inside);
		new->change = beside_is_whole(&b) ? FINDING_SHOWN : FINDING_MISSING;
		text_init(&t, new->why, sizeof(new->why));
		beside_sentence(&t, &b);
	}
}

void split_words_find(struct split_result *s)
{
	find_cores(s);
	find_services(s);
}

void split_words_ladder(const struct split_result *s)
{
	struct host_kind_ladder ladder = { .no_smi = s->floor->run->no_smi };

	if (!s->tool->left)
		return;
	host_kind_ladder_add(&ladder, s->floor->stage);
	host_kind_ladder_add(&ladder, s->tool->left);
	host_kind_ladder_print(&ladder);
}
