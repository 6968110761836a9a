/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's log of what it has extended PCRs with. */
#pragma once

#include "efi/memory_map.h"

#include "core/lib/sha256.h"

/* As tpm_log_digests() has it, of the log that EFI_TCG2_PROTOCOL gives; 0: it gives none. */
unsigned event_log_digests(const struct memory_map *map, unsigned pcr,
			   uint8_t (*digest)[SHA256_BYTES], unsigned most);
