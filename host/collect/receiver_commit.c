/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits for all runs at once: what is ready is written, made durable, and then acknowledged. */
#include "receiver_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A run's part in a commit. While it is being written it belongs to the writer only. */
struct job {
	struct receiver_run *run; /* NULL: done */
	uint64_t sid;
	uint64_t bytes;         /* of the file */
	struct rx_lines *ready; /* to be written after them */
	struct rx_lines *bad;   /* the first of these that was not written; NULL: all were */
	int error;              /* why not */
	bool is_found;          /* the existing file has to be made durable as well */
	bool is_unsure;         /* the file's state is unknown */
	bool is_news;           /* there is something new about the run */
};

struct receiver_commit {
	struct receiver_store store;
	int error; /* of making it durable */
	uint64_t *sids;
	int *errors; /* of these */
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
	if (is_over(run->host->bytes, bytes, r->setup.bytes_host))
		return false;
	/* Without a key, everybody can send in the name of a node. */
	return !r->setup.key || !run->node ||
	       !is_over(run->node->bytes, bytes, r->setup.bytes_node);
}

static struct job job_of(struct receiver *r, struct receiver_run *run)
{
	int error = has_bytes(r, run) ? 0 : EDQUOT;
	struct job job = { .run = run,
			   .sid = run->sid,
			   .bytes = run->kept.bytes,
			   .ready = receiver_take_ready(r, run),
			   .error = error,
			   .is_found = run->is_found };

	run->is_dirty = false;
	run->is_written = true;
	return job;
}

static void free_commit(struct receiver_commit *c)
{
	free(c->sids);
	free(c->errors);
	free(c);
}

struct receiver_commit *receiver_begin(struct receiver *r)
{
	size_t dirty = count_dirty(r);
	struct receiver_commit *c;

	if (!dirty)
		return NULL;
	c = calloc(1, sizeof(*c) + dirty * sizeof(*c->job));
	if (!c)
		return NULL;
	c->sids = malloc(dirty * sizeof(*c->sids));
	c->errors = calloc(dirty, sizeof(*c->errors));
	if (!c->sids || !c->errors) {
		free_commit(c);
		return NULL;
	}
	c->store = r->setup.store;
	for (struct receiver_run *run = r->dirty; run; run = run->next_dirty)
		c->job[c->count++] = job_of(r, run);
	r->dirty = NULL;
	return c;
}

/* Writing */

/* If even that fails, the file is read again before anything is written to it. */
static void cut_back(const struct receiver_store *store, struct job *job, uint64_t bytes)
{
	if (store->cut(store->ctx, job->sid, bytes) != 0)
		job->is_unsure = true;
}

/* Write up to RECEIVER_WRITEV_MAX pieces from *p on; *p is then the first that was not written. */
static int append_some(const struct receiver_store *store, const struct job *job,
		       struct rx_lines **p, int most, uint64_t *at)
{
	struct iovec v[RECEIVER_WRITEV_MAX];
	struct rx_lines *next = *p;
	uint64_t bytes = 0;
	int count = 0, error;

	for (; next && count < most; next = next->next, count++) {
		v[count] = (struct iovec){ next->text, next->bytes };
		bytes += next->bytes;
	}
	error = store->append(store->ctx, job->sid, *at, v, count);
	if (error)
		return error;
	*p = next;
	*at += bytes;
	return 0;
}

/* Everything that is ready; of a batch that does not fit on the disk, the pieces that do. */
static void append_ready(const struct receiver_store *store, struct job *job)
{
	uint64_t at = job->bytes;
	struct rx_lines *p = job->ready;
	int most = RECEIVER_WRITEV_MAX, error;

	job->bad = p;
	if (job->error)
		return;
	while (p) {
		error = append_some(store, job, &p, most, &at);
		if (!error)
			continue;
		job->error = error;
		/* Something else has changed the file. */
		if (error == ESTALE)
			job->is_unsure = true;
		else
			cut_back(store, job, at);
		if (most == 1 || job->is_unsure)
			break;
		most = 1;
	}
	if (!p)
		job->error = 0;
	job->bad = p && job->is_unsure ? job->ready : p;
}

/* A part of it has to be made durable. */
static bool is_synced(const struct job *job)
{
	return job->ready != job->bad || job->is_found;
}

void receiver_append(struct receiver_commit *c)
{
	for (size_t i = 0; i < c->count; i++)
		append_ready(&c->store, &c->job[i]);
}

int receiver_sync(struct receiver_commit *c, int error)
{
	size_t count = 0;

	c->error = error;
	if (error)
		return 0;
	for (size_t i = 0; i < c->count; i++) {
		if (is_synced(&c->job[i]))
			c->sids[count++] = c->job[i].sid;
	}
	if (count)
		c->error = c->store.sync(c->store.ctx, c->sids, count, c->errors);
	return c->error;
}

/* Ending */

static void learn(struct receiver_run *run, const struct rx_lines *p)
{
	const char *at = p->text;

	for (uint32_t i = 0; i < p->lines; i++) {
		const char *newline = memchr(at, '\n', p->bytes);
		struct line line;

		if (store_line(at, (size_t)(newline - at), run->sid, &line))
			summary_line(&run->kept.summary, &line, NULL);
		at = newline + 1;
	}
}

static void keep_lines(struct receiver *r, struct receiver_run *run, const struct rx_lines *p)
{
	struct summary *s = &run->kept.summary;

	s->lost += p->seq - run->kept.next;
	if (p->has_news)
		learn(run, p);
	else
		s->lines += p->lines;
	run->kept.next = p->seq + p->lines;
	run->kept.bytes += p->bytes;
	r->counts.lines += p->lines;
	r->counts.bytes += p->bytes;
}

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
	unsigned changes = run->kept.summary.changes;
	bool had_ended = run->kept.summary.ended, was_new = run->is_new;

	for (const struct rx_lines *p = job->ready; p != job->bad; p = p->next)
		keep_lines(r, run, p);
	count_bytes(r, run, job->bytes);
	if (run->state != DATAGRAM_TAKEN && !job->error) {
		run->state = DATAGRAM_TAKEN;
		r->setup.trouble(r->setup.ctx, run, 0);
	}
	if (run->is_own && (run->is_new || run->is_found))
		receiver_runs_add_own(&r->runs, run->sid);
	run->is_found = run->is_new = false;
	r->runs_new -= was_new;
	r->setup.runs_kept += was_new;
	r->counts.runs_begun += was_new;
	r->counts.runs_ended += run->kept.summary.ended && !had_ended;
	r->counts.runs_incomplete += run->kept.summary.ended && !had_ended &&
				     run->kept.summary.lost;
	job->is_news = was_new || run->kept.summary.changes != changes;
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

/* `error`: it could not be made durable. */
static void settle(struct receiver *r, const struct receiver_commit *c, struct job *job, int error)
{
	if (error) {
		job->error = error;
		job->bad = job->ready;
		job->is_unsure |= job->is_found;
		cut_back(&c->store, job, job->bytes);
	} else if (is_synced(job)) {
		keep(r, job);
	}
	if (job->error)
		refuse_rest(r, job);
}

/* Runs whose file's state is unknown are forgotten at once, and so are those without a file. */
static void forget_some(struct receiver *r, struct job *job)
{
	struct receiver_run *run = job->run;

	run->is_written = false;
	if (run->is_dirty)
		receiver_mark(r, run);
	if (!job->is_unsure && (!run->is_new || run->is_dirty))
		return;
	receiver_acknowledge(r, run, &run->peer);
	if (job->is_news)
		r->setup.learned(r->setup.ctx, run);
	receiver_forget(r, run);
	job->run = NULL;
}

void receiver_end(struct receiver *r, struct receiver_commit *c)
{
	size_t synced = 0;

	for (size_t i = 0; i < c->count; i++) {
		int error = 0;

		if (is_synced(&c->job[i])) {
			error = c->error ? c->error : c->errors[synced];
			synced++;
		}
		settle(r, c, &c->job[i], error);
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
	free_commit(c);
}

void receiver_commit(struct receiver *r)
{
	struct receiver_commit *c = receiver_begin(r);

	if (!c)
		return;
	receiver_append(c);
	receiver_sync(c, 0);
	receiver_end(r, c);
	receiver_answer(r, c);
}
