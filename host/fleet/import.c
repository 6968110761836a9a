/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor fleet import`: runs from captures, or from other collectors' stores, into a store
 * that may have some of their lines.
 *
 * One run is imported at a time. A table of the connection gets the lines that the store has of it,
 * and then those that are given: the first of each number counts.
 */
#include "fleet.h"
#include "runs.h"
#include "store/store.h"

#include "host/capture/capture.h"
#include "host/capture/reader.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/arith.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define RUNS_EACH 256 /* runs of other stores per transaction */

/*
 * Tables of the connection: the lines of the run that is being imported; the runs that have been
 * imported; and the runs of other stores, in the order in which they began. Runs of one store keep
 * the order of that store.
 */
#define TABLES                                                                               \
	"CREATE TEMP TABLE line(seq INTEGER PRIMARY KEY, text NOT NULL, is_given NOT NULL);" \
	"CREATE TEMP TABLE imported(id INTEGER PRIMARY KEY);"                                \
	"CREATE TEMP TABLE part(store, sid, at)"
#define PARTS "SELECT sid, max(begun_s) OVER (ORDER BY id) FROM run"
#define ORDER_PARTS \
	"CREATE TEMP TABLE ordered AS SELECT store, sid FROM part ORDER BY at, store, rowid"
#define PUT           "INSERT OR IGNORE INTO line VALUES (?1, ?2, ?3)"
#define FIND          "SELECT text=?2 FROM line WHERE seq=?1"
#define FRESH         "SELECT seq, text FROM line WHERE is_given ORDER BY seq"
#define COUNT         "SELECT count(*) FROM imported"
#define COUNT_LACKING "SELECT count(*) FROM runs WHERE id IN imported AND (lost OR NOT ended)"
#define LACKING                                                                              \
	"SELECT sid, lost, ended, (SELECT min(after) FROM (SELECT seq, lag(seq + lines, 1, " \
	"0) OVER (ORDER BY seq) AS after FROM chunk WHERE chunk.run=run.id) WHERE seq > "    \
	"after) FROM run JOIN progress ON progress.run=run.id WHERE id IN imported AND "     \
	"(lost OR NOT ended) ORDER BY id"

static struct options {
	const char *dir;
} options;

static struct import {
	struct runs to;
	struct policy *policy;  /* its own, by which runs that have ended are judged */
	const char *from;       /* the capture or folder that the next lines come from */
	uint64_t when_s;        /* time of a capture, s since 1970 */
	uint64_t stored, again; /* lines of all runs; `again`: of a number that was there */
	uint64_t conflicts;     /* lines of `again` that differ from that line */
	uint64_t unprintable;
	struct runs *store; /* the other stores */
	sqlite3_stmt *put, *find;
	/* The run that is being imported: */
	bool has_run;
	struct store_run before, run;
	struct store_lines chunk; /* new lines that are not stored yet */
	bool is_news;             /* some are stored */
	int error;                /* the first in the transaction */
} it;

static char chunk_text[STORE_CHUNK]; /* the lines of it.chunk */
_Static_assert(STORE_CHUNK >= READER_LINE_MAX, "each line fits");

static void import_note(int error)
{
	it.error = it.error ? it.error : error;
}

/* ---- Lines of a run ---- */

/* Bind the line, and run the statement; true if it results in 1. */
static bool do_line(sqlite3_stmt *s, const struct line *line, const char *text, size_t bytes)
{
	bool is_one;

	sqlite3_bind_int64(s, 1, (sqlite3_int64)line->seq);
	sqlite3_bind_text(s, 2, text, (int)bytes - 1, SQLITE_STATIC);
	is_one = sqlite3_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0);
	if (sqlite3_reset(s) != SQLITE_OK)
		import_note(EIO);
	return is_one;
}

/* `is_given` is NULL for a line of the store, which stays, whatever line is given. */
static void put_line(void *is_given, const struct line *line, const char *text, size_t bytes)
{
	sqlite3_bind_int(it.put, 3, is_given != NULL);
	do_line(it.put, line, text, bytes);
	if (it.error || sqlite3_changes(store_sql(it.to.store)))
		return;
	it.again++;
	if (do_line(it.find, line, text, bytes))
		return;
	it.conflicts++;
	fprintf(stderr,
		"fleet import: run %016" PRIx64 ": line %" PRIu64
		" of %s differs from the stored one\n",
		it.run.sid, line->seq, text_sanitize_name(it.from));
}

static void put_chunk(void *is_given, const char *text, size_t bytes)
{
	store_line_each(text, bytes, it.run.sid, put_line, is_given);
}

static void store_chunk(void)
{
	if (!it.error && it.chunk.lines)
		import_note(store_append(it.to.store, it.run.id, &it.chunk));
	it.stored += it.chunk.lines;
	it.is_news |= it.chunk.lines > 0;
	it.chunk = (struct store_lines){ .text = chunk_text };
}

static int add_line(void *ctx, sqlite3_stmt *row)
{
	uint64_t seq = (uint64_t)sqlite3_column_int64(row, 0);
	const void *text = sqlite3_column_text(row, 1);
	size_t bytes = (size_t)sqlite3_column_bytes(row, 1);
	struct store_lines *c = &it.chunk;

	(void)ctx;
	if (seq != c->seq + c->lines || c->bytes + bytes + 1 > STORE_CHUNK)
		store_chunk();
	c->seq = c->lines ? c->seq : seq;
	memcpy(chunk_text + c->bytes, text, bytes);
	chunk_text[c->bytes + bytes] = '\n';
	c->bytes += bytes + 1;
	c->lines++;
	return it.error;
}

/* ---- Runs ---- */

/* `as` has who sent the run, and when; of a stored run, only later times are taken from it. */
static void begin_run(const struct store_run *as)
{
	struct store_chunks stored = { .take = put_chunk };
	int error = store_find(it.to.store, as->sid, &it.before);

	it.has_run = true;
	it.is_news = false;
	it.chunk = (struct store_lines){ .text = chunk_text };
	it.run = error == ENOENT ? *as : it.before;
	if (error == ENOENT) {
		it.run.id = 0;
		runs_forget_lines(&it.run);
		error = store_insert(it.to.store, &it.run);
		it.before = it.run;
	} else if (!error) {
		error = store_chunks(it.to.store, it.run.id, &stored);
	}
	it.run.heard_s = arith_max(it.run.heard_s, as->heard_s);
	it.run.ended_s = arith_max(it.run.ended_s, as->ended_s);
	import_note(error);
}

/* If the run has new lines, anywhere among the others, all that is known of it is derived anew. */
static int finish_run(void)
{
	struct store_run *run = &it.run;
	struct runs_derived d = { .run = *run };
	int error = it.is_news ? runs_derive(it.to.store, run, &d) : 0;

	*run = d.run;
	if (!error && it.is_news && run->summary.ended) {
		run->ended_s = run->ended_s ? run->ended_s : run->heard_s;
		runs_judge(it.policy, it.to.store, run);
	}
	error = error ? error : store_advance(it.to.store, &it.before, run);
	error = error ? error : store_put(it.to.store, run);
	return error ? error
		     : store_do(it.to.store,
				"INSERT OR IGNORE INTO imported VALUES (%llu); DELETE FROM line",
				(unsigned long long)run->id);
}

static void end_run(void)
{
	if (!it.has_run)
		return;
	it.has_run = false;
	import_note(it.error ? 0 : store_ask(it.to.store, FRESH, NULL, add_line, NULL));
	store_chunk();
	import_note(it.error ? 0 : finish_run());
}

/* ---- Captures: all of one, or nothing ---- */

static void take_line(const char *text, size_t bytes)
{
	struct store_run as = { .begun_s = it.when_s, .heard_s = it.when_s };
	struct line line;

	if (!store_line_read_any(text, bytes, &line)) {
		it.unprintable++;
		return;
	}
	as.sid = line.sid;
	if (!it.has_run || it.run.sid != line.sid) {
		end_run();
		begin_run(&as);
	}
	put_line(&it, &line, text, bytes + 1);
}

static uint64_t time_of(const char *path)
{
	struct stat status;

	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return (uint64_t)time(NULL);
	return status.st_mtime > 0 ? (uint64_t)status.st_mtime : 0;
}

static bool import_begin(void)
{
	it.error = store_begin(it.to.store);
	return !it.error || runs_fail(&it.to, it.error);
}

/* Unless `is_read`, nothing of what was read is stored. */
static bool import_end(bool is_read)
{
	end_run();
	if (!is_read) {
		store_rollback(it.to.store);
		return false;
	}
	it.error = store_end(it.to.store, it.error);
	return !it.error || runs_fail(&it.to, it.error);
}

static bool import_capture(const char *path)
{
	const struct capture_want want = { .line = take_line, .forgets = true };
	struct capture c;
	bool is_read;

	if (!import_begin())
		return false;
	it.from = path;
	it.when_s = time_of(path);
	capture_open(&c, path, &want);
	is_read = !c.error && c.runs;
	if (!is_read)
		capture_judge(&c, false);
	capture_close(&c);
	return import_end(is_read);
}

/* ---- Other stores ---- */

static int add_part(void *ctx, sqlite3_stmt *row)
{
	return store_do(it.to.store, "INSERT INTO part VALUES (%d, %Q, %lld)",
			(int)((const struct runs *)ctx - it.store), sqlite3_column_text(row, 0),
			(long long)sqlite3_column_int64(row, 1));
}

/* False: the store's policy has mistakes, which are printed. */
static bool read_policy(const struct runs *of)
{
	char *text = store_setting(of->store, "policy");
	bool is_there = text && *text;

	it.policy = is_there ? policy_parse("fleet import", of->path, text) : NULL;
	free(text);
	return !is_there || it.policy;
}

/* A store without runs gets the policy of the first that has one. */
static bool take_policy(struct runs *from)
{
	uint64_t runs;
	int error = store_number(it.to.store, "SELECT count(*) FROM run", &runs);

	if (error || runs || it.policy)
		return !error || runs_fail(&it.to, error);
	if (!read_policy(from))
		return false;
	error = store_begin(it.to.store);
	if (!error)
		error = store_end(it.to.store, store_set(it.to.store, "policy",
							 it.policy ? it.policy->text : NULL));
	return !error || runs_fail(&it.to, error);
}

static bool open_store(struct runs *r, const char *path)
{
	int error;

	if (!runs_open(r, "fleet import", path, STORE_READ) || !take_policy(r))
		return false;
	error = store_ask(r->store, PARTS, NULL, add_part, r);
	return !error || runs_fail(r, error);
}

/* ENOENT: the store's collector has removed the run meanwhile. */
static int import_part(void *ctx, sqlite3_stmt *row)
{
	struct runs *in = &it.store[sqlite3_column_int(row, 0)];
	const char *sid = (const char *)sqlite3_column_text(row, 1);
	struct store_run run;
	int error = store_find(in->store, sid ? strtoull(sid, NULL, 16) : 0, &run);

	(void)ctx;
	if (error && error != ENOENT)
		runs_fail(in, error);
	if (error)
		return error == ENOENT ? 0 : error;
	it.from = in->path;
	begin_run(&run);
	if (!runs_lines(in, &run, put_chunk, &it))
		return EIO;
	end_run();
	return it.error;
}

static bool import_parts(void)
{
	uint64_t parts = 0;
	char query[120];
	int error = store_run_sql(it.to.store, ORDER_PARTS);

	error = error ? error : store_number(it.to.store, "SELECT count(*) FROM ordered", &parts);
	for (uint64_t n = 0; n < parts && !error; n += RUNS_EACH) {
		snprintf(query, sizeof(query),
			 "SELECT store, sid FROM ordered WHERE rowid>%" PRIu64
			 " AND rowid<=%" PRIu64,
			 n, n + RUNS_EACH);
		if (!import_begin())
			return false;
		error = store_ask(it.to.store, query, NULL, import_part, NULL);
		if (!import_end(!error || it.error))
			return false;
	}
	return !error || runs_fail(&it.to, error);
}

/* ---- All ---- */

static int report_run(void *ctx, sqlite3_stmt *row)
{
	const unsigned char *sid = sqlite3_column_text(row, 0);

	(void)ctx;
	if (sqlite3_column_type(row, 3) != SQLITE_NULL)
		fprintf(stderr, "fleet import: run %s: %lld lines are missing, from line %lld on\n",
			sid, (long long)sqlite3_column_int64(row, 1),
			(long long)sqlite3_column_int64(row, 3));
	if (!sqlite3_column_int(row, 2))
		fprintf(stderr, "fleet import: run %s: its end is missing\n", sid);
	return 0;
}

static bool report(uint64_t *lacking)
{
	uint64_t runs = 0;
	int error = store_ask(it.to.store, LACKING, NULL, report_run, NULL);

	error = error ? error : store_number(it.to.store, COUNT, &runs);
	error = error ? error : store_number(it.to.store, COUNT_LACKING, lacking);
	printf("%" PRIu64 " runs, %" PRIu64 " incomplete; %" PRIu64 " lines stored, %" PRIu64
	       " more than once, %" PRIu64 " conflicts, %" PRIu64 " not printable\n",
	       runs, *lacking, it.stored, it.again, it.conflicts, it.unprintable);
	return !error || runs_fail(&it.to, error);
}

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool import_all(int count, char **paths)
{
	bool is_read = true;

	for (int i = 0; i < count; i++)
		is_read = (is_folder(paths[i]) ? open_store(&it.store[i], paths[i])
					       : import_capture(paths[i])) &&
			  is_read;
	is_read = import_parts() && is_read;
	for (int i = 0; i < count; i++)
		is_read = is_read && !it.store[i].damaged;
	return is_read;
}

static bool open_output(void)
{
	int error;

	if (!runs_open(&it.to, "fleet import", options.dir, STORE_HOLD))
		return false;
	error = store_run_sql(it.to.store, TABLES);
	error = error ? error : store_prepare(it.to.store, PUT, &it.put);
	error = error ? error : store_prepare(it.to.store, FIND, &it.find);
	if (error)
		return runs_fail(&it.to, error);
	return read_policy(&it.to);
}

static int import_run(int count, char **paths)
{
	uint64_t lacking = 0;
	bool is_read;
	int code = EXIT_ERROR;

	it = (struct import){ .store = memory_new((size_t)count, sizeof(*it.store)) };
	if (capture_check("fleet import", count, (const char *const *)paths) && open_output()) {
		is_read = import_all(count, paths);
		if (report(&lacking) && is_read)
			code = it.conflicts ? EXIT_FAIL : lacking ? EXIT_INCOMPLETE : EXIT_PASS;
	}
	sqlite3_finalize(it.put);
	sqlite3_finalize(it.find);
	store_close(it.to.store);
	for (int i = 0; i < count; i++)
		store_close(it.store[i].store);
	policy_free(it.policy);
	free(it.store);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder, created if missing; no collector may use it",
	  options_text, .offset = offsetof(struct options, dir), .required = true },
	{ 0 },
};

const struct options_subcommand fleet_import = {
	.name = "import",
	.command = "noisefloor fleet import",
	.run = import_run,
	.summary = "runs from captures, and from other stores, into a collector's store",
	.arguments = "CAPTURE|FOLDER...",
	.least = 1,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "Stores the runs of captures, and of other collectors' folders, as if a collector "
		 "had received them. The parts of a run whose node moved from one collector to "
		 "another are put together. Lines that the store has are left alone; reports what "
		 "is missing, and lines that differ from stored ones.",
	.exit_code = "0 every run is complete, 1 a line differs from the stored one, 2 error, 3 a "
		     "run is incomplete.",
	.rows = rows,
	.options = &options,
};
