/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's log of what it has extended PCRs with. Source: TCG, PC Client Platform Firmware
 * Profile 1.06, 10.2 (TCG_PCR_EVENT2). It is read as hostile input: only what the PCR itself
 * confirms is ever believed, and that is the digests.
 */
#pragma once

#include "core/lib/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The SHA-256 digests by which a PCR was extended, in order, of a log in memory whose last event
 * begins at `last`, both addresses being within the `bytes` at `log`. Returns their number; more
 * than `most`: there were so many, and the first `most` are in `digest`. 0: it cannot be read, or
 * there are none.
 */
unsigned tpm_log_digests(const uint8_t *log, size_t bytes, size_t last, unsigned pcr,
			 uint8_t (*digest)[SHA256_BYTES], unsigned most);
