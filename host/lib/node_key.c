/* SPDX-License-Identifier: BSD-2-Clause */
/* A label that no datagram begins with: a tag of one is never a key. */
#include "node_key.h"

#include <ctype.h>
#include <stddef.h>

#define LABEL     "noisefloor node key "
#define LABEL_MAX (sizeof(LABEL) - 1)
#define UUID_MAX  64

void node_key(const uint8_t fleet[SIPHASH_KEY_BYTES], const char *uuid,
	      uint8_t key[SIPHASH_KEY_BYTES])
{
	char text[LABEL_MAX + UUID_MAX] = LABEL;
	size_t n = LABEL_MAX;

	for (; *uuid && n < sizeof(text); uuid++)
		text[n++] = (char)tolower((unsigned char)*uuid);
	siphash(fleet, text, n, key);
}
