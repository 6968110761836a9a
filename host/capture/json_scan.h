/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON text, taken from the front piece by piece, without a tree of it. What is accepted is
 * what RFC 8259 allows, and jansson: strings are UTF-8 without a zero, nesting is bounded.
 * Each function takes what it is named for and returns true, or leaves `at` anywhere and
 * returns false.
 */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct json_scan {
	const char *at, *end;
	unsigned depth; /* objects and arrays around `at` */
	/* Strings are copied here. There is as much room as there is text, scanned once. */
	char *strings;
	size_t used;
};

/* A name without escapes: in place, up to its quote, or copied, up to a zero. */
struct json_name {
	const char *at;
	size_t bytes;
};

static inline bool json_scan_byte(struct json_scan *s, char byte)
{
	bool is = s->at < s->end && *s->at == byte;

	s->at += is;
	return is;
}

/* Inline, as the length of a literal is known where it is given. */
static inline bool json_scan_word(struct json_scan *s, const char *word)
{
	size_t bytes = strlen(word);
	bool is = (size_t)(s->end - s->at) >= bytes && memcmp(s->at, word, bytes) == 0;

	s->at += is ? bytes : 0;
	return is;
}

/* Mostly there is none. */
static inline void json_scan_space(struct json_scan *s)
{
	while (s->at < s->end && (uint8_t)*s->at <= ' ' &&
	       (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

#define JSON_DEPTH_MAX 2048 /* as jansson has it */

/* Into an array or an object. */
static inline bool json_scan_open(struct json_scan *s, char bracket)
{
	return json_scan_byte(s, bracket) && ++s->depth <= JSON_DEPTH_MAX;
}

enum json_step { JSON_ELEMENT, JSON_CLOSED, JSON_WRONG };

/* To its next element, if it is not closed. */
static inline enum json_step json_scan_step(struct json_scan *s, char bracket, bool first)
{
	json_scan_space(s);
	if (json_scan_byte(s, bracket)) {
		s->depth--;
		return JSON_CLOSED;
	}
	if (!first && !json_scan_byte(s, ','))
		return JSON_WRONG;
	json_scan_space(s);
	return JSON_ELEMENT;
}

bool json_scan_string(struct json_scan *s, const char **value);

#define JSON_EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* A top bit for each byte below `least`, which is at most 0x80; above a set one, they may be wrong.
 */
static inline uint64_t json_below(uint64_t bytes, uint8_t least)
{
	return (bytes - JSON_EACH(least)) & ~bytes & JSON_EACH(0x80);
}

/* The same for each of eight bytes that does not stand for itself in a string, in printable ASCII.
 */
static inline uint64_t json_other(const char *at)
{
	uint64_t bytes;

	memcpy(&bytes, at, sizeof(bytes));
	bytes = le64toh(bytes);
	return (bytes & JSON_EACH(0x80)) | json_below(bytes, ' ') |
	       json_below(bytes ^ JSON_EACH('"'), 1) | json_below(bytes ^ JSON_EACH('\\'), 1);
}

/*
 * Copy the printable ASCII that stands for itself in a string, eight bytes at a time. `to` has as
 * much room as there is text. Returns where it ends, in the text.
 */
static inline const char *json_copy_plain(const char *at, const char *end, char **to)
{
	uint64_t other;

	for (; (size_t)(end - at) >= sizeof(other); at += sizeof(other), *to += sizeof(other)) {
		memcpy(*to, at, sizeof(other));
		other = json_other(at);
		if (other) {
			*to += __builtin_ctzll(other) / 8;
			return at + __builtin_ctzll(other) / 8;
		}
	}
	while (at < end && *at >= ' ' && *at != '"' && *at != '\\')
		*(*to)++ = *at++;
	return at;
}

/* A whole number; -0 is one. */
bool json_scan_any_u64(struct json_scan *s, uint64_t *value);
bool json_scan_i64(struct json_scan *s, int64_t *value);

#define JSON_DIGITS 18 /* so many are below 2^63, whatever they are */

/* So many at most. Returns where they end. */
static inline const char *json_digits(const char *at, const char *end, uint64_t *value)
{
	uint64_t sum = 0;
	unsigned digit;

	end = end - at > JSON_DIGITS ? at + JSON_DIGITS : end;
	for (; at < end && (digit = (uint8_t)*at - (unsigned)'0') <= 9; at++)
		sum = sum * 10 + digit;
	*value = sum;
	return at;
}

/* A short number that another member or the end follows. Returns its end; NULL: another one. */
static inline const char *json_plain_u64(const char *from, const char *end, uint64_t *value)
{
	const char *at = json_digits(from, end, value);

	if (at == from || at == end || (*from == '0' && at > from + 1) ||
	    (*at != ',' && *at != '}' && *at != ']'))
		return NULL;
	return at;
}

/* Mostly it is one. */
static inline bool json_scan_u64(struct json_scan *s, uint64_t *value)
{
	const char *at = json_plain_u64(s->at, s->end, value);

	if (!at)
		return json_scan_any_u64(s, value);
	s->at = at;
	return true;
}

/* An element, without white space around it. */
typedef bool json_scan_element(struct json_scan *s, void *ctx);
bool json_scan_array(struct json_scan *s, json_scan_element *element, void *ctx);

/* The value of a member. */
typedef bool json_scan_member(struct json_scan *s, const struct json_name *name, void *ctx);
bool json_scan_object(struct json_scan *s, json_scan_member *member, void *ctx);

/* The name of a member, and its colon. */
bool json_scan_name(struct json_scan *s, struct json_name *name);

/* Any value; nothing is kept of it. */
bool json_scan_skip(struct json_scan *s);

/* "an object" "a real" ...: the valid value at `at`. */
const char *json_scan_kind(const struct json_scan *s);

/* Mostly it is another one, from its first byte on. */
static inline bool json_name_is(const struct json_name *name, const char *known)
{
	return (!name->bytes || *name->at == *known) &&
	       strncmp(name->at, known, name->bytes) == 0 && !known[name->bytes];
}

/* The name as a string that lives as long as the others. */
const char *json_name_keep(struct json_scan *s, const struct json_name *name);
