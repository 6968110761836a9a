/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits for all runs at once: what is ready is written, and what is durable acknowledged. */
#include "receiver_runs.h"

#include "host/fleet/store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How often a commit is written anew, without a run that could not be. */
#define TRIES 8

/* A run's part in a commit. Its `kept` stays as it is while the commit is being written. */
struct job {
	struct receiver_run *run; /* NULL: done */
	struct store_run after;   /* how it is then stored */
	struct rx_lines *ready;   /* to be written */
	struct rx_lines *bad;     /* the first of these that was not written; NULL: all were */
	int error;                /* why not */
	bool has_failed;          /* the store refused the run */
	bool is_news;             /* there is something new about the run */
};

struct receiver_commit {
	struct receiver_store store;
	int error; /* of all of it */
	size_t count;
	struct job job[];
};

/* Beginning */

static size_t count_dirty(const struct receiver *r)
{
	size_t count = 0;

	for (const struct receiver_run *run = r->dirty; run; run = run->next_dirty)
		count++;
	return count;
}

static uint64_t bytes_ready(const struct receiver_run *run)
{
	uint64_t bytes = 0;

	for (const struct rx_lines *p = run->ready; p; p = p->next)
		bytes += p->bytes;
	return bytes;
}

static bool is_over(uint64_t used, uint64_t more, uint64_t limit)
{
	return limit && (used > limit || more > limit - used);
}

/* What running commits write is not counted yet. */
static bool has_bytes(const struct receiver *r, const struct receiver_run *run)
{
	uint64_t bytes = bytes_ready(run);

	if (!bytes)
		return true;
	if (is_over(run->host->bytes, bytes, r->setup.limits.bytes_host))
		return false;
	/* Without a key, everybody can send in the name of a node. */
	return !r->setup.key || !run->node ||
	       !is_over(run->node->bytes, bytes, r->setup.limits.bytes_node);
}

static struct job job_of(struct receiver *r, struct receiver_run *run)
{
	int error = has_bytes(r, run) ? 0 : EDQUOT;
	struct job job = { .run = run, .ready = receiver_take_ready(r, run), .error = error };

	run->is_dirty = false;
	run->is_written = true;
	return job;
}

struct receiver_commit *receiver_begin(struct receiver *r)
{
	size_t dirty = count_dirty(r);
	struct receiver_commit *c;

	if (!dirty)
		return NULL;
	c = malloc(sizeof(*c) + dirty * sizeof(*c->job));
	if (!c)
		return NULL;
	*c = (struct receiver_commit){ .store = r->setup.store };
	for (struct receiver_run *run = r->dirty; run; run = run->next_dirty)
		c->job[c->count++] = job_of(r, run);
	r->dirty = NULL;
	return c;
}

/* Writing */

static void learn(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct store_run *run = ctx;

	(void)text, (void)bytes;
	summary_line(&run->summary, line, NULL);
}

static void add_lines(struct store_run *run, const struct rx_lines *p)
{
	run->summary.lost += p->seq - run->next;
	if (p->has_news || run->summary.begin.more)
		store_line_each(p->text, p->bytes, run->sid, learn, run);
	else
		run->summary.lines += p->lines;
	run->next = p->seq + p->lines;
	run->bytes += p->bytes;
}

/* What is ready, as far as there is room for it. */
static void fill(const struct receiver_store *store, struct job *job)
{
	struct rx_lines *p = job->ready;
	int error = job->error;

	job->after = job->run->kept;
	for (; p && !error; p = p->next) {
		error = store->room(store->ctx, job->after.bytes, p->bytes);
		if (error)
			break;
		add_lines(&job->after, p);
	}
	job->error = error;
	job->bad = p;
}

static bool is_stored(const struct job *job)
{
	return job->ready != job->bad && !job->has_failed;
}

/* False: this one failed, and what was written with it has to be written again. */
static bool write_job(const struct receiver_store *store, struct job *job)
{
	int error;

	if (!is_stored(job))
		return true;
	error = store->append(store->ctx, &job->run->kept, &job->after, job->ready, job->bad);
	if (error) {
		job->error = error;
		job->has_failed = true;
	}
	return !error;
}

static bool has_lines(const struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (is_stored(&c->job[i]))
			return true;
	return false;
}

static int write_all(struct receiver_commit *c)
{
	const struct receiver_store *store = &c->store;

	for (int tries = 0; tries < TRIES && has_lines(c); tries++) {
		int error = store->begin(store->ctx);
		size_t n = 0;

		if (error)
			return error;
		while (n < c->count && write_job(store, &c->job[n]))
			n++;
		if (n == c->count)
			return store->commit(store->ctx);
		store->rollback(store->ctx);
	}
	return has_lines(c) ? EIO : 0;
}

void receiver_write(struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++)
		fill(&c->store, &c->job[i]);
	c->error = write_all(c);
}

/* Ending */

/* Before it, `bytes` of the run were stored. All are the node's once its UUID is known. */
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

/* It is on the disk. */
static void keep(struct receiver *r, struct job *job)
{
	struct receiver_run *run = job->run;
	const struct store_run before = run->kept;
	bool has_ended = job->after.summary.ended && !before.summary.ended;

	run->kept = job->after;
	count_bytes(r, run, before.bytes);
	if (run->state != DATAGRAM_TAKEN && !job->error) {
		run->state = DATAGRAM_TAKEN;
		r->setup.trouble(r->setup.ctx, run, 0);
	}
	for (const struct rx_lines *p = job->ready; p != job->bad; p = p->next)
		r->counts.lines += p->lines;
	r->counts.bytes += run->kept.bytes - before.bytes;
	r->runs_new -= run->is_new;
	r->setup.runs_kept += run->is_new;
	r->counts.runs_begun += run->is_new;
	r->counts.runs_ended += has_ended;
	r->counts.runs_incomplete += has_ended && run->kept.summary.lost;
	job->is_news = run->is_new || run->kept.summary.changes != before.summary.changes;
	run->is_new = false;
}

static uint64_t lines_of(const struct rx_lines *p)
{
	uint64_t lines = 0;

	for (; p; p = p->next)
		lines += p->lines;
	return lines;
}

/*
 * What was not written, and what arrived after it meanwhile: it is not acknowledged, and will be
 * sent again.
 */
static void refuse_rest(struct receiver *r, const struct job *job)
{
	struct receiver_run *run = job->run;
	bool was_well = run->state == DATAGRAM_TAKEN;

	r->counts.lines_unwritten += lines_of(job->bad) + lines_of(run->ready);
	rx_lines_free(receiver_take_ready(r, run));
	run->fresh_next = run->kept.next;
	run->state = DATAGRAM_NO_SPACE;
	if (was_well)
		r->setup.trouble(r->setup.ctx, run, job->error);
}

static void settle(struct receiver *r, const struct receiver_commit *c, struct job *job)
{
	if (is_stored(job) && !c->error)
		keep(r, job);
	else
		job->bad = job->ready;
	if (c->error && job->ready)
		job->error = c->error;
	if (job->error)
		refuse_rest(r, job);
}

/* Runs that are stored otherwise are forgotten at once, and so are those that are not. */
static void forget_some(struct receiver *r, struct job *job)
{
	struct receiver_run *run = job->run;

	run->is_written = false;
	if (run->is_dirty)
		receiver_mark(r, run);
	if (job->error != STORE_CHANGED && (!run->is_new || run->is_dirty))
		return;
	receiver_acknowledge(r, run, &run->peer);
	if (job->is_news)
		r->setup.learned(r->setup.ctx, run);
	receiver_forget(r, run);
	job->run = NULL;
}

void receiver_end(struct receiver *r, struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++) {
		settle(r, c, &c->job[i]);
		forget_some(r, &c->job[i]);
	}
	r->counts.commits++;
}

void receiver_answer(struct receiver *r, struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++) {
		if (c->job[i].run)
			receiver_acknowledge(r, c->job[i].run, &c->job[i].run->peer);
	}
	for (size_t i = 0; i < c->count; i++) {
		if (c->job[i].run && c->job[i].is_news)
			r->setup.learned(r->setup.ctx, c->job[i].run);
	}
	for (size_t i = 0; i < c->count; i++)
		rx_lines_free(c->job[i].ready);
	free(c);
}
