/* SPDX-License-Identifier: BSD-2-Clause */
/* A hash by sid with chains, and a list by age. */
#define _GNU_SOURCE /* tdestroy */
#include "receiver.h"

#include "core/lib/arith.h"

#include <stdlib.h>
#include <search.h>
#include <string.h>

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

/* ---- Accounts, in a tree by id ---- */

static int by_id(const void *a, const void *b)
{
	const struct receiver_account *x = a, *y = b;

	return memcmp(&x->id, &y->id, sizeof(x->id));
}

struct receiver_account *receiver_account_hold(void **all, const struct receiver_account_id *id)
{
	const struct receiver_account wanted = { .id = *id };
	struct receiver_account *const *found = tfind(&wanted, all, by_id);
	struct receiver_account *account = found ? *found : calloc(1, sizeof(*account));

	if (!account)
		return NULL;
	account->id = *id;
	account->holders++;
	if (found || tsearch(account, all, by_id))
		return account;
	free(account);
	return NULL;
}

void receiver_account_release(void **all, struct receiver_account *account)
{
	if (!account || --account->holders || account->runs || account->bytes)
		return;
	tdelete(account, all, by_id);
	free(account);
}

void receiver_account_count(struct receiver_account *account, uint64_t runs, uint64_t bytes,
			    bool is_less)
{
	if (!account)
		return;
	account->runs += is_less ? -arith_min(runs, account->runs) : runs;
	account->bytes += is_less ? -arith_min(bytes, account->bytes) : bytes;
}

void receiver_account_free_all(void **all)
{
	tdestroy(*all, free);
}

struct receiver_account_id receiver_account_host(const struct rx_address *from)
{
	struct receiver_account_id host = { { [10] = 0xff, [11] = 0xff } };

	if (from->from.sa.sa_family == AF_INET)
		memcpy(host.byte + 12, &from->from.v4.sin_addr, 4);
	else if (from->from.sa.sa_family == AF_INET6)
		memcpy(host.byte, &from->from.v6.sin6_addr, sizeof(host.byte));
	if (from->from.sa.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&from->from.v6.sin6_addr))
		memset(host.byte + 8, 0, 8);
	return host;
}
