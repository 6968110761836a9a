/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes and reads big-endian values one after another. */
#include "tpm_command.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

/* Part 2, 6.9 (TPM_ST), 6.5.2 (TPM_CC), 7.4 (TPM_RH), 6.3 (TPM_ALG). */
#define ST_NO_SESSIONS 0x8001u
#define ST_SESSIONS    0x8002u
#define CC_CREATE      0x131u
#define CC_QUOTE       0x158u
#define CC_FLUSH       0x165u
#define CC_READ        0x17eu
#define CC_EXTEND      0x182u
#define RH_ENDORSEMENT 0x4000000bu
#define RS_PASSWORD    0x40000009u
#define ALG_SHA256     0x000bu
#define ALG_NULL       0x0010u
#define ALG_ECDSA      0x0018u
#define AT_SIZE        2u
#define SELECT_BYTES   3u

/*
 * type ECC, nameAlg SHA-256; fixedTPM, fixedParent, sensitiveDataOrigin, userWithAuth, noDA,
 * restricted, sign; no policy; no symmetric algorithm, ECDSA with SHA-256, NIST P-256, no KDF.
 */
const uint8_t tpm_key_template[TPM_KEY_TEMPLATE] = {
	0x00, 0x23, 0x00, 0x0b, 0x00, 0x05, 0x04, 0x72, 0x00, 0x00,
	0x00, 0x10, 0x00, 0x18, 0x00, 0x0b, 0x00, 0x03, 0x00, 0x10,
};

bool tpm_is_key(const uint8_t *area, size_t bytes)
{
	const uint8_t *x = area + TPM_KEY_TEMPLATE, *y = x + 2 + TPM_KEY_COORDINATE;

	return bytes == TPM_KEY_BYTES && !memcmp(area, tpm_key_template, TPM_KEY_TEMPLATE) &&
	       bytes_be16(x) == TPM_KEY_COORDINATE && bytes_be16(y) == TPM_KEY_COORDINATE;
}

/* ---- Commands ---- */

#define BE16(n) (n) >> 8 & 0xff, (n)&0xff
#define BE32(n) BE16((n) >> 16), BE16(n)

/* tpm_command_put() sets the size. */
#define HEAD(tag, code) BE16(tag), BE32(0), BE32(code)

/* The empty password that authorizes the use of a handle: no nonce, no attributes. */
#define PASSWORD BE32(9), BE32(RS_PASSWORD), BE16(0), 0, BE16(0)

#define SELECTION(pcrs)                                                           \
	BE32(1), BE16(ALG_SHA256), SELECT_BYTES, (pcrs)&0xff, (pcrs) >> 8 & 0xff, \
		(pcrs) >> 16 & 0xff

/* Append to a command of `used` bytes. Returns its size. */
static size_t tpm_command_put(uint8_t *out, size_t used, const void *bytes, size_t count)
{
	memcpy(out + used, bytes, count);
	bytes_put_be32(out + AT_SIZE, (uint32_t)(used + count));
	return used + count;
}

size_t tpm_put_extend(uint8_t *out, unsigned pcr, const uint8_t digest[SHA256_BYTES])
{
	const uint8_t head[] = { HEAD(ST_SESSIONS, CC_EXTEND), BE32(pcr), PASSWORD, BE32(1),
				 BE16(ALG_SHA256) };

	tpm_command_put(out, 0, head, sizeof(head));
	return tpm_command_put(out, sizeof(head), digest, SHA256_BYTES);
}

size_t tpm_put_read(uint8_t *out, uint32_t pcrs)
{
	const uint8_t all[] = { HEAD(ST_NO_SESSIONS, CC_READ), SELECTION(pcrs) };

	return tpm_command_put(out, 0, all, sizeof(all));
}

size_t tpm_put_create(uint8_t *out)
{
	/* The key has neither a password of its own nor data. */
	static const uint8_t head[] = {
		HEAD(ST_SESSIONS, CC_CREATE), BE32(RH_ENDORSEMENT), PASSWORD, BE16(4), BE32(0),
		BE16(TPM_KEY_TEMPLATE + 4)
	};
	/* The point, data for the creation, and PCRs: none. */
	static const uint8_t tail[] = { BE32(0), BE16(0), BE32(0) };

	tpm_command_put(out, 0, head, sizeof(head));
	tpm_command_put(out, sizeof(head), tpm_key_template, TPM_KEY_TEMPLATE);
	return tpm_command_put(out, sizeof(head) + TPM_KEY_TEMPLATE, tail, sizeof(tail));
}

size_t tpm_put_quote(uint8_t *out, uint32_t key, const uint8_t data[SHA256_BYTES], uint32_t pcrs)
{
	const uint8_t head[] = { HEAD(ST_SESSIONS, CC_QUOTE), BE32(key), PASSWORD,
				 BE16(SHA256_BYTES) };
	const uint8_t tail[] = { BE16(ALG_NULL), SELECTION(pcrs) };

	tpm_command_put(out, 0, head, sizeof(head));
	tpm_command_put(out, sizeof(head), data, SHA256_BYTES);
	return tpm_command_put(out, sizeof(head) + SHA256_BYTES, tail, sizeof(tail));
}

size_t tpm_put_flush(uint8_t *out, uint32_t handle)
{
	const uint8_t all[] = { HEAD(ST_NO_SESSIONS, CC_FLUSH), BE32(handle) };

	return tpm_command_put(out, 0, all, sizeof(all));
}

/* ---- Responses ---- */

/* Bytes with 16 bits of length before them. */
static struct tpm_bytes take_sized(struct tpm_in *in)
{
	size_t bytes = tpm_take16(in);
	const uint8_t *at = tpm_take(in, bytes);

	return (struct tpm_bytes){ at, in->bad ? 0 : bytes };
}

size_t tpm_size(const uint8_t *in)
{
	uint32_t tag = bytes_be16(in), size = bytes_be32(in + AT_SIZE);

	return (tag == ST_NO_SESSIONS || tag == ST_SESSIONS) && size >= TPM_HEAD ? size : 0;
}

uint32_t tpm_code(const uint8_t *in)
{
	return bytes_be32(in + TPM_HEAD - 4);
}

/* Check the head; returns the rest of the response. */
static struct tpm_in open_response(const uint8_t *bytes, size_t count, uint32_t tag)
{
	struct tpm_in in = { bytes, count, false };

	in.bad = count < TPM_HEAD || tpm_size(bytes) != count ||
		 tpm_code(bytes) != TPM_RC_SUCCESS || bytes_be16(bytes) != tag;
	tpm_take(&in, TPM_HEAD);
	return in;
}

static bool take_values(struct tpm_in *in, uint32_t pcrs, uint8_t value[TPM_PCRS][SHA256_BYTES])
{
	unsigned count = 0;

	for (unsigned i = 0; i < TPM_PCRS; i++)
		count += pcrs >> i & 1;
	if (!count || tpm_take32(in) != count)
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct tpm_bytes one = take_sized(in);

		if (one.bytes != SHA256_BYTES)
			return false;
		memcpy(value[i], one.at, SHA256_BYTES);
	}
	return !in->bad;
}

bool tpm_take_read(const uint8_t *bytes, size_t count, uint32_t *pcrs,
		   uint8_t value[TPM_PCRS][SHA256_BYTES])
{
	struct tpm_in in = open_response(bytes, count, ST_NO_SESSIONS);
	const uint8_t *select;

	tpm_take32(&in);
	if (tpm_take32(&in) != 1 || tpm_take16(&in) != ALG_SHA256 ||
	    *tpm_take(&in, 1) != SELECT_BYTES)
		return false;
	select = tpm_take(&in, SELECT_BYTES);
	*pcrs = select[0] | (uint32_t)select[1] << 8 | (uint32_t)select[2] << 16;
	return take_values(&in, *pcrs, value);
}

bool tpm_take_create(const uint8_t *bytes, size_t count, uint32_t *handle, struct tpm_bytes *key)
{
	struct tpm_in in = open_response(bytes, count, ST_SESSIONS);

	*handle = tpm_take32(&in);
	tpm_take32(&in);
	*key = take_sized(&in);
	return !in.bad && tpm_is_key(key->at, key->bytes);
}

bool tpm_take_quote(const uint8_t *bytes, size_t count, struct tpm_bytes *quote,
		    struct tpm_bytes *signature)
{
	struct tpm_in in = open_response(bytes, count, ST_SESSIONS);
	const uint8_t *from;
	uint32_t scheme;

	tpm_take32(&in);
	*quote = take_sized(&in);
	from = in.at;
	scheme = tpm_take32(&in);
	take_sized(&in);
	take_sized(&in);
	*signature = (struct tpm_bytes){ from, (size_t)(in.at - from) };
	return !in.bad && quote->bytes && scheme == (ALG_ECDSA << 16 | ALG_SHA256);
}
