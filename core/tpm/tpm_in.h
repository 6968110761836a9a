/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of data from a TPM or its firmware, from front to back, with no trust in its lengths. */
#pragma once

#include "core/lib/bytes.h"
#include "core/lib/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tpm_in {
	const uint8_t *at;
	size_t left;
	bool bad; /* a read went past the end: all later results are 0 */
};

/* Take the next bytes. Once `bad` is set, the result has zeros for at most a digest. */
static inline const uint8_t *tpm_take(struct tpm_in *in, size_t bytes)
{
	static const uint8_t nothing[SHA256_BYTES];
	const uint8_t *at = in->at;

	if (in->bad || bytes > in->left) {
		in->bad = true;
		return nothing;
	}
	in->at += bytes;
	in->left -= bytes;
	return at;
}

/* Numbers in commands and responses are big-endian; in a log they are little-endian. */
static inline uint32_t tpm_take16(struct tpm_in *in)
{
	return bytes_be16(tpm_take(in, 2));
}

static inline uint32_t tpm_take32(struct tpm_in *in)
{
	return bytes_be32(tpm_take(in, 4));
}
