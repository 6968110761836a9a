/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON text, taken from the front piece by piece, without a tree of it. What is accepted is
 * what RFC 8259 allows, and jansson: strings are UTF-8 without a zero, nesting is bounded.
 * Each function takes what it is named for and returns true, or leaves `at` anywhere and
 * returns false.
 */
#pragma once

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

/* Inline, as there is mostly no white space. */
static inline void json_scan_space(struct json_scan *s)
{
	while (s->at < s->end && (uint8_t)*s->at <= ' ' &&
	       (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r'))
		s->at++;
}

bool json_scan_string(struct json_scan *s, const char **value);

#define JSON_DIGITS_SAFE 18 /* any number with this many digits is below 2^63 */

/* Digits of a whole number. */
static inline bool json_scan_digits(struct json_scan *s, uint64_t *value)
{
	const char *from = s->at, *at = from;
	const char *safe = s->end - from > JSON_DIGITS_SAFE ? from + JSON_DIGITS_SAFE : s->end;
	uint64_t sum = 0;
	unsigned digit;

	if (json_scan_byte(s, '0')) {
		*value = 0;
		return true;
	}
	for (; at < safe && (digit = (uint8_t)(*at - '0')) <= 9; at++)
		sum = sum * 10 + digit;
	for (; at == safe && at < s->end && (digit = (uint8_t)(*at - '0')) <= 9; safe = ++at) {
		if (sum > (UINT64_MAX - digit) / 10)
			return false;
		sum = sum * 10 + digit;
	}
	*value = sum;
	s->at = at;
	return at > from;
}

static inline bool json_scan_integer(struct json_scan *s, bool *negative, uint64_t *magnitude)
{
	*negative = json_scan_byte(s, '-');
	return json_scan_digits(s, magnitude) &&
	       !(s->at < s->end && (*s->at == '.' || *s->at == 'e' || *s->at == 'E'));
}

static inline bool json_scan_u64(struct json_scan *s, uint64_t *value)
{
	bool negative;

	return json_scan_integer(s, &negative, value) && (!negative || !*value);
}

bool json_scan_i64(struct json_scan *s, int64_t *value);

/* Take an element of an array, without white space around it, or the value of a member. */
typedef bool json_scan_take(struct json_scan *s, const struct json_name *name, void *ctx);

/* An array, or an object, by its first bracket: each of its elements or members. */
bool json_scan_each(struct json_scan *s, char bracket, json_scan_take *take, void *ctx);

/* The name of a member, and its colon. */
bool json_scan_name(struct json_scan *s, struct json_name *name);

/* Any value; nothing is kept of it. */
bool json_scan_skip(struct json_scan *s);

/* "an object" "a real" ...: the valid value at `at`. */
const char *json_scan_kind(const struct json_scan *s);

/* Inline, as mostly the first byte already differs. */
static inline bool json_name_is(const struct json_name *name, const char *known)
{
	return (!name->bytes || *name->at == *known) &&
	       strncmp(name->at, known, name->bytes) == 0 && !known[name->bytes];
}

/* The name as a string that lives as long as the others. */
const char *json_name_keep(struct json_scan *s, const struct json_name *name);
