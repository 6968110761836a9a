/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash by sid with chains, and a list by age. */
#include "receiver_runs.h"

#include <stdlib.h>

bool receiver_runs_start(struct receiver_runs *r, size_t about, uint64_t random)
{
	*r = (struct receiver_runs){ .bits = 4, .odd = random | 1 };
	TAILQ_INIT(&r->ages);
	while (r->bits < 30 && (size_t)1 << r->bits < about)
		r->bits++;
	r->bucket = calloc((size_t)1 << r->bits, sizeof(struct receiver_run *));
	return r->bucket != NULL;
}

void receiver_runs_free(struct receiver_runs *r)
{
	free(r->bucket);
}

static struct receiver_run **bucket_of(const struct receiver_runs *r, uint64_t sid)
{
	uint64_t mixed = (sid ^ sid >> 32) * r->odd;

	return &r->bucket[mixed >> (64 - r->bits)];
}

struct receiver_run *receiver_runs_find(const struct receiver_runs *r, uint64_t sid)
{
	struct receiver_run *run = *bucket_of(r, sid);

	while (run && run->sid != sid)
		run = run->chain;
	return run;
}

void receiver_runs_add(struct receiver_runs *r, struct receiver_run *run)
{
	struct receiver_run **bucket = bucket_of(r, run->sid);

	run->chain = *bucket;
	*bucket = run;
	TAILQ_INSERT_HEAD(&r->ages, run, ages);
	r->count++;
}

void receiver_runs_remove(struct receiver_runs *r, struct receiver_run *run)
{
	struct receiver_run **at = bucket_of(r, run->sid);

	while (*at != run)
		at = &(*at)->chain;
	*at = run->chain;
	TAILQ_REMOVE(&r->ages, run, ages);
	r->count--;
}

void receiver_runs_touch(struct receiver_runs *r, struct receiver_run *run)
{
	TAILQ_REMOVE(&r->ages, run, ages);
	TAILQ_INSERT_HEAD(&r->ages, run, ages);
}
