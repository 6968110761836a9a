/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor merge`: the runs of several collectors in one folder. */
#define _GNU_SOURCE /* syncfs */
#include "folders.h"

#include "host/store/files.h"
#include "host/store/folder.h"
#include "host/lib/exit.h"
#include "host/lib/order.h"
#include "host/subcommands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GAPS_NAMED 4 /* of a run */

static struct options {
	const char *output;
} options;

/* What became of the runs, and of the one that is being written. */
struct merge {
	struct folders folders;
	int dir;
	uint64_t lines, again, damaged, conflicts;
	size_t split, incomplete;
	const struct folders_run *run;
	FILE *to;
	uint64_t next; /* seq */
	unsigned gaps;
	struct summary summary;
	const char *failed; /* a folder that could not be read */
};

static void put_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct merge *m = ctx;

	if (line->seq > m->next) {
		m->summary.lost += line->seq - m->next;
		if (m->gaps++ < GAPS_NAMED)
			fprintf(stderr,
				"merge: run %016" PRIx64 ": lines %" PRIu64 " to %" PRIu64
				" are missing\n",
				line->sid, m->next, line->seq - 1);
	}
	m->next = line->seq + 1;
	m->lines++;
	summary_line(&m->summary, line, NULL);
	fwrite(text, 1, bytes, m->to);
}

static void report_conflict(void *ctx, const char *path, const char *other, uint64_t seq)
{
	struct merge *m = ctx;

	m->conflicts++;
	fprintf(stderr,
		"merge: run %016" PRIx64 ": line %" PRIu64 " of %s differs from that of %s, which "
		"was taken\n",
		m->run->entry.sid, seq, other, path);
}

static FILE *open_output(const struct merge *m, uint64_t sid)
{
	char name[STORE_NAME_MAX];
	int fd;

	store_name(name, sid);
	fd = openat(m->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? NULL : fdopen(fd, "w");
}

static int put_run(struct merge *m, struct folders_run *run)
{
	struct folders_sink sink = { .line = put_line, .conflict = report_conflict, .ctx = m };
	int error;

	m->run = run;
	m->summary = (struct summary){ .lines = 0 };
	m->next = m->gaps = 0;
	m->to = open_output(m, run->entry.sid);
	if (!m->to)
		return errno;
	error = folders_read(&m->folders, run, &sink);
	m->failed = sink.failed;
	if (ferror(m->to) && !error)
		error = EIO;
	if (fclose(m->to) != 0 && !error)
		error = errno;
	run->entry.summary = m->summary;
	m->split += run->parts > 1;
	m->incomplete += !summary_complete(&m->summary);
	m->again += sink.again;
	m->damaged += sink.damaged;
	if (m->gaps > GAPS_NAMED)
		fprintf(stderr, "merge: run %016" PRIx64 ": %u more such gaps\n", run->entry.sid,
			m->gaps - GAPS_NAMED);
	if (!error && !m->summary.ended)
		fprintf(stderr, "merge: run %016" PRIx64 ": its end is missing\n", run->entry.sid);
	return error;
}

static ORDER_BY(by_rank, struct folders_run, entry.rank);

/* Last, in the order in which the runs began. */
static int put_index(struct merge *m)
{
	int fd = index_open(m->dir, INDEX_LINES), error = fd < 0 ? errno : 0;

	for (size_t i = 0; i < m->folders.runs && !error; i++) {
		struct index_entry e = m->folders.run[i].entry;

		e.at = e.began;
		error = index_add(fd, &e);
	}
	if (fd >= 0)
		close(fd);
	if (!error && syncfs(m->dir) != 0)
		error = errno;
	return error;
}

static int put_all(struct merge *m)
{
	int error = 0;

	qsort(m->folders.run, m->folders.runs, sizeof(*m->folders.run), by_rank);
	for (size_t i = 0; i < m->folders.runs && !error; i++)
		error = put_run(m, &m->folders.run[i]);
	error = error ? error : put_index(m);
	error = error || !m->folders.policy ? error : policy_put(m->folders.policy, options.output);
	if (error)
		fprintf(stderr, "merge: %s: %s\n", m->failed ? m->failed : options.output,
			strerror(error));
	else
		printf("%zu runs, %zu of them in several folders, %zu incomplete; %" PRIu64
		       " lines, %" PRIu64 " more than once, %" PRIu64 " conflicts, %" PRIu64
		       " damaged\n",
		       m->folders.runs, m->split, m->incomplete, m->lines, m->again, m->conflicts,
		       m->damaged);
	return error;
}

/* Holds the folder's lock: no collector shall work there meanwhile. */
static bool open_folder(struct store_folder *f)
{
	const char *what;

	if (!store_folder_open(f, options.output, &what)) {
		fprintf(stderr, "merge: %s: cannot %s: %s\n", options.output, what,
			errno == EWOULDBLOCK ? "a collector uses it" : strerror(errno));
		return false;
	}
	return true;
}

static int run(int count, char **arguments)
{
	struct store_folder folder;
	const struct folders_from from = { .count = (size_t)count,
					   .paths = (const char *const *)arguments };
	struct merge m = { .dir = -1 };
	int code = EXIT_ERROR;

	if (folders_open(&m.folders, "merge", &from) && open_folder(&folder)) {
		m.dir = folder.dir;
		if (folder.runs)
			fprintf(stderr, "merge: %s: has runs already\n", options.output);
		else if (!m.folders.runs)
			fputs("merge: no runs there\n", stderr);
		else if (!put_all(&m))
			code = m.conflicts ? EXIT_FAIL : m.incomplete ? EXIT_INCOMPLETE : EXIT_PASS;
	}
	if (m.dir >= 0)
		store_folder_close(&folder);
	folders_close(&m.folders);
	return code;
}

static const struct options_row rows[] = {
	{ "output", "DIR", "the folder to write, created if missing; without runs", options_text,
	  offsetof(struct options, output), .letter = 'o', .required = true },
	{ 0 },
};

const struct options_subcommand merge_subcommand = {
	.name = "merge",
	.run = run,
	.summary = "the runs of several collectors in one folder",
	.arguments = "DIR...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Writes the runs of several collectors' folders to a new one. The parts of a run "
		 "whose node moved from one collector to another are put together. Reports "
		 "what is missing, and lines in which folders differ.",
	.exit_code = "0 every run is complete, 1 folders differ in a line, 2 error, 3 a run is "
		     "incomplete.",
	.rows = rows,
	.options = &options,
};
