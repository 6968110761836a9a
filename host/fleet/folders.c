/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each folder has its runs in order; those of several are merged by the time of their beginning,
 * without changing the order of any.
 */
#include "folders.h"

#include "host/attest/attest_facts.h"
#include "host/store/files.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/order.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Runs ---- */

static ORDER_BY(by_rank, struct index_entry, rank);

static int read_folder(struct folders *f, const char *subcommand, size_t dir)
{
	const struct folders_dir *d = &f->dir[dir];
	struct index_table table;
	uint64_t when = 0;
	int error = 0;

	if (f->machine.uuid)
		f->is_one = folder_index_read_machine(d->fd, d->path, &f->machine, &table);
	else if (f->latest)
		f->is_one = folder_index_read_latest(d->fd, d->path, f->latest, &table);
	if (!f->is_one)
		error = folder_index_read(d->fd, d->path, subcommand, &table);
	error = error ? error : index_order(&table, f->is_one ? -1 : d->fd);
	ORDER_SORT(table.entry, table.count, by_rank);
	for (size_t i = 0; i < table.count && !error; i++) {
		const struct index_entry *e = &table.entry[i];

		when = e->began > when ? e->began : when;
		policy_judge(f->policy, &table.entry[i].summary);
		f->part = memory_grow(f->part, f->parts, sizeof(*f->part));
		f->part[f->parts++] = (struct folders_part){ *e, dir, when };
	}
	index_free(&table);
	return error;
}

static int by_time(const void *a, const void *b)
{
	const struct folders_part *x = a, *y = b;

	return ORDER(x->when, y->when) ?: ORDER(x->dir, y->dir) ?: by_rank(&x->entry, &y->entry);
}

static int by_run(const void *a, const void *b)
{
	const struct folders_part *x = a, *y = b;

	return ORDER(x->entry.sid, y->entry.sid) ?: by_rank(&x->entry, &y->entry);
}

static void rank_parts(struct folders *f)
{
	qsort(f->part, f->parts, sizeof(*f->part), by_time);
	for (size_t i = 0; i < f->parts; i++) {
		struct index_entry *e = &f->part[i].entry;

		e->rank = i;
		e->place = e->place ? i + 1 : 0;
	}
}

/* The run began where its part of the lowest rank did. */
static int make_runs(struct folders *f, const char **failed)
{
	int error = 0;

	qsort(f->part, f->parts, sizeof(*f->part), by_run);
	f->run = memory_new(f->parts, sizeof(*f->run));
	for (size_t i = 0; i < f->parts; i++) {
		struct folders_run *r = f->runs ? &f->run[f->runs - 1] : NULL;

		if (r && r->entry.sid == f->part[i].entry.sid)
			r->parts++;
		else
			f->run[f->runs++] = (struct folders_run){ f->part[i].entry, i, 1 };
	}
	for (size_t i = 0; i < f->runs && !error; i++) {
		if (f->run[i].parts > 1)
			error = folders_summary(f, &f->run[i], &f->run[i].entry.summary, failed);
	}
	return error;
}

static bool read_policy(struct folders *f, const char *subcommand, const struct folders_from *from)
{
	if (from->policy) {
		f->policy = policy_read(subcommand, from->policy);
		return f->policy != NULL;
	}
	for (size_t i = 0; i < from->count && !f->policy; i++)
		if (!policy_of_folder(subcommand, from->paths[i], &f->policy))
			return false;
	return true;
}

bool folders_open(struct folders *f, const char *subcommand, const struct folders_from *from)
{
	size_t count = from->count;
	const char *failed = NULL;
	int error = 0;

	*f = (struct folders){ .dir = memory_new(count, sizeof(*f->dir)) };
	/* Of several folders the parts of each run are needed. */
	f->machine.uuid = count == 1 ? from->uuid : NULL;
	f->latest = count == 1 ? from->latest : NULL;
	if (!read_policy(f, subcommand, from))
		return false;
	f->latest = f->policy ? NULL : f->latest;
	for (; f->dirs < count && !error; f->dirs++) {
		struct folders_dir *d = &f->dir[f->dirs];

		d->path = failed = from->paths[f->dirs];
		d->fd = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		error = d->fd < 0 ? errno : read_folder(f, subcommand, f->dirs);
	}
	if (!error && f->parts) {
		if (count > 1)
			rank_parts(f);
		error = make_runs(f, &failed);
	}
	if (error)
		fprintf(stderr, "%s: %s: %s\n", subcommand, text_sanitize_name(failed),
			strerror(error));
	return !error;
}

void folders_close(struct folders *f)
{
	for (size_t i = 0; i < f->dirs; i++) {
		if (f->dir[i].fd >= 0)
			close(f->dir[i].fd);
	}
	free(f->dir);
	free(f->part);
	free(f->run);
	folder_index_free_machine(&f->machine);
	policy_free(f->policy);
}

/* ---- Lines ---- */

/* A part's file, and the line of it that comes next. */
struct lines {
	FILE *file;
	const char *path;
	char *text; /* NULL: there is none */
	size_t room, bytes;
	struct line line;
	uint64_t next; /* seq after the last one */
	bool over;
};

static int open_part(const struct folders *f, const struct folders_part *p)
{
	char name[STORE_NAME_MAX];

	store_name(name, p->entry.sid);
	return openat(f->dir[p->dir].fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

int folders_open_run(const struct folders *f, const struct folders_run *run)
{
	return open_part(f, &f->part[run->part]);
}

/* The next line of the run; a torn end is none. */
static void read_line(struct lines *l, uint64_t sid, struct folders_sink *sink)
{
	ssize_t n;

	while (!l->over && (n = getline(&l->text, &l->room, l->file)) > 0) {
		l->bytes = (size_t)n;
		if (l->text[n - 1] != '\n')
			break;
		if (store_line(l->text, l->bytes - 1, sid, &l->line) && l->line.seq >= l->next) {
			l->next = l->line.seq + 1;
			return;
		}
		sink->damaged++;
	}
	l->over = true;
}

static struct lines *lowest(struct lines *l, size_t parts)
{
	struct lines *first = NULL;

	for (size_t i = 0; i < parts; i++) {
		if (!l[i].over && (!first || l[i].line.seq < first->line.seq))
			first = &l[i];
	}
	return first;
}

/* The same line in the others. */
static void skip_again(struct lines *l, size_t parts, const struct lines *first, uint64_t sid,
		       struct folders_sink *sink)
{
	for (size_t i = 0; i < parts; i++) {
		if (&l[i] == first || l[i].over || l[i].line.seq != first->line.seq)
			continue;
		sink->again++;
		if (sink->conflict && (l[i].bytes != first->bytes ||
				       memcmp(l[i].text, first->text, first->bytes) != 0))
			sink->conflict(sink->ctx, first->path, l[i].path, first->line.seq);
		read_line(&l[i], sid, sink);
	}
}

static int open_lines(const struct folders *f, const struct folders_run *run, struct lines *l,
		      const char **failed)
{
	int error = 0;

	for (size_t i = 0; i < run->parts && !error; i++) {
		const struct folders_part *p = &f->part[run->part + i];
		int fd = open_part(f, p);

		l[i].path = f->dir[p->dir].path;
		l[i].file = fd < 0 ? NULL : fdopen(fd, "r");
		error = l[i].file ? 0 : errno;
		if (error)
			*failed = l[i].path;
		if (error && fd >= 0)
			close(fd);
	}
	return error;
}

int folders_read(const struct folders *f, const struct folders_run *run, struct folders_sink *sink)
{
	struct lines *l = memory_new(run->parts, sizeof(*l)), *first;
	uint64_t sid = run->entry.sid;
	int error = open_lines(f, run, l, &sink->failed);

	for (size_t i = 0; i < run->parts && !error; i++)
		read_line(&l[i], sid, sink);
	while (!error && (first = lowest(l, run->parts))) {
		sink->line(sink->ctx, &first->line, first->text, first->bytes);
		skip_again(l, run->parts, first, sid, sink);
		read_line(first, sid, sink);
	}
	for (size_t i = 0; i < run->parts; i++) {
		if (!error && ferror(l[i].file)) {
			error = EIO;
			sink->failed = l[i].path;
		}
		if (l[i].file)
			fclose(l[i].file);
		free(l[i].text);
	}
	free(l);
	return error;
}

/* ---- Summaries ---- */

static void add_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct store_progress *kept = ctx;

	(void)text, (void)bytes;
	kept->summary.lost += line->seq - kept->next;
	kept->next = line->seq + 1;
	summary_line(&kept->summary, line, NULL);
}

static void feed_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	(void)ctx, (void)line;
	attest_facts_feed(text, bytes);
}

/* Twice, if the policy asks for the attestation: whose run it is shows only then. */
static int read_parts(const struct folders *f, const struct folders_run *run,
		      struct store_progress *kept, struct folders_sink *sink)
{
	struct folders_sink again = { .line = feed_line };
	int error = folders_read(f, run, sink);

	if (error || !policy_asks_attest(f->policy, &kept->summary))
		return error;
	attest_facts_begin();
	error = folders_read(f, run, &again);
	attest_facts_end(error ? 0 : kept->summary.lines, &kept->summary.facts.attest);
	sink->failed = again.failed;
	return error;
}

int folders_summary(const struct folders *f, const struct folders_run *run, struct summary *s,
		    const char **failed)
{
	const struct folders_dir *d = &f->dir[f->part[run->part].dir];
	struct store_progress kept = { .next = 0 };
	struct folders_sink sink = { .line = add_line, .ctx = &kept, .failed = d->path };
	int error;

	if (run->parts == 1)
		error = policy_read_run(f->policy, d->fd, run->entry.sid, &kept);
	else
		error = read_parts(f, run, &kept, &sink);
	policy_judge(f->policy, &kept.summary);
	if (!error)
		*s = kept.summary;
	else
		*failed = sink.failed;
	return error;
}
