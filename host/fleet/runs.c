/* SPDX-License-Identifier: BSD-2-Clause */
/* Damaged chunks are reported, and the others are read. */
#include "runs.h"

#include "store/store.h"

#include "host/lib/text_sanitize.h"
#include "host/attest/attest.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <time.h>

bool runs_fail(const struct runs *r, int error)
{
	fprintf(stderr, "%s: %s/" STORE_NAME ": %s\n", r->subcommand, text_sanitize_name(r->path),
		store_why(error));
	return false;
}

bool runs_open(struct runs *r, const char *subcommand, const char *path, enum store_use use)
{
	char why[STORE_WHY];

	*r = (struct runs){ .subcommand = subcommand, .path = path };
	r->store = store_open(path, use, why);
	if (!r->store)
		fprintf(stderr, "%s: %s\n", subcommand, text_sanitize_name(why));
	return r->store;
}

/* ---- Judging: one run at a time, as the check of attestations has static memory ---- */

static pthread_mutex_t checking = PTHREAD_MUTEX_INITIALIZER;

static void feed_attest(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	attest_facts_feed(text, bytes);
}

static void read_attest(struct store *s, struct store_run *run)
{
	struct attest_facts *f = &run->summary.facts.attest;
	struct store_chunks chunks = { .take = feed_attest };
	int error;

	if (attest_facts_why_not())
		return;
	if (run->bytes > (uint64_t)ATTEST_FACTS_MAX_MB << 20) {
		*f = (struct attest_facts){ .lines = run->summary.lines,
					    .state = ATTEST_FACTS_LARGE };
		return;
	}
	pthread_mutex_lock(&checking);
	attest_facts_begin();
	error = store_chunks(s, run->id, &chunks);
	attest_facts_end(error || chunks.damaged ? 0 : run->summary.lines, f);
	pthread_mutex_unlock(&checking);
}

/*
 * True if an earlier run has a later quote by this key. None of the three numbers decreases until
 * the TPM is cleared, which changes the key: TPM 2.0 Library, part 1, 36.
 */
static bool is_overtaken(struct store *s, const struct store_run *run)
{
	const struct attest_facts *f = &run->summary.facts.attest;
	TEXT_DEFINE(query, 500);
	uint64_t later;

	text_add(&query, "SELECT count(*) FROM run WHERE attest_state='good' AND attest_key='");
	text_hex(&query, f->key, sizeof(f->key));
	text_add(&query,
		 "' AND ended AND ended_s<%" PRIu64
		 " AND (attest_resets, attest_restarts, attest_clock_ms)>(%u, %u, %" PRIu64 ")",
		 run->ended_s, (unsigned)f->resets, (unsigned)f->restarts, f->clock_ms);
	return store_number(s, query.buf, &later) == 0 && later;
}

void runs_judge(const struct policy *p, struct store *s, struct store_run *run)
{
	struct attest_facts *f = &run->summary.facts.attest;

	if (policy_asks_attest(p, &run->summary))
		read_attest(s, run);
	if (f->state == ATTEST_FACTS_GOOD)
		f->is_overtaken = is_overtaken(s, run);
	policy_judge(p, &run->summary);
}

bool runs_lines(struct runs *r, const struct store_run *run,
		void (*take)(void *ctx, const char *text, size_t bytes), void *ctx)
{
	struct store_chunks chunks = { .take = take, .ctx = ctx };
	int error = store_chunks(r->store, run->id, &chunks);

	r->damaged += chunks.damaged;
	if (chunks.damaged)
		fprintf(stderr,
			"%s: %s/" STORE_NAME ": run %016" PRIx64 ": %" PRIu64
			" chunks are damaged, and left out; the first is that of line %" PRIu64
			"\n",
			r->subcommand, text_sanitize_name(r->path), run->sid, chunks.damaged,
			chunks.first);
	return !error || runs_fail(r, error);
}

/* ---- What lines make of a run ---- */

void runs_learn(struct store_run *run, const struct line *line, size_t bytes)
{
	run->summary.lost += line->seq - run->next;
	run->next = line->seq + 1;
	run->bytes += bytes;
	summary_line(&run->summary, line);
}

static void derive_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct runs_derived *d = ctx;

	(void)text;
	if (line->seq < d->run.next)
		d->bad++;
	else
		runs_learn(&d->run, line, bytes);
}

static void derive_chunk(void *ctx, const char *text, size_t bytes)
{
	struct runs_derived *d = ctx;

	d->bad += store_line_each(text, bytes, d->run.sid, derive_line, d);
}

void runs_forget_lines(struct store_run *run)
{
	run->next = run->bytes = 0;
	run->summary = (struct summary){ .lines = 0 };
}

int runs_derive(struct store *s, const struct store_run *run, struct runs_derived *d)
{
	struct store_chunks chunks = { .take = derive_chunk, .ctx = d };
	int error;

	*d = (struct runs_derived){ .run = *run };
	runs_forget_lines(&d->run);
	error = store_chunks(s, run->id, &chunks);
	d->damaged = chunks.damaged;
	d->first = chunks.first;
	return error;
}

/* ---- Age ---- */

#define CLOCKS_APART_S 3600 /* allowed difference from a collector's clock */

bool runs_has_expired(enum verdict verdict, uint64_t at, uint64_t max_age_ns, char why[RUNS_WHY])
{
	uint64_t now = (uint64_t)time(NULL);
	struct text t;

	text_init(&t, why, RUNS_WHY);
	if (!max_age_ns || (verdict != VERDICT_PASS && verdict != VERDICT_NONE))
		return false;
	text_add(&t, "%s, but ", verdict_name(verdict));
	if (at > now) {
		text_add(&t, "of the future: received in %llu h",
			 (unsigned long long)(at - now) / 3600);
		return at - now > CLOCKS_APART_S;
	}
	text_add(&t, "too old: received %llu h ago, at most ",
		 (unsigned long long)(now - at) / 3600);
	units_print_ns(&t, max_age_ns);
	return now - at > max_age_ns / NS_PER_S;
}
