/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads event by event. The first one, in the older format, has the algorithms and the sizes of
 * their digests.
 */
#include "tpm_log.h"

#include "core/lib/mem.h"
#include "tpm_command.h"

#define EV_NO_ACTION 3u /* is not extended */
#define ALG_SHA256   0x000bu

/* TCG_PCClientPCREvent: PCR, type, SHA-1, size. */
#define FIRST_SIZE 28u
#define FIRST_DATA 32u

/* TCG_EfiSpecIDEvent: signature, class, version and size of UINTN, number of algorithms. */
#define ID_COUNT   24u
#define ID_FIRST   28u
#define ALGORITHMS 16u

static const char id[16] = "Spec ID Event03";

struct reader {
	struct tpm_in in;
	uint32_t algorithms;
	const uint8_t *algorithm; /* number of each, and size of its digests */
};

static uint32_t take32(struct reader *r)
{
	return bytes_le32(tpm_take(&r->in, 4));
}

/* Read the sizes of digests from the first event. */
static bool read_id(struct reader *r)
{
	const uint8_t *head = tpm_take(&r->in, FIRST_DATA);
	const uint8_t *data;
	size_t bytes;

	if (r->in.bad)
		return false;
	bytes = bytes_le32(head + FIRST_SIZE);
	data = tpm_take(&r->in, bytes);
	if (r->in.bad || bytes < ID_FIRST || memcmp(data, id, sizeof(id)) != 0)
		return false;
	r->algorithms = bytes_le32(data + ID_COUNT);
	if (!r->algorithms || r->algorithms > ALGORITHMS ||
	    bytes - ID_FIRST < r->algorithms * UINT64_C(4))
		return false;
	r->algorithm = data + ID_FIRST;
	return true;
}

static size_t size_of(const struct reader *r, uint16_t algorithm)
{
	for (const uint8_t *a = r->algorithm; a < r->algorithm + 4 * r->algorithms; a += 4)
		if (bytes_le16(a) == algorithm)
			return bytes_le16(a + 2);
	return 0;
}

/* The SHA-256 digest among an event's; NULL: it has none. */
static const uint8_t *take_digests(struct reader *r)
{
	const uint8_t *found = NULL;
	uint32_t count = take32(r);

	for (uint32_t i = 0; i < count && !r->in.bad; i++) {
		uint16_t algorithm = bytes_le16(tpm_take(&r->in, 2));
		size_t bytes = size_of(r, algorithm);
		const uint8_t *digest = tpm_take(&r->in, bytes);

		r->in.bad |= !bytes || (algorithm == ALG_SHA256 && bytes != SHA256_BYTES);
		if (algorithm == ALG_SHA256)
			found = digest;
	}
	return r->in.bad ? NULL : found;
}

unsigned tpm_log_digests(const uint8_t *log, size_t bytes, size_t last, unsigned pcr,
			 uint8_t (*digest)[SHA256_BYTES], unsigned most)
{
	struct reader r = { .in = { log, bytes, false } };
	unsigned count = 0;

	if (!read_id(&r))
		return 0;
	while ((size_t)(r.in.at - log) <= last) {
		uint32_t index = take32(&r), type = take32(&r);
		const uint8_t *found = take_digests(&r);

		tpm_take(&r.in, take32(&r));
		if (r.in.bad)
			return 0;
		if (index != pcr || type == EV_NO_ACTION || !found)
			continue;
		if (count < most)
			memcpy(digest[count], found, SHA256_BYTES);
		count++;
	}
	return count;
}
