/* SPDX-License-Identifier: BSD-2-Clause */
/* Damaged chunks are reported, and the others are read. */
#include "runs.h"

#include "store/run_line.h"
#include "store_judge.h"

#include "host/lib/text_sanitize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool runs_fail(const struct runs *r, int error)
{
	fprintf(stderr, "%s: %s/" STORE_NAME ": %s\n", r->subcommand, text_sanitize_name(r->path),
		store_why(error));
	return false;
}

bool runs_open(struct runs *r, const char *subcommand, const char *path, const char *policy)
{
	char why[STORE_WHY];

	*r = (struct runs){ .subcommand = subcommand, .path = path };
	r->store = store_open(path, STORE_READ, why);
	if (!r->store) {
		fprintf(stderr, "%s: %s\n", subcommand, text_sanitize_name(why));
		return false;
	}
	r->policy = policy ? policy_read(subcommand, policy) : NULL;
	return !policy || r->policy;
}

void runs_close(struct runs *r)
{
	store_close(r->store);
	policy_free(r->policy);
}

bool runs_stored_policy(const char *subcommand, const char *path, struct store *s,
			struct policy **policy)
{
	char *text = store_setting(s, "policy");
	bool is_there = text;

	*policy = text ? policy_parse(subcommand, path, text) : NULL;
	free(text);
	return !is_there || *policy;
}

struct judging {
	struct runs *runs;
	int (*take)(void *ctx, const struct store_run *run);
	void *ctx;
};

static int judge(void *ctx, const struct store_run *run)
{
	const struct judging *j = ctx;
	struct store_run judged = *run;

	if (j->runs->policy)
		store_judge(j->runs->policy, j->runs->store, &judged);
	return j->take(j->ctx, &judged);
}

bool runs_each(struct runs *r, const char *where, const char *text,
	       int (*take)(void *ctx, const struct store_run *run), void *ctx)
{
	struct judging j = { r, take, ctx };
	int error = store_each(r->store, where, text, judge, &j);

	return !error || runs_fail(r, error);
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
	summary_line(&run->summary, line, NULL);
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

	d->bad += run_line_each(text, bytes, d->run.sid, derive_line, d);
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
