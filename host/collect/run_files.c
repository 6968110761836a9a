/* SPDX-License-Identifier: BSD-2-Clause */
/* A table by sid, in which one run's file replaces another's. */
#include "run_files.h"

#include <stdlib.h>
#include <unistd.h>

#define BITS  17
#define SLOTS ((size_t)1 << BITS)

struct run_file {
	uint64_t sid;
	int fd; /* -1: none */
};

static struct run_file *slot_of(const struct run_files *r, uint64_t sid)
{
	/* Fibonacci hashing: Knuth, The Art of Computer Programming, 6.4. */
	return &r->slot[sid * UINT64_C(0x9e3779b97f4a7c15) >> (64 - BITS)];
}

bool run_files_start(struct run_files *r, size_t most)
{
	*r = (struct run_files){ .slot = malloc(SLOTS * sizeof(*r->slot)), .most = most };
	if (!r->slot)
		return false;
	for (size_t i = 0; i < SLOTS; i++)
		r->slot[i].fd = -1;
	return true;
}

static void close_slot(struct run_files *r, struct run_file *f)
{
	if (f->fd < 0)
		return;
	close(f->fd);
	f->fd = -1;
	r->open--;
}

void run_files_close_all(struct run_files *r)
{
	for (size_t i = 0; r->open && i < SLOTS; i++)
		close_slot(r, &r->slot[i]);
}

void run_files_free(struct run_files *r)
{
	if (r->slot)
		run_files_close_all(r);
	free(r->slot);
	r->slot = NULL;
}

int run_files_get(const struct run_files *r, uint64_t sid)
{
	const struct run_file *f = slot_of(r, sid);

	return f->fd >= 0 && f->sid == sid ? f->fd : -1;
}

void run_files_put(struct run_files *r, uint64_t sid, int fd)
{
	struct run_file *f = slot_of(r, sid);

	if (r->open >= r->most)
		run_files_close_all(r);
	close_slot(r, f);
	*f = (struct run_file){ sid, fd };
	r->open++;
}

void run_files_close(struct run_files *r, uint64_t sid)
{
	if (run_files_get(r, sid) >= 0)
		close_slot(r, slot_of(r, sid));
}
