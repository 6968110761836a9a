/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A disk in memory for the receiver: what was written but not made durable is lost, in
 * part, when the machine crashes. It can be full, and it can fail.
 */
#pragma once

#include "host/collect/receiver.h"
#include "host/collect/receiver_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_FILES 64

struct memory_file {
	uint64_t sid;
	char *bytes;
	size_t count, durable, room;
	bool gone; /* removed, or never made */
};

struct memory_store {
	struct memory_file file[MEMORY_FILES];
	size_t files;
	size_t space;       /* bytes in all files; 0: no bound */
	unsigned fail_sync; /* so many syncs fail */
	uint64_t bad;       /* the run whose file always fails; 0: none */
	unsigned syncs;
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
static inline void memory_read(const struct memory_file *f, size_t bytes,
			       struct store_progress *kept)
{
	*kept = (struct store_progress){ .next = 0 };
	while (kept->bytes < bytes) {
		const char *at = f->bytes + kept->bytes;
		const char *newline = memchr(at, '\n', bytes - kept->bytes);
		struct line line;

		if (!newline || !store_line(at, (size_t)(newline - at), f->sid, &line) ||
		    line.seq < kept->next)
			break;
		kept->summary.lost += line.seq - kept->next;
		summary_line(&kept->summary, &line, NULL);
		kept->next = line.seq + 1;
		kept->bytes += (uint64_t)(newline - at) + 1;
	}
}

/* The seq behind what would be there if power were lost now. */
static inline uint64_t memory_durable(struct memory_store *m, uint64_t sid)
{
	struct memory_file *f = memory_file(m, sid);
	struct store_progress kept;

	if (!f)
		return 0;
	memory_read(f, f->durable, &kept);
	return kept.next;
}

/* As a collector that starts reads it, durable or not: what is not a whole line is cut. */
static inline int memory_find(void *ctx, uint64_t sid, struct store_progress *kept)
{
	struct memory_file *f = memory_file(ctx, sid);

	*kept = (struct store_progress){ .next = 0 };
	if (!f)
		return ENOENT;
	memory_read(f, f->count, kept);
	f->count = kept->bytes;
	if (f->durable > f->count)
		f->durable = f->count;
	return 0;
}

static inline int memory_head(void *ctx, uint64_t sid, struct summary *s)
{
	struct memory_file *f = memory_file(ctx, sid);
	struct store_progress kept;

	if (!f)
		return ENOENT;
	memory_read(f, f->count < STORE_HEAD ? f->count : STORE_HEAD, &kept);
	*s = kept.summary;
	return 0;
}

static inline size_t memory_used(const struct memory_store *m)
{
	size_t used = 0;

	for (size_t i = 0; i < m->files; i++)
		used += m->file[i].gone ? 0 : m->file[i].count;
	return used;
}

/* NULL: there are as many as there may be. */
static inline struct memory_file *memory_make(struct memory_store *m, uint64_t sid)
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
	return &m->file[n];
}

static inline int memory_append(void *ctx, uint64_t sid, uint64_t at, const struct iovec *v,
				int count)
{
	struct memory_store *m = ctx;
	struct memory_file *f = memory_file(m, sid);

	if (!f && at == 0)
		f = memory_make(m, sid);
	if (!f || f->count != at)
		return ESTALE;
	for (int i = 0; i < count; i++) {
		size_t bytes = v[i].iov_len;
		bool is_full = m->space && memory_used(m) + bytes > m->space;

		/* A full disk takes what it has room for. */
		if (is_full)
			bytes = m->space > memory_used(m) ? m->space - memory_used(m) : 0;
		if (f->count + bytes > f->room) {
			f->room = 2 * (f->count + bytes);
			f->bytes = realloc(f->bytes, f->room);
			if (!f->bytes)
				abort();
		}
		if (bytes)
			memcpy(f->bytes + f->count, v[i].iov_base, bytes);
		f->count += bytes;
		if (is_full)
			return ENOSPC;
	}
	return 0;
}

static inline int memory_cut(void *ctx, uint64_t sid, uint64_t bytes)
{
	struct memory_file *f = memory_file(ctx, sid);

	if (!f || f->count < bytes)
		return ESTALE;
	f->count = bytes;
	f->gone = bytes == 0;
	if (f->durable > bytes)
		f->durable = bytes;
	return 0;
}

static inline int memory_sync(void *ctx, const uint64_t *sids, size_t count, int *errors)
{
	struct memory_store *m = ctx;

	m->syncs++;
	if (m->fail_sync) {
		m->fail_sync--;
		return EIO;
	}
	for (size_t i = 0; i < count; i++) {
		struct memory_file *f = memory_file(m, sids[i]);

		if (m->bad && sids[i] == m->bad) {
			errors[i] = EIO;
			continue;
		}
		f->durable = f->count;
	}
	return 0;
}

/* Power is lost: of what was not durable, `share` in 256 is there, cut anywhere. */
static inline void memory_crash(struct memory_store *m, unsigned share)
{
	for (size_t i = 0; i < m->files; i++) {
		struct memory_file *f = &m->file[i];

		f->count = f->durable + (f->count - f->durable) * share / 256;
	}
}

static inline void memory_free(struct memory_store *m)
{
	for (size_t i = 0; i < m->files; i++)
		free(m->file[i].bytes);
	m->files = 0;
}

static inline struct receiver_store memory_ops(struct memory_store *m)
{
	return (struct receiver_store){ .find = memory_find,
					.head = memory_head,
					.append = memory_append,
					.cut = memory_cut,
					.sync = memory_sync,
					.ctx = m };
}
