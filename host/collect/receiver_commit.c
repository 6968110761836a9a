/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits for all runs at once: what is ready is written, and what is durable acknowledged. */
#include "receiver.h"

#include "host/fleet/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Lines are written to the log and then to the database. What compression saves is not counted. */
#define COPIES 2

/* Number of times that a commit is repeated without a run that could not be written. */
#define TRIES 8

/* A run's part in a commit. Its `kept` stays as it is while the commit is being written. */
struct job {
	struct receiver_run *run; /* NULL: done */
	struct store_run after;   /* the run as stored after that */
	struct rx_lines *ready;   /* to be written: all of it, or nothing */
	int error;                /* why nothing is written */
	bool is_news;             /* there is something new about the run */
};

struct receiver_commit {
	const struct receiver_setup *setup;
	int error; /* result of the commit as a whole */
	size_t count;
	struct job job[];
};

/* ---- Beginning ---- */

static size_t count_dirty(const struct receiver *r)
{
	size_t count = 0;

	for (const struct receiver_run *run = r->dirty; run; run = run->next_dirty)
		count++;
	return count;
}

static bool is_over(uint64_t used, uint64_t more, uint64_t limit)
{
	return limit && (used > limit || more > limit - used);
}

/*
 * 0, or an errno: why the run's ready lines may not be stored. Lines that a running commit writes
 * are counted later. *room are the bytes that this commit may write.
 */
static int check_room(const struct receiver *r, const struct receiver_run *run, uint64_t *room)
{
	const struct receiver_limits *limits = &r->setup.limits;
	uint64_t bytes = 0;

	for (const struct rx_lines *p = run->ready; p; p = p->next)
		bytes += p->bytes;
	if (!bytes)
		return 0;
	/* Without a key, everybody can send in the name of a node. */
	if (is_over(run->kept.bytes, bytes, limits->bytes_run) ||
	    is_over(run->host->bytes, bytes, limits->bytes_host) ||
	    (r->setup.key && run->node && is_over(run->node->bytes, bytes, limits->bytes_node)))
		return EDQUOT;
	if (COPIES * bytes > *room)
		return ENOSPC;
	*room -= COPIES * bytes;
	return 0;
}

struct receiver_commit *receiver_begin(struct receiver *r)
{
	size_t dirty = count_dirty(r);
	struct receiver_commit *c = dirty ? malloc(sizeof(*c) + dirty * sizeof(*c->job)) : NULL;
	uint64_t room;

	if (!c)
		return NULL;
	*c = (struct receiver_commit){ .setup = &r->setup };
	room = r->setup.room(r->setup.ctx);
	for (struct receiver_run *run = r->dirty; run; run = run->next_dirty) {
		int error = check_room(r, run, &room);

		c->job[c->count++] = (struct job){
			.run = run,
			.error = error,
			.ready = receiver_take_ready(r, run),
		};
		run->is_dirty = false;
		run->is_written = true;
	}
	r->dirty = NULL;
	return c;
}

/* ---- Writing ---- */

static bool is_stored(const struct job *job)
{
	return job->ready && !job->error;
}

static bool has_lines(const struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_stored(&c->job[i]))
			return true;
	return false;
}

/* Append one chunk of consecutive lines, beginning at *p, which is advanced. */
static int append_chunk(struct store *s, uint64_t id, const struct rx_lines **p)
{
	static char text[STORE_CHUNK]; /* one commit is written at a time */
	struct store_lines lines = { .seq = (*p)->seq, .text = text };

	for (;
	     *p && (*p)->seq == lines.seq + lines.lines && lines.bytes + (*p)->bytes <= STORE_CHUNK;
	     *p = (*p)->next) {
		memcpy(text + lines.bytes, (*p)->text, (*p)->bytes);
		lines.bytes += (*p)->bytes;
		lines.lines += (*p)->lines;
	}
	return store_append(s, id, &lines);
}

/* A run that ends is judged by the policy in the same transaction. */
static int store_job(const struct receiver_setup *setup, struct job *job)
{
	const struct store_run *before = &job->run->kept;
	const struct rx_lines *lines = job->ready;
	struct store_run *after = &job->after;
	bool has_ended = after->summary.ended && !before->summary.ended;
	bool is_news = store_row_differs(store_row_run, before, after);
	int error = 0;

	after->heard_s = (uint64_t)time(NULL);
	after->ended_s = has_ended ? after->heard_s : before->ended_s;
	if (!before->id) {
		after->id = 0; /* discard the id of a transaction that was rolled back */
		after->begun_s = after->heard_s;
		error = store_insert(setup->writer, after);
	}
	while (!error && lines)
		error = append_chunk(setup->writer, after->id, &lines);
	if (!error && has_ended)
		runs_judge(setup->policy, setup->writer, after);
	if (!error && before->id)
		error = store_advance(setup->writer, before, after);
	if (!error && (before->id ? is_news : has_ended))
		error = store_put(setup->writer, after);
	return error;
}

/* A run that fails is left out of the next try, as what was written with it has to be undone. */
static int write_all(struct receiver_commit *c)
{
	struct store *s = c->setup->writer;

	for (int tries = 0; tries < TRIES && has_lines(c); tries++) {
		/* The file may have been removed: nobody would find what is written to it. */
		int error = store_is_gone(s) ? STORE_CHANGED : store_begin(s);

		if (error)
			return error;
		for (struct job *job = c->job; job < c->job + c->count && !error; job++)
			if (is_stored(job))
				error = job->error = store_job(c->setup, job);
		if (!error)
			return store_commit(s);
		store_rollback(s);
	}
	return has_lines(c) ? EIO : 0;
}

void receiver_write(struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct job *job = &c->job[i];

		job->after = job->run->kept;
		for (const struct rx_lines *p = job->error ? NULL : job->ready; p; p = p->next)
			store_line_each(p->text, p->bytes, job->after.sid, store_line_learn,
					&job->after);
	}
	c->error = write_all(c);
}

/* ---- Ending ---- */

/*
 * Charge the run's new bytes to its host and its node; `bytes` were stored before the commit. A
 * node whose UUID becomes known is charged all bytes of the run.
 */
static void count_bytes(struct receiver *r, struct receiver_run *run, uint64_t bytes)
{
	run->host->bytes += run->kept.bytes - bytes;
	if (run->node)
		run->node->bytes += run->kept.bytes - bytes;
	else if (*run->kept.summary.uuid) {
		run->node = receiver_hold_node(r, run->kept.summary.uuid);
		if (run->node)
			run->node->bytes += run->kept.bytes;
	}
}

static uint64_t lines_of(const struct rx_lines *p)
{
	uint64_t lines = 0;

	for (; p; p = p->next)
		lines += p->lines;
	return lines;
}

/* The lines are on the disk: the run is as the job stored it. */
static void receiver_commit_keep(struct receiver *r, struct job *job)
{
	struct receiver_run *run = job->run;
	const struct store_run before = run->kept;
	bool has_ended = job->after.summary.ended && !before.summary.ended;

	run->kept = job->after;
	count_bytes(r, run, before.bytes);
	if (run->state != DATAGRAM_TAKEN) {
		run->state = DATAGRAM_TAKEN;
		r->setup.trouble(r->setup.ctx, run, 0);
	}
	r->counts.lines += lines_of(job->ready);
	r->counts.bytes += run->kept.bytes - before.bytes;
	r->runs_new -= run->is_new;
	r->runs_kept += run->is_new;
	r->counts.runs_begun += run->is_new;
	r->counts.runs_ended += has_ended;
	r->counts.runs_incomplete += has_ended && run->kept.summary.lost;
	job->is_news = run->is_new || run->kept.summary.changes != before.summary.changes;
	run->is_new = false;
}

/*
 * Drop what was not written, and what arrived after it meanwhile: neither is acknowledged, so both
 * will be sent again.
 */
static void receiver_commit_refuse(struct receiver *r, const struct job *job)
{
	struct receiver_run *run = job->run;
	bool was_well = run->state == DATAGRAM_TAKEN;

	r->counts.lines_unwritten += lines_of(job->ready) + lines_of(run->ready);
	rx_lines_free(receiver_take_ready(r, run));
	run->fresh_next = run->kept.next;
	run->state = DATAGRAM_NO_SPACE;
	if (was_well)
		r->setup.trouble(r->setup.ctx, run, job->error);
}

static void receiver_commit_settle(struct receiver *r, const struct receiver_commit *c,
				   struct job *job)
{
	if (!job->ready)
		return;
	job->error = c->error ? c->error : job->error;
	if (job->error)
		receiver_commit_refuse(r, job);
	else
		receiver_commit_keep(r, job);
}

/*
 * Forget a run that another program has changed in the store, and a new run that was not stored and
 * is in no further commit.
 */
static void forget_some(struct receiver *r, struct job *job)
{
	struct receiver_run *run = job->run;

	run->is_written = false;
	if (run->is_dirty)
		receiver_mark(r, run);
	if (job->error != STORE_CHANGED && (!run->is_new || run->is_dirty))
		return;
	receiver_acknowledge(r, run, &run->peer);
	receiver_forget(r, run);
	job->run = NULL;
}

void receiver_end(struct receiver *r, struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++) {
		receiver_commit_settle(r, c, &c->job[i]);
		forget_some(r, &c->job[i]);
	}
}

void receiver_answer(struct receiver *r, struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->job[i].run)
			receiver_acknowledge(r, c->job[i].run, &c->job[i].run->peer);
	for (size_t i = 0; i < c->count; i++) {
		if (c->job[i].run && c->job[i].is_news)
			r->setup.learned(r->setup.ctx, c->job[i].run);
		rx_lines_free(c->job[i].ready);
	}
	free(c);
}
