/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * New lines are gathered into chunks of consecutive lines. The stored lines of the run are read in
 * parallel, for comparison.
 */
#include "run_import.h"

#include "run_figures.h"
#include "store_judge.h"
#include "store/run_line.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)128 << 10)
#define FILL_EACH   256 /* runs per transaction */

/* ---- The store ---- */

bool run_import_open(struct run_import *i, const char *subcommand, const char *folder)
{
	char why[STORE_WHY];
	int error;

	*i = (struct run_import){ .runs = { .subcommand = subcommand, .path = folder } };
	i->runs.store = store_open(folder, STORE_HOLD, why);
	if (!i->runs.store) {
		fprintf(stderr, "%s: %s\n", subcommand, text_sanitize_name(why));
		return false;
	}
	error = store_run_sql(i->runs.store, RUN_IMPORT_TABLE);
	if (error)
		return runs_fail(&i->runs, error);
	return runs_stored_policy(subcommand, folder, i->runs.store, &i->runs.policy);
}

void run_import_close(struct run_import *i)
{
	runs_close(&i->runs);
	free(i->text);
}

bool run_import_count(struct run_import *i, uint64_t *runs, uint64_t *incomplete)
{
	unsigned filled = 1;
	int error = 0;

	while (filled && !error)
		error = run_figures_fill(i->runs.store, FILL_EACH, &filled);
	error = error ? error : store_number(i->runs.store, "SELECT count(*) FROM imported", runs);
	error = error ? error
		      : store_number(i->runs.store,
				     "SELECT count(*) FROM runs WHERE id IN imported AND (lost OR "
				     "NOT ended)",
				     incomplete);
	return !error || runs_fail(&i->runs, error);
}

int run_import_code(const struct run_import *i, uint64_t incomplete)
{
	return i->conflicts ? EXIT_FAIL : incomplete ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* ---- What lines make of a run ---- */

static void learn(struct store_run *run, const struct line *line, size_t bytes)
{
	run->summary.lost += line->seq - run->next;
	run->next = line->seq + 1;
	run->bytes += bytes;
	summary_line(&run->summary, line, NULL);
}

static void derive_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct run_derived *d = ctx;

	(void)text;
	if (line->seq < d->run.next)
		d->bad++;
	else
		learn(&d->run, line, bytes);
}

static void derive_chunk(void *ctx, const char *text, size_t bytes)
{
	struct run_derived *d = ctx;

	d->bad += run_line_each(text, bytes, d->run.sid, derive_line, d);
}

static void forget_lines(struct store_run *run)
{
	run->next = run->bytes = 0;
	run->summary = (struct summary){ .lines = 0 };
}

int run_import_derive(struct store *s, const struct store_run *run, struct run_derived *d)
{
	struct store_chunks chunks = { .take = derive_chunk, .ctx = d };
	int error;

	*d = (struct run_derived){ .run = *run };
	forget_lines(&d->run);
	error = store_chunks(s, run->id, &chunks);
	d->damaged = chunks.damaged;
	d->first = chunks.first;
	return error;
}

/* ---- Lines that the store has ---- */

static void advance(struct run_import *i)
{
	struct line line;
	int error = 0;

	do {
		i->at += i->length;
		i->left -= i->length;
		i->length = 0;
		if (!i->left && !store_cursor_next(&i->there, &i->at, &i->left, &error)) {
			i->left = 0;
			i->error = i->error ? i->error : error;
			return;
		}
		/* Chunks end with a newline. */
		i->length = (size_t)((const char *)memchr(i->at, '\n', i->left) - i->at) + 1;
	} while (!run_line_read(i->at, i->length - 1, i->run.sid, &line));
	i->at_seq = line.seq;
}

static void begin_new(struct run_import *i, const struct store_run *as)
{
	i->run = *as;
	i->run.id = 0;
	forget_lines(&i->run);
	i->error = store_insert(i->runs.store, &i->run);
	i->before = i->run;
}

void run_import_begin(struct run_import *i, const struct store_run *as)
{
	i->left = i->length = i->bytes = 0;
	i->lines = i->next = 0;
	i->fills = false;
	i->error = store_find(i->runs.store, as->sid, &i->before);
	if (i->error == ENOENT) {
		begin_new(i, as);
		return;
	}
	i->run = i->before;
	i->run.heard_s = arith_max(i->run.heard_s, as->heard_s);
	i->run.ended_s = arith_max(i->run.ended_s, as->ended_s);
	i->error = i->error ? i->error : store_cursor_open(i->runs.store, i->run.id, 0, &i->there);
	if (!i->error)
		advance(i);
}

/* ---- New ones ---- */

static void store_chunk(struct run_import *i)
{
	const struct store_lines lines = { i->seq, i->lines, i->text, i->bytes };

	if (!i->error && i->lines)
		i->error = store_append(i->runs.store, i->run.id, &lines);
	i->stored += i->lines;
	i->bytes = i->lines = 0;
}

static void add_line(struct run_import *i, const struct line *line, const char *text, size_t bytes)
{
	if (line->seq != i->seq + i->lines || i->bytes + bytes > CHUNK_BYTES)
		store_chunk(i);
	if (i->bytes + bytes > i->room) {
		i->room = i->bytes + bytes + CHUNK_BYTES;
		i->text = memory_resize(i->text, i->room);
	}
	i->seq = i->lines ? i->seq : line->seq;
	memcpy(i->text + i->bytes, text, bytes);
	i->bytes += bytes;
	i->lines++;
}

/* Store the new lines, and read the stored ones from the chunk with this line on. */
static void go_back(struct run_import *i, uint64_t seq)
{
	store_chunk(i);
	store_cursor_close(&i->there);
	i->left = i->length = 0;
	i->error = i->error ? i->error
			    : store_cursor_open(i->runs.store, i->run.id, seq, &i->there);
	if (!i->error)
		advance(i);
}

/* Count a line of which the store has one. */
static void compare(struct run_import *i, const struct line *line, const char *text, size_t bytes)
{
	i->again++;
	if (i->length == bytes && memcmp(i->at, text, bytes) == 0)
		return;
	i->conflicts++;
	fprintf(stderr,
		"%s: run %016" PRIx64 ": line %" PRIu64 " of %s differs from the stored one\n",
		i->runs.subcommand, line->sid, line->seq, text_sanitize_name(i->from));
}

void run_import_line(struct run_import *i, const struct line *line, const char *text, size_t bytes)
{
	if (line->seq < i->next)
		go_back(i, line->seq);
	i->next = line->seq + 1;
	while (i->length && i->at_seq < line->seq)
		advance(i);
	if (i->length && i->at_seq == line->seq) {
		compare(i, line, text, bytes);
		return;
	}
	add_line(i, line, text, bytes);
	i->fills = i->fills || line->seq < i->run.next;
	if (!i->fills)
		learn(&i->run, line, bytes);
}

/*
 * Derive the run from all its lines anew: the new lines may have its begin, which its figures were
 * computed without.
 */
static int derive_anew(struct run_import *i)
{
	struct run_derived d;
	char sql[80];
	int error = run_import_derive(i->runs.store, &i->run, &d);

	i->run = d.run;
	snprintf(sql, sizeof(sql), "UPDATE run SET figures=NULL WHERE id=%" PRIu64, i->run.id);
	return error ? error : store_run_sql(i->runs.store, sql);
}

static int note(struct run_import *i)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "INSERT OR IGNORE INTO imported VALUES (%" PRIu64 ")",
		 i->run.id);
	return store_run_sql(i->runs.store, sql);
}

int run_import_end(struct run_import *i)
{
	struct store_run *run = &i->run;

	store_chunk(i);
	store_cursor_close(&i->there);
	if (!i->error && i->fills)
		i->error = derive_anew(i);
	if (!i->error && run->summary.ended && (i->fills || !i->before.summary.ended)) {
		run->ended_s = run->ended_s ? run->ended_s : run->heard_s;
		store_judge(i->runs.policy, i->runs.store, run);
	}
	i->error = i->error ? i->error : store_advance(i->runs.store, &i->before, run);
	i->error = i->error ? i->error : store_put(i->runs.store, run);
	return i->error ? i->error : note(i);
}
