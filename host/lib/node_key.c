/* SPDX-License-Identifier: BSD-2-Clause */
/* A label that no datagram begins with: a tag of one is never a key. */
#include "node_key.h"

#define LABEL       "noisefloor node key "
#define LABEL_BYTES (sizeof(LABEL) - 1)

void node_key(const uint8_t fleet[SIPHASH_KEY_BYTES], const uint8_t uuid[UUID_BYTES],
	      uint8_t key[SIPHASH_KEY_BYTES])
{
	char text[LABEL_BYTES + UUID_TEXT] = LABEL;

	uuid_print(uuid, text + LABEL_BYTES);
	siphash(fleet, text, sizeof(text) - 1, key);
}
