/* SPDX-License-Identifier: BSD-2-Clause */
/* Damaged chunks are reported, and the others are read. */
#include "runs.h"

#include "store/store.h"

#include "host/lib/text_sanitize.h"
#include "core/lib/text.h"
#include "core/lib/ticks.h"
#include "core/lib/units.h"

#include <inttypes.h>
#include <stdio.h>
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

static void derive_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct runs_derived *d = ctx;

	if (line->seq < d->run.next)
		d->bad++;
	else
		store_line_learn(&d->run, line, text, bytes);
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
