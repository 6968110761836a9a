/* SPDX-License-Identifier: BSD-2-Clause */
/* Peers' output as tests read it: from a file or a string, with the complaints kept. */
#ifndef TESTS_UNIT_PEER_TEXT_H
#define TESTS_UNIT_PEER_TEXT_H

#include "host/tools/peer.h"

#include <stdio.h>
#include <string.h>

#define PEER_DATA "tests/data/peers/"

/* The pieces read last, and what was complained of: "FILE:LINE: TEXT\n" each. */
static struct peers peers;
static char peer_said[65536];

static inline void peer_keep_complaint(void *ctx, const char *file, uint64_t line, const char *text)
{
	size_t used = strlen(peer_said);

	(void)ctx;
	snprintf(peer_said + used, sizeof(peer_said) - used, "%s:%llu: %s\n", file,
		 (unsigned long long)line, text);
}

static inline void peer_forget(void)
{
	peers_free(&peers);
	peer_said[0] = '\0';
}

/* Read a file of tests/data/peers: how many pieces it has. */
static inline size_t peer_file(const char *name)
{
	char path[256];

	peer_forget();
	snprintf(path, sizeof(path), "%s%s", PEER_DATA, name);
	peers_read(&peers, path, peer_keep_complaint, NULL);
	return peers.count;
}

static inline size_t peer_bytes(const char *name, const char *text, size_t bytes)
{
	peer_forget();
	peers_read_bytes(&peers, name, text, bytes, peer_keep_complaint, NULL);
	return peers.count;
}

static inline size_t peer_string(const char *text)
{
	return peer_bytes("in", text, strlen(text));
}

static inline const struct peer_core *peer_at(size_t piece, uint32_t cpu)
{
	const struct peer_core *core = NULL;

	if (piece < peers.count)
		core = peer_find(&peers.at[piece], cpu);
	if (!core)
		fprintf(stderr, "no core %u in piece %zu\n%s", cpu, piece, peer_said);
	return core;
}

#define assert_range(of, from, to)                          \
	do {                                                \
		struct range r_ = (of);                     \
                                                            \
		assert_true(r_.known);                      \
		assert_int_equal(r_.low, (uint64_t)(from)); \
		assert_int_equal(r_.high, (uint64_t)(to));  \
	} while (0)

#define assert_exact(of, value) assert_range(of, value, value)

#define assert_said(part)                                                      \
	do {                                                                   \
		if (!strstr(peer_said, part))                                  \
			fail_msg("not said: `%s`; but:\n%s", part, peer_said); \
	} while (0)

#endif
