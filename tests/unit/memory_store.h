/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A store in memory, which takes the place of host/collect/sink.c: what was appended is there once
 * it is committed, all of it or nothing. It can be full, and it can fail.
 */
#pragma once

#include "host/collect/sink.h"

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
	struct sink sink;
	struct memory_file file[MEMORY_FILES];
	size_t files;
	size_t space, asked; /* bytes in all files, 0: no bound; what is promised of it */
	unsigned fail_sync;  /* so many commits fail */
	uint64_t bad;        /* the run that can never be appended to; 0: none */
	unsigned syncs, finds;
};

static inline struct memory_file *memory_file(struct memory_store *m, uint64_t sid)
{
	for (size_t i = 0; i < m->files; i++) {
		if (m->file[i].sid == sid && !m->file[i].gone)
			return &m->file[i];
	}
	return NULL;
}

/* What whole lines there are in the first `bytes` bytes of the file. */
static inline void memory_read(const struct memory_file *f, size_t bytes, struct store_run *kept)
{
	*kept = (struct store_run){ .id = f->sid, .sid = f->sid };
	memcpy(kept->owner, f->owner, sizeof(kept->owner));
	while (kept->bytes < bytes) {
		const char *at = f->bytes + kept->bytes;
		const char *newline = memchr(at, '\n', bytes - kept->bytes);
		struct line line;

		if (!newline || !store_line_read(at, (size_t)(newline - at), f->sid, &line) ||
		    line.seq < kept->next)
			break;
		kept->summary.lost += line.seq - kept->next;
		summary_line(&kept->summary, &line, NULL);
		kept->next = line.seq + 1;
		kept->bytes += (uint64_t)(newline - at) + 1;
	}
}

int sink_find(struct sink *s, uint64_t sid, struct store_run *kept)
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

/* The seq behind what would be there if power were lost now. */
static inline uint64_t memory_durable(struct memory_store *m, uint64_t sid)
{
	struct store_run kept;

	return sink_find(&m->sink, sid, &kept) == 0 ? kept.next : 0;
}

static inline size_t memory_used(const struct memory_store *m)
{
	size_t used = 0;

	for (size_t i = 0; i < m->files; i++)
		used += m->file[i].gone ? 0 : m->file[i].count;
	return used;
}

int sink_room(struct sink *s, uint64_t stored, uint64_t bytes)
{
	struct memory_store *m = (struct memory_store *)s;
	bool has_room = !m->space || memory_used(m) + m->asked + bytes <= m->space;

	(void)stored;
	m->asked += has_room ? bytes : 0;
	return has_room ? 0 : ENOSPC;
}

int sink_begin(struct sink *s)
{
	struct memory_store *m = (struct memory_store *)s;

	m->asked = 0;
	return 0;
}

/* NULL: there are as many as there may be. */
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

int sink_append(struct sink *s, const struct store_run *before, struct store_run *after,
		const struct rx_lines *first)
{
	struct memory_store *m = (struct memory_store *)s;
	struct memory_file *f = memory_file(m, after->sid);

	if (!f && !before->id)
		f = memory_make(m, after->sid, after->owner);
	if (!f || f->count != before->bytes)
		return STORE_CHANGED;
	after->id = after->sid;
	for (; first; first = first->next) {
		if (f->count + first->bytes > f->room) {
			f->room = 2 * (f->count + first->bytes);
			f->bytes = realloc(f->bytes, f->room);
			if (!f->bytes)
				abort();
		}
		memcpy(f->bytes + f->count, first->text, first->bytes);
		f->count += first->bytes;
	}
	/* In the midst of it: what is there has to be undone. */
	return m->bad && after->sid == m->bad ? EIO : 0;
}

void sink_rollback(struct sink *s)
{
	struct memory_store *m = (struct memory_store *)s;

	for (size_t i = 0; i < m->files; i++) {
		m->file[i].count = m->file[i].durable;
		m->file[i].gone |= !m->file[i].durable;
	}
}

int sink_commit(struct sink *s)
{
	struct memory_store *m = (struct memory_store *)s;

	m->syncs++;
	if (m->fail_sync) {
		m->fail_sync--;
		sink_rollback(s);
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
