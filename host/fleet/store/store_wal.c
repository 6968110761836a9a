/* SPDX-License-Identifier: BSD-2-Clause */
/* Frame by frame: those of this log have the salts of its header. */
#define _GNU_SOURCE /* asprintf */
#include "store.h"

#include "core/lib/bytes.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES 32
#define FRAME_BYTES  24 /* before its page */
#define MAGIC        0x377f0682u
#define SALTS_AT     16 /* in the header */
#define SALTS_BYTES  8
#define PAGE_LEAST   512u
#define PAGE_MOST    65536u

struct sums {
	bool is_big; /* the words that are summed are big-endian */
	uint32_t s0, s1;
};

static FILE *open_wal(const char *path)
{
	char *name;
	FILE *wal = NULL;

	if (asprintf(&name, "%s-wal", path) < 0)
		return NULL;
	wal = fopen(name, "re");
	free(name);
	return wal;
}

bool store_wal_exists(const char *path)
{
	FILE *wal = open_wal(path);

	if (wal)
		fclose(wal);
	return wal != NULL;
}

static void store_wal_add(struct sums *s, const uint8_t *bytes, size_t count)
{
	for (; count; count -= 8, bytes += 8) {
		s->s0 += (s->is_big ? bytes_be32(bytes) : bytes_le32(bytes)) + s->s1;
		s->s1 += (s->is_big ? bytes_be32(bytes + 4) : bytes_le32(bytes + 4)) + s->s0;
	}
}

static bool is_sum(const struct sums *s, const uint8_t *at)
{
	return bytes_be32(at) == s->s0 && bytes_be32(at + 4) == s->s1;
}

/*
 * Each commit is synced before the next one is written. So a commit behind the first invalid frame
 * proves damage only if a later frame follows it.
 */
static void read_frames(FILE *f, const uint8_t *salts, uint32_t page, struct sums *sums,
			struct store_wal *wal)
{
	uint8_t *frame = malloc(FRAME_BYTES + page), first[SALTS_BYTES];
	bool is_valid = salts != NULL;
	uint64_t commits = 0;

	while (frame && fread(frame, FRAME_BYTES + page, 1, f) == 1) {
		bool is_ours;

		/* The header is damaged: the first frame has what it had. */
		if (!salts)
			salts = memcpy(first, frame + 8, SALTS_BYTES);
		is_ours = memcmp(frame + 8, salts, SALTS_BYTES) == 0;
		store_wal_add(sums, frame, 8);
		store_wal_add(sums, frame + FRAME_BYTES, page);
		is_valid = is_valid && is_ours && is_sum(sums, frame + 16);
		if (is_valid) {
			wal->frames++;
		} else if (is_ours) {
			wal->commits = commits;
			commits += bytes_be32(frame + 4) > 0;
		}
	}
	free(frame);
}

int store_wal_read(const char *path, struct store_wal *wal)
{
	uint8_t header[HEADER_BYTES];
	FILE *f = open_wal(path);
	struct sums sums = { .s0 = 0 };
	uint32_t page;

	*wal = (struct store_wal){ .frames = 0 };
	if (!f)
		return errno == ENOENT ? 0 : errno;
	if (fread(header, sizeof(header), 1, f) == 1) {
		page = bytes_be32(header + 8);
		sums.is_big = bytes_be32(header) & 1;
		store_wal_add(&sums, header, HEADER_BYTES - 8);
		if ((bytes_be32(header) & ~1u) == MAGIC &&
		    is_sum(&sums, header + HEADER_BYTES - 8) && page >= PAGE_LEAST &&
		    page <= PAGE_MOST)
			read_frames(f, header + SALTS_AT, page, &sums, wal);
		else
			read_frames(f, NULL, STORE_WAL_PAGE, &sums, wal);
	}
	fclose(f);
	return 0;
}

bool store_wal_is_damaged(const char *folder, char why[STORE_WHY])
{
	struct store_wal wal;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" STORE_NAME, folder);
	if (store_wal_read(path, &wal) != 0 || !wal.commits)
		return false;
	snprintf(why, STORE_WHY,
		 "%.200s-wal: frame %llu is damaged: %llu commits from it on are lost", path,
		 (unsigned long long)wal.frames + 1, (unsigned long long)wal.commits);
	return true;
}
