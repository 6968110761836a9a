/* SPDX-License-Identifier: BSD-2-Clause */
/* What the records prove about a run, and what is missing. */
#include "run.h"

#include "host/lib/exit.h"

#include "core/lib/text.h"
#include "core/report/verdict.h"

#define SENTENCE_MAX     512
#define HOLES_LISTED_MAX 8

bool run_is_whole(const struct run *run)
{
	return reader_run_whole(run->received);
}

int run_exit_code(const struct run *run)
{
	int code = EXIT_INCOMPLETE;

	if (run->has_end)
		code = (int)verdict_exit_code(verdict_of(run->end.verdict));
	/* Nothing lost can undo a failure; it can hide one. */
	return code == EXIT_PASS && !run_is_whole(run) ? EXIT_INCOMPLETE : code;
}

static void add_holes(struct text *t, const struct seqset *seen)
{
	struct seqset_range hole;
	size_t n;

	for (n = 0; n < HOLES_LISTED_MAX && seqset_hole(seen, n, &hole); n++) {
		text_add(t, "%s%llu", n ? ", " : "", (unsigned long long)hole.first);
		if (hole.last > hole.first)
			text_add(t, "-%llu", (unsigned long long)hole.last);
	}
	if (seqset_hole(seen, n, &hole))
		text_add(t, ", ...");
}

/* Each flaw adds its sentence to an empty text, or leaves it empty. */
static void flaw_no_end(const struct run *run, struct text *t)
{
	if (!run->received->has_end)
		text_add(t, "incomplete: there is no end record; the run did not finish, or its "
			    "end was not captured");
}

static void flaw_lost(const struct run *run, struct text *t)
{
	uint64_t lost = seqset_missing(&run->received->seen);

	if (!lost)
		return;
	text_add(t, "lost: %llu of %llu lines are missing (seq ", (unsigned long long)lost,
		 (unsigned long long)(lost + run->received->seen.members));
	add_holes(t, &run->received->seen);
	text_char(t, ')');
}

static void flaw_unusable(const struct run *run, struct text *t)
{
	if (run->received->unusable)
		text_add(t, "unusable: %llu records or parts of them could not be read",
			 (unsigned long long)run->received->unusable);
}

static void flaw_totals(const struct run *run, struct text *t)
{
	const char *before = "incomplete: the end record counts";

	if (!run->received->has_end)
		return;
	for (unsigned i = 0; i < RECORD_TYPES; i++) {
		if (run->received->records[i] == run->received->end_records[i])
			continue;
		text_add(t, "%s %llu %s records (here: %llu)", before,
			 (unsigned long long)run->received->end_records[i],
			 record_type_name((enum record_type)i),
			 (unsigned long long)run->received->records[i]);
		before = ",";
	}
}

static void flaw_duplicates(const struct run *run, struct text *t)
{
	if (run->received->duplicates)
		text_add(t, "duplicated: %llu lines were seen before and are left out",
			 (unsigned long long)run->received->duplicates);
}

static void flaw_unknown(const struct run *run, struct text *t)
{
	if (run->received->unknown)
		text_add(t,
			 "unknown: %llu records of types this program does not know are left out",
			 (unsigned long long)run->received->unknown);
}

static void flaw_left_out(const struct run *run, struct text *t)
{
	if (run->left_out)
		text_add(t, "left out: %llu records beyond the maximum of a run",
			 (unsigned long long)run->left_out);
}

static void (*const flaws[])(const struct run *run, struct text *t) = {
	flaw_no_end,     flaw_lost,    flaw_unusable, flaw_totals,
	flaw_duplicates, flaw_unknown, flaw_left_out,
};

void run_flaws(const struct run *run, run_report *report, void *ctx)
{
	char buf[SENTENCE_MAX];
	struct text t;

	for (size_t i = 0; i < sizeof(flaws) / sizeof(flaws[0]); i++) {
		text_init(&t, buf, sizeof(buf));
		flaws[i](run, &t);
		if (t.len)
			report(ctx, buf);
	}
}
