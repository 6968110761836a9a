/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's log of what it has extended PCRs with. */
#pragma once

#include "probe/memory_map.h"

#include "core/lib/sha256.h"

/* As tpm_log_digests() has it, of door.event_log(); 0: there is none. */
unsigned event_log_digests(const struct memory_map *map, unsigned pcr,
			   uint8_t (*digest)[SHA256_BYTES], unsigned most);
