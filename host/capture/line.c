/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed parts of a record's line, read without a JSON parser: they are always written alike. */
#define _GNU_SOURCE /* memmem */
#include "line.h"

#include "json_scan.h"

#include "core/lib/crc32c.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <endian.h>
#include <string.h>

#define CRC_MARK   ",\"crc\":\""
#define CRC_DIGITS 8
#define CRC_CLOSE  "\"}"
#define MORE_MARK  ",\"more\":true"

#define BYTES(literal) (sizeof(literal) - 1)
#define CRC_BYTES      (BYTES(CRC_MARK) + CRC_DIGITS + BYTES(CRC_CLOSE))

const char *line_find(const char *bytes, size_t count)
{
	const char *at = bytes, *end = bytes + count;

	/* Braces are few: this is several times as fast as memmem(). */
	while (at && (size_t)(end - at) >= BYTES(LINE_MARK)) {
		at = memchr(at, LINE_MARK[0], (size_t)(end - at) - BYTES(LINE_MARK) + 1);
		if (!at || memcmp(at, LINE_MARK, BYTES(LINE_MARK)) == 0)
			return at;
		at++;
	}
	return NULL;
}

const char *line_find_escaped(const char *bytes, size_t count)
{
	const char *end = bytes + count;

	for (const char *at = bytes; (at = memchr(at, '{', (size_t)(end - at))); at++) {
		const char *quote = at + 1;

		while (quote < end && *quote == '\\')
			quote++;
		if (quote > at + 1 && end - quote > 3 && memcmp(quote, "\"nf\\", 4) == 0)
			return at;
	}
	return NULL;
}

/* Eight digits in one word: which of them are letters is no matter of branches. */
static void put_hex(char digits[8], uint32_t value)
{
	uint64_t nibbles = value, letters;

	nibbles = (nibbles | nibbles << 16) & UINT64_C(0x0000ffff0000ffff);
	nibbles = (nibbles | nibbles << 8) & UINT64_C(0x00ff00ff00ff00ff);
	nibbles = (nibbles | nibbles << 4) & JSON_EACH(0x0f);
	letters = (nibbles + JSON_EACH(6)) >> 4 & JSON_EACH(1);
	nibbles = htobe64(nibbles + JSON_EACH('0') + letters * ('a' - '0' - 10));
	memcpy(digits, &nibbles, sizeof(nibbles));
}

/* They are digits if they are those of the value that they would have. */
static bool take_hex_8(struct json_scan *s, uint32_t *value)
{
	uint64_t nibbles;
	char again[sizeof(nibbles)];

	if ((size_t)(s->end - s->at) < sizeof(nibbles))
		return false;
	memcpy(&nibbles, s->at, sizeof(nibbles));
	nibbles = be64toh(nibbles);
	nibbles = ((nibbles & JSON_EACH(0x0f)) + (nibbles >> 6 & JSON_EACH(1)) * 9) &
		  JSON_EACH(0x0f);
	nibbles = (nibbles | nibbles >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	nibbles = (nibbles | nibbles >> 8) & UINT64_C(0x0000ffff0000ffff);
	*value = (uint32_t)(nibbles | nibbles >> 16);
	put_hex(again, *value);
	if (memcmp(again, s->at, sizeof(again)) != 0)
		return false;
	s->at += sizeof(again);
	return true;
}

static bool take_hex_16(struct json_scan *s, uint64_t *value)
{
	uint32_t high, low;

	if (!take_hex_8(s, &high) || !take_hex_8(s, &low))
		return false;
	*value = (uint64_t)high << 32 | low;
	return true;
}

/* Decimal, at most INT64_MAX. */
static bool take_number(struct json_scan *s, uint64_t *value)
{
	const char *from = s->at;

	s->at = json_digits(from, s->end, value);
	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
		uint64_t digit = (uint64_t)(*s->at - '0');

		if (*value > (INT64_MAX - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return s->at > from;
}

static bool take_name(struct json_scan *s, const char **name, size_t *bytes)
{
	*name = s->at;
	while (s->at < s->end && *s->at != '"')
		s->at++;
	*bytes = (size_t)(s->at - *name);
	return json_scan_word(s, "\"");
}

static bool take_crc(struct json_scan *s, uint32_t *crc)
{
	return json_scan_word(s, CRC_MARK) && take_hex_8(s, crc) && json_scan_word(s, CRC_CLOSE);
}

static enum line_result read_header(struct line *line, struct text *why)
{
	struct json_scan s = { .at = line->text, .end = line->text + line->bytes };
	uint64_t version;

	if (!json_scan_word(&s, LINE_MARK) || !take_number(&s, &version)) {
		text_add(why, "its format version is not a number");
		return LINE_DAMAGED;
	}
	if (version != RECORD_VERSION) {
		text_add(why, "it is in format nf=%llu; this program reads nf=%d",
			 (unsigned long long)version, RECORD_VERSION);
		return LINE_VERSION;
	}
	if (!json_scan_word(&s, ",\"sid\":\"") || !take_hex_16(&s, &line->sid) ||
	    !json_scan_word(&s, "\",\"seq\":") || !take_number(&s, &line->seq) ||
	    !json_scan_word(&s, ",\"type\":\"") || !take_name(&s, &line->type, &line->type_bytes)) {
		text_add(why, "its header is not nf, sid, seq, type");
		return LINE_DAMAGED;
	}
	return LINE_OK;
}

static enum line_result read_crc(struct line *line, const char *mark, const char *end,
				 struct text *why)
{
	struct json_scan s = { .at = mark, .end = end };
	uint32_t stated, found;

	if (!take_crc(&s, &stated)) {
		text_add(why, "it is truncated within its checksum");
		return LINE_DAMAGED;
	}
	line->bytes = (size_t)(mark - line->text);
	line->whole = (size_t)(s.at - line->text);
	found = crc32c(line->text, line->bytes);
	if (found == stated)
		return LINE_OK;
	text_add(why, "its checksum is %08x, that of its bytes %08x", stated, found);
	return LINE_DAMAGED;
}

/* Mostly it is right, and ends the text. */
static bool ends_in_crc(struct line *line, size_t count)
{
	char tail[] = CRC_MARK "01234567" CRC_CLOSE;

	if (count < CRC_BYTES)
		return false;
	line->whole = count;
	line->bytes = count - CRC_BYTES;
	put_hex(tail + BYTES(CRC_MARK), crc32c(line->text, line->bytes));
	return memcmp(line->text + line->bytes, tail, CRC_BYTES) == 0;
}

/* The first mark counts, as the rest of another line may follow. */
static enum line_result find_crc(struct line *line, size_t count, struct text *why)
{
	const char *end = line->text + count, *mark;

	if (ends_in_crc(line, count))
		return LINE_OK;
	mark = memmem(line->text, count, CRC_MARK, BYTES(CRC_MARK));
	if (mark)
		return read_crc(line, mark, end, why);
	text_add(why, "it is truncated before its checksum");
	return LINE_DAMAGED;
}

enum line_result line_read(const char *text, size_t count, struct line *line, struct text *why)
{
	enum line_result result;

	*line = (struct line){ .text = text };
	result = find_crc(line, count, why);
	if (result != LINE_OK)
		return result;
	line->more = line->bytes >= BYTES(MORE_MARK) &&
		     memcmp(text + line->bytes - BYTES(MORE_MARK), MORE_MARK, BYTES(MORE_MARK)) ==
			     0;
	return read_header(line, why);
}

#define ESC '\x1b'
#define BEL '\a'

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Behind ESC [: parameters and intermediates up to a final byte, @ to ~. */
static const char *skip_control_sequence(const char *at, const char *end)
{
	while (at < end && *at >= 0x20 && *at < 0x40)
		at++;
	return at < end ? at + 1 : end;
}

/* Behind ESC ] and the like: up to BEL or ESC \. */
static const char *skip_control_string(const char *at, const char *end)
{
	while (at < end && *at != BEL && *at != ESC)
		at++;
	if (at + 1 < end && *at == ESC && at[1] == '\\')
		return at + 2;
	return at < end && *at == BEL ? at + 1 : at;
}

/* `at` is behind an ESC. */
static const char *skip_escape(const char *at, const char *end)
{
	if (at == end)
		return end;
	if (*at == '[')
		return skip_control_sequence(at + 1, end);
	if (memchr("]PX^_", *at, 5))
		return skip_control_string(at + 1, end);
	/* Two bytes, with intermediates as in ESC ( B. */
	while (at < end && *at >= 0x20 && *at < 0x30)
		at++;
	return at < end ? at + 1 : end;
}

size_t line_strip(const char *bytes, size_t count, char *out)
{
	const char *at = bytes, *end = bytes + count;
	size_t kept = 0;

	while (at < end) {
		char c = *at++;

		if (c == ESC)
			at = skip_escape(at, end);
		else if (!is_control(c))
			out[kept++] = c;
	}
	return kept;
}
