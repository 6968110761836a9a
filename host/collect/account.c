/* SPDX-License-Identifier: BSD-2-Clause */
/* A tree by id. */
#define _GNU_SOURCE /* tdestroy */
#include "account.h"

#include "core/lib/arith.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int by_id(const void *a, const void *b)
{
	const struct account *x = a, *y = b;

	return memcmp(&x->id, &y->id, sizeof(x->id));
}

struct account *account_hold(struct account_tree *all, const struct account_id *id)
{
	const struct account wanted = { .id = *id };
	struct account *const *found = tfind(&wanted, &all->tree, by_id);
	struct account *account = found ? *found : calloc(1, sizeof(*account));

	if (!account)
		return NULL;
	account->id = *id;
	account->holders++;
	if (found || tsearch(account, &all->tree, by_id))
		return account;
	free(account);
	return NULL;
}

void account_release(struct account_tree *all, struct account *account)
{
	if (!account || --account->holders || account->runs || account->bytes)
		return;
	tdelete(account, &all->tree, by_id);
	free(account);
}

void account_subtract(struct account *account, uint64_t runs, uint64_t bytes)
{
	account->runs -= arith_min(runs, account->runs);
	account->bytes -= arith_min(bytes, account->bytes);
}

void account_free_all(struct account_tree *all)
{
	tdestroy(all->tree, free);
}

struct account_id account_host(const struct rx_address *from)
{
	struct account_id host = { { [10] = 0xff, [11] = 0xff } };

	if (from->from.sa.sa_family == AF_INET)
		memcpy(host.byte + 12, &from->from.v4.sin_addr, 4);
	else if (from->from.sa.sa_family == AF_INET6)
		memcpy(host.byte, &from->from.v6.sin6_addr, sizeof(host.byte));
	if (from->from.sa.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&from->from.v6.sin6_addr))
		memset(host.byte + 8, 0, 8);
	return host;
}
