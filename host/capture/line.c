/* SPDX-License-Identifier: BSD-2-Clause */
/* The fixed parts of a record's line, read without a JSON parser: they are always written alike. */
#define _GNU_SOURCE /* memmem */
#include "line.h"

#include "json_scan.h"

#include "core/lib/arith.h"
#include "core/lib/crc32c.h"
#include "core/lib/text.h"
#include "core/records/record.h"

#include <string.h>

#define CRC_MARK   ",\"crc\":\""
#define CRC_DIGITS 8
#define CRC_CLOSE  "\"}"
#define SID_DIGITS 16
#define PART_MARK  ",\"part\":"
#define MORE_MARK  ",\"more\":true"

#define BYTES(literal) (sizeof(literal) - 1)
_Static_assert(LINE_CHECKSUM_BYTES == BYTES(CRC_MARK) + CRC_DIGITS + BYTES(CRC_CLOSE), "of all");

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

/* Digits as the writer has them, as no capital is; a table, as they are random. */
static bool take_hex(struct json_scan *s, unsigned digits, uint64_t *value)
{
	enum { DIGIT = 0x10 };
	static const uint8_t known[256] = {
		['0'] = DIGIT,      ['1'] = DIGIT | 1,  ['2'] = DIGIT | 2,  ['3'] = DIGIT | 3,
		['4'] = DIGIT | 4,  ['5'] = DIGIT | 5,  ['6'] = DIGIT | 6,  ['7'] = DIGIT | 7,
		['8'] = DIGIT | 8,  ['9'] = DIGIT | 9,  ['a'] = DIGIT | 10, ['b'] = DIGIT | 11,
		['c'] = DIGIT | 12, ['d'] = DIGIT | 13, ['e'] = DIGIT | 14, ['f'] = DIGIT | 15,
	};
	uint8_t all = DIGIT;
	uint64_t sum = 0;

	if ((size_t)(s->end - s->at) < digits)
		return false;
	for (unsigned i = 0; i < digits; i++) {
		uint8_t digit = known[(uint8_t)s->at[i]];

		sum = sum << 4 | (digit & 0xf);
		all &= digit;
	}
	*value = sum;
	s->at += digits;
	return all;
}

/* Take a number of at most INT64_MAX. */
static bool take_number(struct json_scan *s, uint64_t *value)
{
	return json_scan_u64(s, value) && *value <= INT64_MAX;
}

static bool take_name(struct json_scan *s, const char **name, size_t *bytes)
{
	*name = s->at;
	while (s->at < s->end && *s->at != '"')
		s->at++;
	*bytes = (size_t)(s->at - *name);
	return json_scan_word(s, "\"");
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
	if (!json_scan_word(&s, ",\"sid\":\"") || !take_hex(&s, SID_DIGITS, &line->sid) ||
	    !json_scan_word(&s, "\",\"seq\":") || !take_number(&s, &line->seq) ||
	    !json_scan_word(&s, ",\"type\":\"") || !take_name(&s, &line->type, &line->type_bytes)) {
		text_add(why, "its header is not nf, sid, seq, type");
		return LINE_DAMAGED;
	}
	line->fields = s.at;
	return LINE_OK;
}

static bool take_crc(struct json_scan *s, uint64_t *crc)
{
	return json_scan_word(s, CRC_MARK) && take_hex(s, CRC_DIGITS, crc) &&
	       json_scan_word(s, CRC_CLOSE);
}

/* Mostly it ends the text; else the first mark counts, as the rest of another line may follow. */
static enum line_result read_crc(struct line *line, size_t count, struct text *why)
{
	const char *end = line->text + count;
	const char *mark = count < LINE_CHECKSUM_BYTES ? end : end - LINE_CHECKSUM_BYTES;
	struct json_scan s = { .at = mark, .end = end };
	uint64_t stated, found;

	if (take_crc(&s, &stated) && crc32c(line->text, (size_t)(mark - line->text)) == stated) {
		line->bytes = (size_t)(mark - line->text);
		line->whole = count;
		return LINE_OK;
	}
	mark = memmem(line->text, count, CRC_MARK, BYTES(CRC_MARK));
	s.at = mark;
	if (!mark || !take_crc(&s, &stated)) {
		text_add(why, "it is truncated %s its checksum", mark ? "within" : "before");
		return LINE_DAMAGED;
	}
	line->bytes = (size_t)(mark - line->text);
	line->whole = (size_t)(s.at - line->text);
	found = crc32c(line->text, line->bytes);
	if (found == stated)
		return LINE_OK;
	text_add(why, "its checksum is %08llx, that of its bytes %08llx",
		 (unsigned long long)stated, (unsigned long long)found);
	return LINE_DAMAGED;
}

/*
 * Find the position after the mark; NULL: there is none. Few names contain a p, so this is several
 * times as fast as memmem().
 */
static const char *find_part(const char *fields, const char *end)
{
	const char *at = fields;

	for (; (at = memchr(at, PART_MARK[2], (size_t)(end - at))); at++) {
		const char *mark = at - 2;

		if (mark >= fields && (size_t)(end - mark) >= BYTES(PART_MARK) &&
		    memcmp(mark, PART_MARK, BYTES(PART_MARK)) == 0)
			return mark + BYTES(PART_MARK);
	}
	return NULL;
}

/* No string of a record can hold the marks: quotes are escaped there. */
static void read_part(struct line *line)
{
	const char *end = line->text + line->bytes, *last = end - BYTES(MORE_MARK);
	struct json_scan s = { .end = end };

	line->more = last >= line->fields && memcmp(last, MORE_MARK, BYTES(MORE_MARK)) == 0;
	s.at = find_part(line->fields, end);
	line->part.known = s.at && json_scan_u64(&s, &line->part.value);
}

enum line_result line_read(const char *text, size_t count, struct line *line, struct text *why)
{
	static const struct line nothing;
	enum line_result result;

	*line = nothing;
	line->text = text;
	result = read_crc(line, count, why);
	if (result == LINE_OK)
		result = read_header(line, why);
	if (result == LINE_OK)
		read_part(line);
	return result;
}

#define ESC '\x1b'
#define BEL '\a'

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Skip the rest after ESC [: parameters and intermediates up to a final byte, @ to ~. */
static const char *skip_control_sequence(const char *at, const char *end)
{
	while (at < end && *at >= 0x20 && *at < 0x40)
		at++;
	return at < end ? at + 1 : end;
}

/* Skip the rest after ESC ] and similar: up to BEL or ESC \. */
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

/* ---- Lines of bytes: one that comes whole is not copied ---- */

static void end_line(struct line_splitter *s)
{
	s->line(s->ctx, s->text, s->held, false);
	s->held = 0;
	s->goes_on = false;
}

static void make_room(struct line_splitter *s)
{
	size_t keep = s->line(s->ctx, s->text, s->held, true);

	memmove(s->text, s->text + s->held - keep, keep);
	s->held = keep;
	s->goes_on = true;
}

void line_splitter_feed(struct line_splitter *s, const char *bytes, size_t count)
{
	const char *end = bytes + count;

	while (bytes < end) {
		const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t run = (size_t)((newline ? newline : end) - bytes);

		if (newline && run < s->room && !s->held && !s->goes_on) {
			s->line(s->ctx, bytes, run, false);
			bytes = newline + 1;
			continue;
		}
		run = arith_min(run, s->room - s->held);
		memcpy(s->text + s->held, bytes, run);
		s->held += run;
		bytes += run;
		if (bytes == newline) {
			end_line(s);
			bytes++;
		} else if (s->held == s->room) {
			make_room(s);
		}
	}
}

void line_splitter_end(struct line_splitter *s)
{
	if (s->held || s->goes_on)
		end_line(s);
}
