/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of an attestation, for the probe that requests it and for programs that check it. */
#pragma once

#include "core/lib/sha256.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The PCR that the configuration extends. Only a reset of the machine resets it, and nothing uses
 * it before an operating system: firmware uses 0 to 7, boot loaders and shim 8 to 14, and any
 * program may reset 16 and 23.
 */
#define ATTEST_PCR_CONFIG 15u
#define ATTEST_PCR_IMAGE  4u /* extended by the firmware, by each application that it starts */

/* PCRs that are quoted: the firmware's, and the configuration's. */
#define ATTEST_PCRS      (0xffu | 1u << ATTEST_PCR_CONFIG)
#define ATTEST_PCRS_TEXT "0-7,15"
#define ATTEST_VALUES    9u

#define ATTEST_PER_STRING  8u /* digests of `started` */
#define ATTEST_STARTED_MAX (RECORD_STRINGS * ATTEST_PER_STRING)

#define ATTEST_DIGITS (2 * SHA256_BYTES)

/* Extra data of the quote, derived from the digests of the lines. */
void attest_data(uint64_t sid, const char *const lines[RECORD_STRINGS], uint8_t data[SHA256_BYTES]);

/* Extend a PCR's value. */
void attest_extend(uint8_t value[SHA256_BYTES], const uint8_t by[SHA256_BYTES]);
