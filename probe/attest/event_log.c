/* SPDX-License-Identifier: BSD-2-Clause */
/* The log extends from its first event to the end of its last. */
#include "event_log.h"

#include "probe/door.h"

#include "core/tpm/tpm_log.h"

#define LAST_MAX 65536u /* most bytes of the last event, which has its own length */

unsigned event_log_digests(const struct memory_map *map, unsigned pcr,
			   uint8_t (*digest)[SHA256_BYTES], unsigned most)
{
	uint64_t first, last, more = LAST_MAX;

	if (!door.event_log(&first, &last))
		return 0;
	while (more && !memory_map_covers(map, first, last - first + more))
		more /= 2;
	if (!more)
		return 0;
	return tpm_log_digests((const uint8_t *)(uintptr_t)first, last - first + more, last - first,
			       pcr, digest, most);
}
