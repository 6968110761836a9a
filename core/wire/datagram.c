/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts datagrams to bytes and back; both kinds have the same trailer. */
#include "datagram.h"

#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/lib/mem.h"

#define MAGIC_DATA "nfd2"
#define MAGIC_ACK  "nfa1"
#define MAGIC      4u
#define ACK_HEADER 48u
#define CRC        4u

#define FLAG_SIGNED 1u

/* The largest number that a reader of records accepts. */
#define SEQ_MAX ((uint64_t)INT64_MAX)

enum place {
	AT_FLAGS = 4,
	AT_STATE = 5,
	AT_LINES = 6,
	AT_SID = 8,
	AT_TOKEN = 16,
	AT_SEQ = 24,
	AT_NEXT = 24,
	AT_NUMBER = 32,
	AT_BASE = 32,
	AT_LOST = 40,
	AT_HELD = 40,
	AT_UUID = 44,
};

const char *datagram_state_text(enum datagram_state state)
{
	static const char *const text[DATAGRAM_STATES] = {
		[DATAGRAM_TAKEN] = "taken",
		[DATAGRAM_CHALLENGE] = "a token is requested",
		[DATAGRAM_NO_SPACE] = "the collector's disk is full or fails",
		[DATAGRAM_NO_RUNS] = "the collector accepts no more runs",
		[DATAGRAM_WANTS_KEY] = "the collector accepts only signed records",
		[DATAGRAM_WITHOUT_KEY] = "the collector has no key, and accepts no signed records",
		[DATAGRAM_WRONG_KEY] = "the collector has a different key",
	};

	return state < DATAGRAM_STATES ? text[state] : "unknown";
}

static void datagram_start(uint8_t *out, const char *magic, const uint8_t *key)
{
	memcpy(out, magic, MAGIC);
	out[AT_FLAGS] = key ? FLAG_SIGNED : 0;
}

/* Append tag and CRC after `used` bytes. */
static size_t datagram_finish(uint8_t *out, size_t used, const uint8_t *key)
{
	if (key) {
		siphash(key, out, used, out + used);
		used += SIPHASH_TAG_BYTES;
	}
	bytes_put_le32(out + used, crc32c(out, used));
	return used + CRC;
}

size_t datagram_write(uint8_t out[DATAGRAM_MAX], const struct datagram *d, const uint8_t *key)
{
	if (d->bytes < DATAGRAM_LINES_MIN || d->bytes > DATAGRAM_LINES_MAX)
		return 0;
	datagram_start(out, MAGIC_DATA, key);
	out[AT_STATE] = 0;
	bytes_put_le16(out + AT_LINES, d->lines);
	bytes_put_le64(out + AT_SID, d->sid);
	bytes_put_le64(out + AT_TOKEN, d->token);
	bytes_put_le64(out + AT_SEQ, d->seq);
	bytes_put_le64(out + AT_NUMBER, d->number);
	bytes_put_le32(out + AT_LOST, d->lost);
	if (d->uuid)
		memcpy(out + AT_UUID, d->uuid, UUID_BYTES);
	else
		memset(out + AT_UUID, 0, UUID_BYTES);
	memmove(out + DATAGRAM_HEADER, d->text, d->bytes);
	return datagram_finish(out, DATAGRAM_HEADER + d->bytes, key);
}

size_t datagram_write_ack(uint8_t out[DATAGRAM_ACK_MAX], const struct datagram_ack *a,
			  const uint8_t *key)
{
	datagram_start(out, MAGIC_ACK, key);
	out[AT_STATE] = (uint8_t)a->state;
	bytes_put_le16(out + AT_LINES, 0);
	bytes_put_le64(out + AT_SID, a->sid);
	bytes_put_le64(out + AT_TOKEN, a->token);
	bytes_put_le64(out + AT_NEXT, a->next);
	bytes_put_le64(out + AT_BASE, a->base);
	bytes_put_le64(out + AT_HELD, a->held);
	return datagram_finish(out, ACK_HEADER, key);
}

/* Check the trailer; *body is the length of what precedes it. */
static enum datagram_result datagram_check(const uint8_t *bytes, size_t count, const char *magic,
					   size_t header, size_t *body)
{
	size_t tail;

	if (count < header + CRC || memcmp(bytes, magic, MAGIC) != 0 ||
	    (bytes[AT_FLAGS] & ~FLAG_SIGNED))
		return DATAGRAM_MALFORMED;
	tail = CRC + (bytes[AT_FLAGS] ? SIPHASH_TAG_BYTES : 0);
	if (count < header + tail)
		return DATAGRAM_MALFORMED;
	if (bytes_le32(bytes + count - CRC) != crc32c(bytes, count - CRC))
		return DATAGRAM_DAMAGED;
	*body = count - tail;
	return DATAGRAM_OK;
}

static enum datagram_result check_tag(const uint8_t *bytes, size_t body, const uint8_t *key)
{
	bool is_signed = bytes[AT_FLAGS] & FLAG_SIGNED;
	uint8_t tag[SIPHASH_TAG_BYTES];

	if (!key)
		return is_signed ? DATAGRAM_NOT_ASKED : DATAGRAM_OK;
	if (!is_signed)
		return DATAGRAM_NOT_SIGNED;
	siphash(key, bytes, body, tag);
	return siphash_same(tag, bytes + body) ? DATAGRAM_OK : DATAGRAM_FORGED;
}

enum datagram_result datagram_read(const uint8_t *bytes, size_t count, const uint8_t *key,
				   struct datagram *d)
{
	size_t body;
	enum datagram_result result = datagram_check(bytes, count, MAGIC_DATA, DATAGRAM_HEADER,
						     &body);

	if (result != DATAGRAM_OK)
		return result;
	*d = (struct datagram){
		.sid = bytes_le64(bytes + AT_SID),
		.token = bytes_le64(bytes + AT_TOKEN),
		.seq = bytes_le64(bytes + AT_SEQ),
		.number = bytes_le64(bytes + AT_NUMBER),
		.lost = bytes_le32(bytes + AT_LOST),
		.lines = bytes_le16(bytes + AT_LINES),
		.uuid = bytes + AT_UUID,
		.text = (const char *)bytes + DATAGRAM_HEADER,
		.bytes = body - DATAGRAM_HEADER,
	};
	if (count > DATAGRAM_MAX || bytes[AT_STATE] || !d->lines || d->bytes < DATAGRAM_LINES_MIN ||
	    d->bytes > DATAGRAM_LINES_MAX || d->lost > d->seq || d->seq > SEQ_MAX - d->lines)
		return DATAGRAM_MALFORMED;
	return check_tag(bytes, body, key);
}

uint64_t datagram_sid(const uint8_t *bytes, size_t count)
{
	return count < DATAGRAM_HEADER ? 0 : bytes_le64(bytes + AT_SID);
}

enum datagram_result datagram_read_ack(const uint8_t *bytes, size_t count, const uint8_t *key,
				       struct datagram_ack *a)
{
	size_t body;
	enum datagram_result result = datagram_check(bytes, count, MAGIC_ACK, ACK_HEADER, &body);

	if (result != DATAGRAM_OK)
		return result;
	if (body != ACK_HEADER || bytes[AT_STATE] >= DATAGRAM_STATES ||
	    bytes_le16(bytes + AT_LINES))
		return DATAGRAM_MALFORMED;
	*a = (struct datagram_ack){
		.state = (enum datagram_state)bytes[AT_STATE],
		.sid = bytes_le64(bytes + AT_SID),
		.token = bytes_le64(bytes + AT_TOKEN),
		.next = bytes_le64(bytes + AT_NEXT),
		.base = bytes_le64(bytes + AT_BASE),
		.held = bytes_le64(bytes + AT_HELD),
	};
	return check_tag(bytes, body, key);
}
