/* SPDX-License-Identifier: BSD-2-Clause */
/* Open addressing; a host that has no runs any more keeps its slot. */
#include "receiver_hosts.h"

#include "core/lib/arith.h"
#include "core/lib/bytes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_FIRST 64 /* powers of two */

struct receiver_host {
	struct in6_addr host;
	bool used;
	uint64_t runs, bytes;
};

void receiver_hosts_start(struct receiver_hosts *h, uint64_t random)
{
	*h = (struct receiver_hosts){ .odd = random | 1 };
}

void receiver_hosts_free(struct receiver_hosts *h)
{
	free(h->slot);
}

static struct receiver_host *find(const struct receiver_hosts *h, const struct in6_addr *host)
{
	uint64_t mixed = (bytes_le64(host->s6_addr) * 31 + bytes_le64(host->s6_addr + 8)) * h->odd;
	size_t at = (mixed ^ mixed >> 32) & (h->slots - 1);

	while (h->slot[at].used && memcmp(&h->slot[at].host, host, sizeof(*host)) != 0)
		at = (at + 1) & (h->slots - 1);
	return &h->slot[at];
}

/* At most half of the slots are in use. */
static bool grow(struct receiver_hosts *h)
{
	struct receiver_hosts more = *h;

	if (2 * h->used < h->slots)
		return true;
	more.slots = h->slots ? 2 * h->slots : SLOTS_FIRST;
	more.slot = calloc(more.slots, sizeof(*more.slot));
	if (!more.slot)
		return false;
	for (size_t i = 0; i < h->slots; i++) {
		if (h->slot[i].used)
			*find(&more, &h->slot[i].host) = h->slot[i];
	}
	free(h->slot);
	*h = more;
	return true;
}

uint64_t receiver_hosts_runs(const struct receiver_hosts *h, const struct in6_addr *host)
{
	return h->slot ? find(h, host)->runs : 0;
}

/* NULL: memory has run out. */
static struct receiver_host *need(struct receiver_hosts *h, const struct in6_addr *host)
{
	struct receiver_host *slot;

	if (!grow(h))
		return NULL;
	slot = find(h, host);
	h->used += !slot->used;
	slot->used = true;
	slot->host = *host;
	return slot;
}

void receiver_hosts_count(struct receiver_hosts *h, const struct in6_addr *host, bool less)
{
	struct receiver_host *slot = need(h, host);

	if (slot)
		slot->runs += less ? -(uint64_t)(slot->runs > 0) : 1;
}

uint64_t receiver_hosts_bytes(const struct receiver_hosts *h, const struct in6_addr *host)
{
	return h->slot ? find(h, host)->bytes : 0;
}

void receiver_hosts_count_bytes(struct receiver_hosts *h, const struct in6_addr *host,
				uint64_t bytes, bool less)
{
	struct receiver_host *slot = need(h, host);

	if (slot)
		slot->bytes = less ? slot->bytes - arith_min(bytes, slot->bytes)
				   : slot->bytes + bytes;
}

struct in6_addr receiver_hosts_of_node(const uint8_t *secret, const char *uuid)
{
	struct in6_addr node;
	char text[SUMMARY_TEXT];
	size_t bytes = 0;

	_Static_assert(sizeof(node.s6_addr) == SIPHASH_TAG_BYTES, "a tag is a key of the table");
	for (; bytes < sizeof(text) && uuid[bytes]; bytes++)
		text[bytes] = (char)tolower((unsigned char)uuid[bytes]);
	siphash(secret, (const uint8_t *)text, bytes, node.s6_addr);
	return node;
}

struct in6_addr receiver_hosts_of(const struct rx_address *place)
{
	struct in6_addr host = { .s6_addr = { [10] = 0xff, [11] = 0xff } };

	if (place->from.sa.sa_family == AF_INET)
		memcpy(host.s6_addr + 12, &place->from.v4.sin_addr, 4);
	else if (place->from.sa.sa_family == AF_INET6)
		host = place->from.v6.sin6_addr;
	if (!IN6_IS_ADDR_V4MAPPED(&host))
		memset(host.s6_addr + 8, 0, 8);
	return host;
}
