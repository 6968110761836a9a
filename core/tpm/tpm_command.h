/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands of a TPM 2.0 and its responses, as bytes. Source: TCG, Trusted Platform Module Library
 * 1.59: part 2 (structures), part 3 (commands). Nothing in a response is trusted before it is
 * checked.
 */
#pragma once

#include "core/lib/bytes.h"
#include "core/lib/sha256.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TPM_COMMAND_MAX  128u  /* bytes of each command below */
#define TPM_RESPONSE_MAX 1024u /* longest response that is read */
#define TPM_HEAD         10u   /* tag, size, and code or response code */

#define TPM_PCRS 24u

/* Response codes; all others are reported by number only. */
#define TPM_RC_SUCCESS 0u
#define TPM_RC_YIELDED 0x908u
#define TPM_RC_TESTING 0x90au
#define TPM_RC_RETRY   0x922u

/* Part of a response. */
struct tpm_bytes {
	const uint8_t *at;
	size_t bytes;
};

/*
 * The key that quotes, as TPMT_PUBLIC: a restricted signing key of P-256 for ECDSA with SHA-256, of
 * the endorsement hierarchy. It is made from the TPM's own seed and this template, so a TPM makes
 * the same key each time, even after its owner is cleared. A restricted key signs nothing that did
 * not come from the TPM itself.
 */
#define TPM_KEY_TEMPLATE   20u /* bytes before the point: x and y, with 16 bits of length each */
#define TPM_KEY_COORDINATE 32u
#define TPM_KEY_BYTES      (TPM_KEY_TEMPLATE + 2 * (2 + TPM_KEY_COORDINATE))

extern const uint8_t tpm_key_template[TPM_KEY_TEMPLATE];

/* True if it is a public area that follows the template, with a point of full length. */
bool tpm_is_key(const uint8_t *area, size_t bytes);

/*
 * Write the commands TPM2_PCR_Extend, TPM2_PCR_Read, TPM2_CreatePrimary, TPM2_Quote and
 * TPM2_FlushContext to `out`. Return the number of bytes. pcrs: bits, of the SHA-256 bank.
 */
size_t tpm_put_extend(uint8_t *out, unsigned pcr, const uint8_t digest[SHA256_BYTES]);
size_t tpm_put_read(uint8_t *out, uint32_t pcrs);
size_t tpm_put_create(uint8_t *out);
size_t tpm_put_quote(uint8_t *out, uint32_t key, const uint8_t data[SHA256_BYTES], uint32_t pcrs);
size_t tpm_put_flush(uint8_t *out, uint32_t handle);

/* Bytes that a response claims to have; 0: it is malformed. `in` has TPM_HEAD bytes. */
size_t tpm_size(const uint8_t *in);

/* The code of a response, of which `in` has TPM_HEAD bytes. */
uint32_t tpm_code(const uint8_t *in);

/* Parse a successful response. False: it is not as specified, or does not match the request. */

/* Get PCRs. *pcrs: bits of those it has, at least one; `value` has them from the lowest on. */
bool tpm_take_read(const uint8_t *in, size_t bytes, uint32_t *pcrs,
		   uint8_t value[TPM_PCRS][SHA256_BYTES]);

/* Get a key that tpm_is_key() accepts. */
bool tpm_take_create(const uint8_t *in, size_t bytes, uint32_t *handle, struct tpm_bytes *key);

/* Get the quote, and its TPMT_SIGNATURE. */
bool tpm_take_quote(const uint8_t *in, size_t bytes, struct tpm_bytes *quote,
		    struct tpm_bytes *signature);

/* A reader of data from a TPM or its firmware, from front to back, with no trust in its lengths. */
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
