/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences about a comparison. */
#include "split_words.h"

#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct range split_share(const struct split_row *r)
{
	return range_share(r->floor_ns, r->noise_ns, 10000);
}

struct range split_floor_max(const struct split_row *r)
{
	return r->has_floor ? range_exact(r->floor_max_ns) : (struct range){ 0 };
}

#define MEMBER(member) .offset = offsetof(struct split_row, member)

const struct split_figure split_figures[SPLIT_FIGURES] = {
	{ "EXPOSURE(s)", MEMBER(exposure_ns), .unit = SPLIT_SECONDS },
	{ "NOISE(us)", MEMBER(noise_ns) },
	{ "BELOW(us)", MEMBER(floor_ns) },
	{ "NMI(us)", MEMBER(cause_ns[TOOL_NMI]), .cause = true },
	{ "IRQ(us)", MEMBER(cause_ns[TOOL_IRQ]), .cause = true },
	{ "SOFTIRQ(us)", MEMBER(cause_ns[TOOL_SOFTIRQ]), .cause = true },
	{ "THREAD(us)", MEMBER(cause_ns[TOOL_THREAD]), .cause = true },
	{ "UNEXPLAINED(us)", MEMBER(unexplained_ns) },
	{ "BELOW(%)", .of = split_share, .unit = SPLIT_PERCENT },
	{ "MAX(us)", MEMBER(max_ns) },
	{ "BELOW-MAX(us)", .of = split_floor_max },
};

struct range split_figure_of(const struct split_figure *f, const struct split_row *r)
{
	return f->of ? f->of(r)
		     : *(const struct range *)(const void *)((const char *)r + f->offset);
}

static void add_value(struct text *t, const char *before, struct maybe m, unsigned digits)
{
	if (!m.known)
		return;
	text_add(t, "%s", before);
	text_fixed(t, m.value, digits, 0);
}

/*
 * below the OS: 200.000 us, 77.52 % of the noise; at 95 % 40-258 us, 15-100 %
 *
 * The share has no value where the noise is only known within bounds.
 */
void split_words_share(struct text *t, const struct split_row *r)
{
	const struct range share = split_share(r);

	add_value(t, "below the OS: ", r->floor_ns.value, RANGE_US);
	text_add(t, " us");
	add_value(t, ", ", share.value, RANGE_PERCENT);
	text_add(t, "%s; at 95 %% ", share.value.known ? " % of the noise" : " expected");
	range_text(t, r->floor_ns, RANGE_US);
	text_add(t, " us, ");
	range_text(t, share, RANGE_PERCENT);
	text_add(t, " %%%s", share.value.known ? "" : " of the noise");
}

void split_words_added(struct text *t, const struct split_row *r)
{
	if (!r->noise_ns.high) {
		text_add(t, "no noise was seen: the OS added none");
		return;
	}
	text_add(t, "added by the OS: ");
	range_text(t, r->added_ns, RANGE_US);
	text_add(t, "%s", range_is_bounded(r->added_ns) ? " us" : "");
}

static const struct tool_core *most_smis(const struct tool *tool)
{
	const struct tool_core *most = NULL;

	for (size_t i = 0; i < tool->cores; i++) {
		const struct tool_core *core = &tool->core[i];

		if (core->smi.known && (!most || core->smi.value > most->smi.value))
			most = core;
	}
	return most;
}

/* SMIs of core 4: 35 inside, in 5.011 s; 12 below, in 60.000 s */
void split_words_smis(struct text *t, const struct split_result *s)
{
	const struct tool_core *core = most_smis(s->tool);
	const struct result_stage *stage = s->floor->stage;
	size_t n = 0;

	if (!core)
		return;
	text_add(t, "SMIs of core %u: %llu inside, in ", core->cpu,
		 (unsigned long long)core->smi.value);
	range_text(t, range_in_units(core->exposure_ns, NS_PER_S / 1000), 3);
	text_add(t, " s; ");
	while (n < stage->cpus && stage->cpu[n].cpu != core->cpu)
		n++;
	if (n == stage->cpus || !stage->cpu[n].smi.known) {
		text_add(t, "n/a below");
		return;
	}
	text_add(t, "%llu below, in ", (unsigned long long)stage->cpu[n].smi.value);
	text_fixed(t, stage->cpu[n].exposure_ns / (NS_PER_S / 1000), 3, 0);
	text_add(t, " s");
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

void split_words_cpu(char *cpu, size_t room, const struct split_result *s,
		     const struct split_row *r)
{
	if (r == &s->all)
		snprintf(cpu, room, "all");
	else if (r->cpu == TOOL_ANY_CPU)
		snprintf(cpu, room, "any");
	else
		snprintf(cpu, room, "%" PRIu32, r->cpu);
}

void split_words_name(char name[SPLIT_NAME_MAX], const struct split_result *s,
		      const struct split_row *r)
{
	size_t prefix = r == &s->all ? 0 : 4;

	memcpy(name, "cpu ", 4);
	split_words_cpu(name + prefix, SPLIT_NAME_MAX - prefix, s, r);
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
	if (s->rows && s->row[0].exposure_ns.known)
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
