/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of many datagrams become one chunk. */
#include "sink.h"

#include "host/fleet/runs.h"
#include "host/lib/monotonic.h"

#include "core/lib/arith.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>

#define CHUNK_BYTES ((size_t)256 << 10)

/* From one look at the disk to the next: others write to it, too. */
#define ROOM_NS (10000 * NS_PER_US)

/* Whole pages are written, whatever is stored. */
#define ROOM_LEAST ((uint64_t)128 << 10)

/* In the log and then in the database, with what belongs to it. */
#define COPIES 2

bool sink_open(struct sink *s, const char *folder, char why[STORE_WHY])
{
	*s = (struct sink){ .folder = folder };
	snprintf(why, STORE_WHY, "%s", strerror(ENOMEM));
	s->text = malloc(CHUNK_BYTES);
	if (!s->text)
		return false;
	s->writer = store_open(folder, STORE_HOLD, why);
	s->reader = s->writer ? store_open(folder, STORE_READ, why) : NULL;
	if (s->reader)
		atomic_store(&s->free_bytes, store_free_bytes(s->writer));
	return s->reader != NULL;
}

/* The one that holds the store is closed last. */
void sink_close(struct sink *s)
{
	store_close(s->reader);
	store_close(s->writer);
	free(s->text);
}

int sink_find(struct sink *s, uint64_t sid, struct store_run *kept)
{
	return store_find(s->reader, sid, kept);
}

/* A filesystem without a size, or whose size is not known, has room for all. */
uint64_t sink_free(struct sink *s)
{
	struct statvfs disk;
	uint64_t room, kept;

	if (statvfs(s->folder, &disk) != 0 || !disk.f_blocks)
		return UINT64_MAX;
	room = disk.f_bavail * disk.f_frsize + atomic_load(&s->free_bytes);
	kept = disk.f_blocks * disk.f_frsize / 100 * s->limits.free_percent;
	kept = arith_min(kept, SINK_FREE_MOST) + ROOM_LEAST;
	return room > kept ? room - kept : 0;
}

int sink_room(struct sink *s, uint64_t stored, uint64_t bytes)
{
	uint64_t now = monotonic_ns();

	if (s->limits.run_bytes && stored + bytes > s->limits.run_bytes)
		return EDQUOT;
	if (!s->limits.free_percent)
		return 0;
	if (!s->asked_ns || now - s->asked_ns >= ROOM_NS) {
		s->room_bytes = sink_free(s);
		s->asked_ns = now;
	}
	if (COPIES * bytes > s->room_bytes)
		return ENOSPC;
	s->room_bytes -= COPIES * bytes;
	return 0;
}

int sink_begin(struct sink *s)
{
	/* What is written to a file without a name is lost. */
	return store_is_gone(s->writer) ? STORE_CHANGED : store_begin(s->writer);
}

/* Append a chunk: at most CHUNK_BYTES of consecutive lines, beginning at *p, which is advanced. */
static int append_chunk(struct sink *s, uint64_t id, const struct rx_lines **p)
{
	struct store_lines lines = { .seq = (*p)->seq, .text = s->text };

	for (;
	     *p && (*p)->seq == lines.seq + lines.lines && lines.bytes + (*p)->bytes <= CHUNK_BYTES;
	     *p = (*p)->next) {
		memcpy(s->text + lines.bytes, (*p)->text, (*p)->bytes);
		lines.bytes += (*p)->bytes;
		lines.lines += (*p)->lines;
	}
	return store_append(s->writer, id, &lines);
}

/* Is there more than lines? */
static bool has_news(const struct store_run *before, const struct store_run *after)
{
	struct summary s = before->summary;

	s.lines = after->summary.lines;
	s.lost = after->summary.lost;
	return memcmp(&s, &after->summary, sizeof(s)) != 0;
}

int sink_append(struct sink *s, const struct store_run *before, struct store_run *after,
		const struct rx_lines *lines)
{
	bool has_ended = after->summary.ended && !before->summary.ended;
	bool is_news = has_news(before, after);
	int error = 0;

	after->heard_s = (uint64_t)time(NULL);
	after->ended_s = has_ended ? after->heard_s : before->ended_s;
	if (!before->id) {
		after->id = 0; /* of a transaction that was rolled back */
		after->begun_s = after->heard_s;
		error = store_insert(s->writer, after);
	}
	while (!error && lines)
		error = append_chunk(s, after->id, &lines);
	if (!error && has_ended)
		runs_judge(s->policy, s->writer, after);
	if (!error && before->id)
		error = store_advance(s->writer, before, after);
	if (!error && (before->id ? is_news : has_ended))
		error = store_put(s->writer, after);
	return error;
}

int sink_commit(struct sink *s)
{
	int error = store_commit(s->writer);

	atomic_store(&s->wal_bytes, store_wal_bytes(s->writer));
	if (s->limits.free_percent)
		atomic_store(&s->free_bytes, store_free_bytes(s->writer));
	return error;
}

void sink_rollback(struct sink *s)
{
	store_rollback(s->writer);
}
