/* SPDX-License-Identifier: BSD-2-Clause */
/* Accounts of hosts and nodes, in a tree by id. */
#include "receiver.h"

#include "core/lib/arith.h"

#include <stdlib.h>
#include <search.h>
#include <string.h>

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
