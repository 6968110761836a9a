/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's log of PCR extensions. Source: TCG, PC Client Platform Firmware Profile 1.06, 10.2
 * (TCG_PCR_EVENT2). The log is hostile input: only digests are used, since the PCR's value confirms
 * them.
 */
#pragma once

#include "core/lib/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Read the SHA-256 digests that extended a PCR, in order. The log has `bytes` bytes; its last event
 * begins at offset `last`. At most `most` digests are stored. Returns the number of digests, which
 * may exceed `most`; 0 if there are none, or if the log is malformed.
 */
unsigned tpm_log_digests(const uint8_t *log, size_t bytes, size_t last, unsigned pcr,
			 uint8_t (*digest)[SHA256_BYTES], unsigned most);
