/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes are identified by their offsets. Parents may come after children, and may form circles. */
#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define NODE       0
#define NODE_BYTES 20u
#define LEVELS_MAX 16u /* more than any machine has */

#define CACHE       1
#define CACHE_BYTES 24u

#define HAS_SIZE 1u /* bit of a cache's flags */
#define HAS_TYPE 16u
#define TYPE     12u /* bits of a cache's attributes */
#define IS_CODE  4u

#define IS_PACKAGE 1u
#define HAS_UID    2u
#define IS_THREAD  4u
#define IS_LEAF    8u

struct node {
	uint32_t at, flags, parent, uid;
};

/* The structure of this type at an offset, which may be any number; NULL: there is none. */
static const uint8_t *struct_at(const struct acpi_info *info, uint32_t at, uint8_t type,
				uint32_t least)
{
	const struct acpi_table *t = &info->pptt;
	const uint8_t *b;

	if (at < ACPI_HEADER_BYTES || at > t->length || t->length - at < least)
		return NULL;
	b = t->bytes + at;
	return b[0] == type && b[1] >= least && b[1] <= t->length - at ? b : NULL;
}

static bool node_at(const struct acpi_info *info, uint32_t at, struct node *n)
{
	const uint8_t *b = struct_at(info, at, NODE, NODE_BYTES);

	if (b)
		*n = (struct node){ at, bytes_le32(b + 4), bytes_le32(b + 8), bytes_le32(b + 12) };
	return b;
}

/* Get the next node from *at on, and move *at past it; false: no more. */
static bool next_node(const struct acpi_info *info, uint32_t *at, struct node *n)
{
	uint32_t here = *at;

	for (; acpi_next_entry(&info->pptt, at); here = *at)
		if (node_at(info, here, n))
			return true;
	return false;
}

static bool is_processor(const struct node *n)
{
	return (n->flags & (HAS_UID | IS_LEAF)) == (HAS_UID | IS_LEAF);
}

static uint32_t core_of(const struct node *n)
{
	return n->flags & IS_THREAD ? n->parent : n->at;
}

/* The package of a node; 0: none. */
static uint32_t package_of(const struct acpi_info *info, struct node n)
{
	for (unsigned level = 0; level < LEVELS_MAX; level++) {
		if (n.flags & IS_PACKAGE)
			return n.at;
		if (!node_at(info, n.parent, &n))
			return 0;
	}
	return 0;
}

static bool acpi_pptt_find(const struct acpi_info *info, uint32_t uid, struct node *n)
{
	uint32_t at = ACPI_HEADER_BYTES;

	while (next_node(info, &at, n))
		if (is_processor(n) && n->uid == uid)
			return true;
	return false;
}

/*
 * Count the packages before the core's own, the package's cores before the core, and its threads
 * before the node. No structure begins at its package if that is in the middle of another one.
 */
struct acpi_place acpi_pptt_place(const struct acpi_info *info, uint32_t uid)
{
	struct acpi_place place = { .known = false };
	uint32_t at = ACPI_HEADER_BYTES;
	uint64_t last = UINT64_MAX; /* not a parent, and not the value for none */
	struct node own, n;
	uint32_t package = acpi_pptt_find(info, uid, &own) ? package_of(info, own) : 0;

	while (package && next_node(info, &at, &n)) {
		place.known |= n.at == package;
		place.package += n.at < package && n.flags & IS_PACKAGE;
		if (!is_processor(&n) || n.at >= own.at)
			continue;
		if (core_of(&n) == core_of(&own))
			place.thread++;
		else if (!place.thread && core_of(&n) != last && package_of(info, n) == package)
			place.core++;
		last = core_of(&n);
	}
	return place;
}

/* Bytes of a cache for data; 0: it has none, or no size. */
static uint32_t data_bytes(const uint8_t *cache)
{
	uint32_t flags = bytes_le32(cache + 4);

	if (!(flags & HAS_SIZE) || (flags & HAS_TYPE && (cache[21] & TYPE) == IS_CODE))
		return 0;
	return bytes_le32(cache + 12);
}

/* Add a cache and the levels after it; returns the level after the last. */
static unsigned add_caches(const struct acpi_info *info, uint32_t at, unsigned level,
			   uint64_t bytes[ACPI_CACHE_LEVELS])
{
	const uint8_t *b;

	for (; level < ACPI_CACHE_LEVELS && (b = struct_at(info, at, CACHE, CACHE_BYTES));
	     at = bytes_le32(b + 8), level++)
		if (data_bytes(b) > bytes[level])
			bytes[level] = data_bytes(b);
	return level;
}

/* Add the caches of one node; returns as above. */
static unsigned add_node_caches(const struct acpi_info *info, const struct node *n, unsigned level,
				uint64_t bytes[ACPI_CACHE_LEVELS])
{
	const uint8_t *b = info->pptt.bytes + n->at;
	uint32_t resources = (b[1] - NODE_BYTES) / 4;
	unsigned deepest = level;

	for (uint32_t i = 0; i < resources && i < bytes_le32(b + 16); i++) {
		unsigned behind = add_caches(info, bytes_le32(b + NODE_BYTES + 4 * i), level,
					     bytes);

		if (behind > deepest)
			deepest = behind;
	}
	return deepest;
}

/* From inside to outside: a node's caches are farther than those of its children. */
void acpi_pptt_caches(const struct acpi_info *info, uint32_t uid, uint64_t bytes[ACPI_CACHE_LEVELS])
{
	struct node n;
	bool found = acpi_pptt_find(info, uid, &n);
	unsigned level = 0;

	memset(bytes, 0, ACPI_CACHE_LEVELS * sizeof(bytes[0]));
	for (unsigned depth = 0; found && depth < LEVELS_MAX; depth++) {
		level = add_node_caches(info, &n, level, bytes);
		found = node_at(info, n.parent, &n);
	}
}
