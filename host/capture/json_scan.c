/* SPDX-License-Identifier: BSD-2-Clause */
/* One function per production of the grammar. */
#include "json_scan.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/units.h"

#include <endian.h>
#include <string.h>

/* ---- Strings ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* A top bit for each byte below `least`, at most 0x80; above a set one, they may be wrong. */
static uint64_t below(uint64_t bytes, uint8_t least)
{
	return (bytes - EACH(least)) & ~bytes & EACH(0x80);
}

/* Past the printable ASCII that stands for itself in a string, eight bytes at a time. */
static const char *skip_plain(const char *at, const char *end)
{
	for (uint64_t bytes, other; (size_t)(end - at) >= sizeof(bytes); at += sizeof(bytes)) {
		memcpy(&bytes, at, sizeof(bytes));
		bytes = le64toh(bytes);
		other = (bytes & EACH(0x80)) | below(bytes, ' ') | below(bytes ^ EACH('"'), 1) |
			below(bytes ^ EACH('\\'), 1);
		if (other)
			return at + __builtin_ctzll(other) / 8;
	}
	while (at < end && *at >= ' ' && *at != '"' && *at != '\\')
		at++;
	return at;
}

static bool take_hex4(struct json_scan *s, uint32_t *code)
{
	*code = 0;
	for (unsigned i = 0; i < 4; i++, s->at++) {
		unsigned digit = s->at < s->end ? text_hex_digit(*s->at) : 16;

		if (digit > 15)
			return false;
		*code = *code << 4 | digit;
	}
	return true;
}

static size_t put_utf8(uint32_t code, char *to)
{
	size_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
	static const uint8_t lead[] = { 0, 0xc0, 0xe0, 0xf0 };

	to[0] = (char)(lead[more] | code >> 6 * more);
	for (size_t i = 1; i <= more; i++)
		to[i] = (char)(0x80 | (code >> 6 * (more - i) & 0x3f));
	return more + 1;
}

/* Read an escape after its backslash. Returns the bytes written to `to`; 0: no escape. */
static size_t take_escape(struct json_scan *s, char *to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter = s->at < s->end ? memchr(letters, *s->at, sizeof(letters) - 1) : NULL;
	uint32_t code, low;

	if (letter) {
		s->at++;
		*to = meant[letter - letters];
		return 1;
	}
	if (!json_scan_byte(s, 'u') || !take_hex4(s, &code) || !code || code >> 10 == 0xdc00 >> 10)
		return 0;
	if (code >> 10 == 0xd800 >> 10) {
		if (!json_scan_word(s, "\\u") || !take_hex4(s, &low) || low >> 10 != 0xdc00 >> 10)
			return 0;
		code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
	}
	return put_utf8(code, to);
}

/* A character past ASCII, copied. Returns its bytes; 0: no UTF-8. */
static size_t take_utf8(struct json_scan *s, char *to)
{
	bool is_past = (uint8_t)*s->at >= 0x80;
	uint32_t code;
	size_t bytes = is_past ? text_utf8(s->at, (size_t)(s->end - s->at), &code) : 0;

	memcpy(to, s->at, bytes);
	s->at += bytes;
	return bytes;
}

/*
 * Scan a string. Its copy is never longer than its text, as the quotes leave room for the final
 * zero.
 */
bool json_scan_string(struct json_scan *s, const char **value)
{
	char *to = s->strings + s->used;

	*value = to;
	if (!json_scan_byte(s, '"'))
		return false;
	for (;;) {
		const char *plain = skip_plain(s->at, s->end);
		size_t bytes = (size_t)(plain - s->at);

		memcpy(to, s->at, bytes);
		to += bytes;
		s->at = plain;
		if (s->at == s->end || *s->at == '"')
			break;
		bytes = json_scan_byte(s, '\\') ? take_escape(s, to) : take_utf8(s, to);
		if (!bytes)
			return false;
		to += bytes;
	}
	*to++ = '\0';
	s->used = (size_t)(to - s->strings);
	return json_scan_byte(s, '"');
}

/* Take a string in place if it has no escape; otherwise take nothing. */
static bool take_in_place(struct json_scan *s, struct json_name *string)
{
	const char *from = s->at + 1, *at;

	if (s->at == s->end || *s->at != '"')
		return false;
	at = skip_plain(from, s->end);
	if (at == s->end || *at != '"')
		return false;
	*string = (struct json_name){ from, (size_t)(at - from) };
	s->at = at + 1;
	return true;
}

static bool take_name(struct json_scan *s, struct json_name *name)
{
	if (take_in_place(s, name))
		return true;
	if (!json_scan_string(s, &name->at))
		return false;
	name->bytes = strlen(name->at);
	return true;
}

const char *json_name_keep(struct json_scan *s, const struct json_name *name)
{
	char *own = s->strings + s->used;

	if (!name->at[name->bytes])
		return name->at;
	memcpy(own, name->at, name->bytes);
	own[name->bytes] = '\0';
	s->used += name->bytes + 1;
	return own;
}

/* ---- Numbers ---- */

static bool skip_digits(struct json_scan *s)
{
	const char *from = s->at;

	while (s->at < s->end && *s->at >= '0' && *s->at <= '9')
		s->at++;
	return s->at > from;
}

/* No zeros before a number. */
static bool skip_number(struct json_scan *s)
{
	json_scan_byte(s, '-');
	if (!json_scan_byte(s, '0') && !skip_digits(s))
		return false;
	if (json_scan_byte(s, '.') && !skip_digits(s))
		return false;
	if (!json_scan_byte(s, 'e') && !json_scan_byte(s, 'E'))
		return true;
	if (!json_scan_byte(s, '-'))
		json_scan_byte(s, '+');
	return skip_digits(s);
}

bool json_scan_i64(struct json_scan *s, int64_t *value)
{
	uint64_t magnitude;
	bool negative;

	if (!json_scan_integer(s, &negative, &magnitude) ||
	    magnitude > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return false;
	*value = (int64_t)(negative ? 0 - magnitude : magnitude);
	return true;
}

/* ---- Arrays, objects, any value ---- */

bool json_scan_name(struct json_scan *s, struct json_name *name)
{
	if (!take_name(s, name))
		return false;
	json_scan_space(s);
	if (!json_scan_byte(s, ':'))
		return false;
	json_scan_space(s);
	return true;
}

#define DEPTH_MAX 2048 /* the limit of jansson */

bool json_scan_each(struct json_scan *s, char bracket, json_scan_take *take, void *ctx)
{
	bool is_object = bracket == '{';
	struct json_name name = { 0 };

	if (!json_scan_byte(s, bracket) || ++s->depth > DEPTH_MAX)
		return false;
	for (bool first = true;; first = false) {
		json_scan_space(s);
		if (json_scan_byte(s, is_object ? '}' : ']'))
			break;
		if (!first && !json_scan_byte(s, ','))
			return false;
		json_scan_space(s);
		if ((is_object && !json_scan_name(s, &name)) || !take(s, &name, ctx))
			return false;
	}
	s->depth--;
	return true;
}

static bool skip_value(struct json_scan *s, const struct json_name *name, void *ctx)
{
	(void)name, (void)ctx;
	return json_scan_skip(s);
}

bool json_scan_skip(struct json_scan *s)
{
	size_t used = s->used;
	struct json_name string;
	bool valid;

	switch (s->at < s->end ? *s->at : '\0') {
	case '"':
		valid = take_name(s, &string);
		s->used = used;
		return valid;
	case '{':
	case '[':
		return json_scan_each(s, *s->at, skip_value, NULL);
	case 't':
		return json_scan_word(s, "true");
	case 'f':
		return json_scan_word(s, "false");
	case 'n':
		return json_scan_word(s, "null");
	default:
		return skip_number(s);
	}
}

const char *json_scan_kind(const struct json_scan *s)
{
	const char *at = s->at;

	switch (*at) {
	case '{':
		return "an object";
	case '[':
		return "an array";
	case '"':
		return "a string";
	case 't':
		return "true";
	case 'f':
		return "false";
	case 'n':
		return "null";
	default:
		while (at < s->end && memchr("-0123456789", *at, 11))
			at++;
		return at < s->end && memchr(".eE", *at, 3) ? "a real" : "a number";
	}
}
