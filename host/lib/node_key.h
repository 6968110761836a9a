/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The key of one node, made from the fleet's: its owner can sign as that node only. It is the tag
 * of SipHash-2-4-128, a pseudo-random function, under the fleet's key, of a label and the UUID's
 * text in lower case. No datagram begins with that label, so the tag of a datagram is never a key.
 */
#pragma once

#include "core/lib/siphash.h"
#include "core/lib/uuid.h"

#include <stdint.h>

#define NODE_KEY_LABEL       "noisefloor node key "
#define NODE_KEY_LABEL_BYTES (sizeof(NODE_KEY_LABEL) - 1)

static inline void node_key(const uint8_t fleet[SIPHASH_KEY_BYTES], const uint8_t uuid[UUID_BYTES],
			    uint8_t key[SIPHASH_KEY_BYTES])
{
	char text[NODE_KEY_LABEL_BYTES + UUID_TEXT] = NODE_KEY_LABEL;

	uuid_print(uuid, text + NODE_KEY_LABEL_BYTES);
	siphash(fleet, text, sizeof(text) - 1, key);
}
