/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's TCG log: the events by which it has extended PCRs. */
#pragma once

#include "probe/memory_map.h"

#include "core/lib/sha256.h"

/*
 * Read door.event_log() by tpm_log_digests(), which has the arguments and the result; 0 also if the
 * firmware has no log.
 */
unsigned event_log_digests(const struct memory_map *map, unsigned pcr,
			   uint8_t (*digest)[SHA256_BYTES], unsigned most);
