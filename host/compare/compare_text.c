/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of a comparison, then the bounds of the floor's part, and the flags. */
#include "compare.h"

#include "beside.h"
#include "compare_table.h"
#include "host/lib/columns.h"
#include "host/lib/memory.h"
#include "split_words.h"

#include "core/lib/text.h"

#include <stdio.h>
#include <stdlib.h>

#define OFFENDERS 3 /* of a core */

static void print_rows(const struct split_result *s)
{
	const char **cell, **at;
	struct compare_table t;

	compare_table_make(&t, s);
	if (t.of)
		printf("the %d cores with the most noise, of %zu:\n", COMPARE_TABLE_WORST, t.of);
	at = cell = memory_new((t.rows + 1) * COMPARE_TABLE_COLUMNS, sizeof(*cell));
	for (unsigned c = 0; c < COMPARE_TABLE_COLUMNS; c++)
		*at++ = t.used[c] ? compare_table_head(c) : NULL;
	for (size_t n = 0; n < t.rows; n++)
		for (unsigned c = 0; c < COMPARE_TABLE_COLUMNS; c++)
			*at++ = t.cell[n][c];
	columns_print(cell, t.rows + 1, COMPARE_TABLE_COLUMNS, "rr");
	free(cell);
	compare_table_free(&t);
}

static void print_services(const struct split_result *s)
{
	struct findings f = beside_findings(s);

	findings_text(&f);
	findings_free(&f);
}

/* What took most on a core, by name, where the tool prints names. */
static void print_offenders(const struct tool *tool)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	for (size_t i = 0; i < tool->cores && i < COMPARE_TABLE_ALL; i++) {
		const struct tool_core *core = &tool->core[i];

		text_reset(&t);
		for (size_t n = 0; n < core->offenders && n < OFFENDERS; n++) {
			const struct tool_offender *o = &core->offender[n];

			text_add(&t, "%s %s %llux ", n ? "," : "", o->name,
				 (unsigned long long)o->events);
			text_fixed(&t, o->ns, 3, 0);
			text_add(&t, " us");
		}
		if (core->offenders)
			printf("core %u:%s\n", core->cpu, t.buf);
	}
}

static void print_sentence(struct text *t, const char *before)
{
	printf("%s%s\n", before, t->buf);
	text_reset(t);
}

static void print_flag(void *ctx, bool refused, const struct tool_words *flag)
{
	(void)ctx;
	printf("%s: %s: %s\n", refused ? "refused" : "note", flag->name, flag->text);
}

static void print_answer(struct text *t, const struct split_row *r)
{
	if (r->noise_ns.high) {
		split_words_share(t, r);
		print_sentence(t, "");
	}
	split_words_added(t, r);
	print_sentence(t, "");
}

static void print_outcomes(struct text *t, const struct judge_limits *limits,
			   const struct split_result *s)
{
	struct judge_outcome outcome[JUDGE_FIGURES];

	judge(limits, s, outcome);
	for (enum judge_figure f = 0; f < JUDGE_FIGURES; f++) {
		if (outcome[f].verdict == VERDICT_NONE)
			continue;
		judge_sentence(t, f, &outcome[f]);
		print_sentence(t, "");
	}
}

static void print_split(const struct judge_limits *limits, const struct split_result *s)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_tool(&t, s);
	print_sentence(&t, "\n");
	if (!s->refused) {
		if (s->rows || !s->tool->services)
			print_rows(s);
		print_services(s);
		print_offenders(s->tool);
		split_words_smis(&t, s);
		if (t.buf[0])
			print_sentence(&t, "");
		if (s->has_all)
			print_answer(&t, &s->all);
	}
	split_words_flags(s, print_flag, NULL);
	print_outcomes(&t, limits, s);
}

void compare_text(const struct compare_results *c)
{
	TEXT_DEFINE(t, SPLIT_WORDS_MAX);

	split_words_floor(&t, c->floor);
	print_sentence(&t, "floor: ");
	if (c->floor->of.machine[0])
		printf("machine: %s\n", c->floor->of.machine);
	for (size_t i = 0; i < c->count; i++)
		print_split(&c->limits, &c->split[i]);
	if (c->verdict != VERDICT_NONE)
		printf("\nverdict: %s\n", verdict_name(c->verdict));
}
