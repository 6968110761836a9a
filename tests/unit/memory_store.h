/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A store in memory, which takes the place of host/fleet/store/store.c: what was appended is there
 * once it is committed, all of it or nothing. It can be full, and it can fail. A receiver on it has
 * a clock that its user moves; its context is a struct that begins with the store.
 */
#pragma once

#include "host/collect/receiver.h"
#include "host/fleet/runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_FILES 64

struct memory_file {
	uint64_t sid;
	char owner[UUID_TEXT];
	char *bytes;
	size_t count, durable, room;
	bool gone; /* removed, or never committed */
};

struct memory_store {
	struct memory_file file[MEMORY_FILES];
	size_t files;
	size_t space;       /* bytes in all files; 0: no bound */
	unsigned fail_sync; /* number of commits that fail */
	uint64_t bad;       /* the run that can never be appended to; 0: none */
	unsigned syncs, finds;
	uint64_t now_ns;
	unsigned learned, troubles, mended; /* reports of the receiver */
};

static inline struct memory_file *memory_file(struct memory_store *m, uint64_t sid)
{
	for (size_t i = 0; i < m->files; i++) {
		if (m->file[i].sid == sid && !m->file[i].gone)
			return &m->file[i];
	}
	return NULL;
}

/* Parse the whole lines in the first `bytes` bytes of the file. */
static inline void memory_read(const struct memory_file *f, size_t bytes, struct store_run *kept)
{
	*kept = (struct store_run){ .id = f->sid + 1, .sid = f->sid };
	memcpy(kept->owner, f->owner, sizeof(kept->owner));
	while (kept->bytes < bytes) {
		const char *at = f->bytes + kept->bytes;
		const char *newline = memchr(at, '\n', bytes - kept->bytes);
		struct line line;

		if (!newline || !store_line_read(at, (size_t)(newline - at), f->sid, &line) ||
		    line.seq < kept->next)
			break;
		store_line_learn(kept, &line, at, (size_t)(newline - at) + 1);
	}
}

int store_find(struct store *s, uint64_t sid, struct store_run *kept)
{
	struct memory_store *m = (struct memory_store *)s;
	struct memory_file *f = memory_file(m, sid);

	m->finds++;
	*kept = (struct store_run){ .id = 0 };
	if (!f || !f->durable)
		return ENOENT;
	memory_read(f, f->durable, kept);
	return 0;
}

/* The seq after the last line that would be there if the power were lost now. */
static inline uint64_t memory_durable(struct memory_store *m, uint64_t sid)
{
	struct store_run kept;

	return store_find((struct store *)m, sid, &kept) == 0 ? kept.next : 0;
}

/* Twice what is left, because the caller counts everything as written twice. */
static inline uint64_t memory_room(void *ctx)
{
	const struct memory_store *m = ctx;
	size_t used = 0;

	for (size_t i = 0; i < m->files; i++)
		used += m->file[i].gone ? 0 : m->file[i].count;
	return !m->space ? UINT64_MAX : m->space > used ? 2 * (m->space - used) : 0;
}

static inline uint64_t memory_clock(void *ctx)
{
	return ((struct memory_store *)ctx)->now_ns;
}

static inline void memory_learned(void *ctx, struct receiver_run *run)
{
	(void)run;
	((struct memory_store *)ctx)->learned++;
}

static inline void memory_trouble(void *ctx, const struct receiver_run *run, int error)
{
	struct memory_store *m = ctx;

	(void)run;
	if (error)
		m->troubles++;
	else
		m->mended++;
}

/* Start a receiver with what is stored. The user's part of *s is its key, its limits and reply. */
static inline struct receiver *memory_receiver(struct memory_store *m, struct receiver_setup *s)
{
	struct receiver *r;

	s->writer = s->reader = (struct store *)m;
	s->clock_ns = memory_clock;
	s->room = memory_room;
	s->learned = memory_learned;
	s->trouble = memory_trouble;
	s->ctx = m;
	s->secret[0]++;
	r = receiver_new(s);
	if (!r)
		abort();
	return r;
}

int store_begin(struct store *s)
{
	(void)s;
	return 0;
}

bool store_is_gone(const struct store *s)
{
	(void)s;
	return false;
}

void runs_judge(const struct policy *p, struct store *s, struct store_run *run)
{
	(void)p, (void)s, (void)run;
}

/* Make a file. NULL: there are as many as there may be. */
static inline struct memory_file *memory_make(struct memory_store *m, uint64_t sid,
					      const char *owner)
{
	size_t n = 0;

	while (n < m->files && !m->file[n].gone)
		n++;
	if (n == MEMORY_FILES)
		return NULL;
	if (n == m->files)
		m->files++;
	else
		free(m->file[n].bytes);
	m->file[n] = (struct memory_file){ .sid = sid };
	memcpy(m->file[n].owner, owner, sizeof(m->file[n].owner));
	return &m->file[n];
}

int store_insert(struct store *s, struct store_run *run)
{
	struct memory_store *m = (struct memory_store *)s;

	run->id = run->sid + 1;
	return memory_make(m, run->sid, run->owner) ? 0 : STORE_CHANGED;
}

int store_append(struct store *s, uint64_t id, const struct store_lines *lines)
{
	struct memory_store *m = (struct memory_store *)s;
	struct memory_file *f = memory_file(m, id - 1);

	if (!f)
		return STORE_CHANGED;
	if (f->count + lines->bytes > f->room) {
		f->room = 2 * (f->count + lines->bytes);
		f->bytes = realloc(f->bytes, f->room);
		if (!f->bytes)
			abort();
	}
	memcpy(f->bytes + f->count, lines->text, lines->bytes);
	f->count += lines->bytes;
	/* Fail in the middle of the write: what was written has to be undone. */
	return m->bad && id - 1 == m->bad ? EIO : 0;
}

int store_advance(struct store *s, const struct store_run *before, const struct store_run *run)
{
	const struct memory_file *f = memory_file((struct memory_store *)s, run->sid);

	return f && f->durable == before->bytes ? 0 : STORE_CHANGED;
}

int store_put(struct store *s, const struct store_run *run)
{
	return memory_file((struct memory_store *)s, run->sid) ? 0 : STORE_CHANGED;
}

void store_rollback(struct store *s)
{
	struct memory_store *m = (struct memory_store *)s;

	for (size_t i = 0; i < m->files; i++) {
		m->file[i].count = m->file[i].durable;
		m->file[i].gone |= !m->file[i].durable;
	}
}

int store_commit(struct store *s)
{
	struct memory_store *m = (struct memory_store *)s;

	m->syncs++;
	if (m->fail_sync) {
		m->fail_sync--;
		store_rollback(s);
		return EIO;
	}
	for (size_t i = 0; i < m->files; i++)
		m->file[i].durable = m->file[i].count;
	return 0;
}

static inline void memory_remove(struct memory_store *m, uint64_t sid)
{
	struct memory_file *f = memory_file(m, sid);

	if (f)
		f->gone = true;
}

static inline void memory_free(struct memory_store *m)
{
	for (size_t i = 0; i < m->files; i++)
		free(m->file[i].bytes);
	m->files = 0;
}

/* Do all steps of a commit. */
static inline void receiver_commit(struct receiver *r)
{
	struct receiver_commit *c = receiver_begin(r);

	if (!c)
		return;
	receiver_write(c);
	receiver_end(r, c);
	receiver_answer(r, c);
}
