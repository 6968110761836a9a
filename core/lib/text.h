/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounded text: the one formatter of the probe and of the host tool. */
#pragma once

#include "value.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text under construction in a caller's buffer. Always NUL-terminated. Text that does not fit is
 * cut, and `overflow` stays set until text_reset().
 */
struct text {
	char *buf;
	size_t cap; /* bytes, with the NUL; at least 1 */
	size_t len; /* bytes, without the NUL */
	bool overflow;
};

void text_init(struct text *t, char *buf, size_t cap);

/* Declare an empty text with a buffer of its own, of `room` bytes. */
#define TEXT_DEFINE(name, room) \
	char name##_buf[room];  \
	struct text name;       \
	text_init(&name, name##_buf, sizeof(name##_buf))

void text_reset(struct text *t);

/*
 * Append formatted text. Understands %% %c %s %d %i %u %x %X with the lengths none, l, ll and z,
 * the flags '-' and '0', a width (number or *) and, for %s, a precision (number or *). A conversion
 * outside this set is copied unchanged and consumes no argument but that of a *. %s of NULL prints
 * "n/a".
 */
void text_add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_vadd(struct text *t, const char *format, va_list args);

/* Format into a buffer of `cap` bytes, as text_add() does; what does not fit is cut. */
void text_print(char *buf, size_t cap, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

void text_char(struct text *t, char c);

/* Append bytes as hex digits, two each. */
void text_hex(struct text *t, const uint8_t *bytes, size_t count);

static inline char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Value of a hex digit in either case; TEXT_NO_DIGIT: it is none. */
#define TEXT_NO_DIGIT 16u
static inline unsigned text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	c = text_lower(c);
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : TEXT_NO_DIGIT;
}

/* Get the byte of two hex digits; false: they are none. Nothing behind a NUL is read. */
static inline bool text_hex_byte(const char *digits, uint8_t *byte)
{
	unsigned high = text_hex_digit(digits[0]);
	unsigned low = high == TEXT_NO_DIGIT ? high : text_hex_digit(digits[1]);

	*byte = (uint8_t)(high << 4 | low);
	return low != TEXT_NO_DIGIT;
}

/*
 * Decode hex digits in either case. Returns the number of bytes; 0: NULL, other characters, an odd
 * number of digits, or more than there is room for. `out` is then undefined.
 */
size_t text_unhex(const char *digits, uint8_t *out, size_t room);

/* True for a letter, a digit, '.', '-' or '_', which no name has to escape. */
bool text_is_plain(char c);

/*
 * Append at most `most` bytes of `s` as part of a file's name: characters that are not plain become
 * '_', and so does a leading dot.
 */
void text_file_name(struct text *t, const char *s, size_t most);

/* Append `bytes` of `s`, which need not be terminated. */
void text_bytes(struct text *t, const char *s, size_t bytes);

/*
 * Append value/10^digits with `digits` decimals, at most 19, right-aligned in `width`
 * columns (0: as wide as needed): text_fixed(t, 1234567, 3, 0) gives 1234.567.
 */
void text_fixed(struct text *t, uint64_t value, unsigned digits, unsigned width);

/*
 * Append a length of time for people, three to four significant digits with
 * its unit: "812 ns", "15.2 us", "3.10 ms", "1.20 s".
 */
void text_duration(struct text *t, uint64_t ns);

/* Append a number, or "n/a". */
void text_maybe(struct text *t, struct maybe m);

/* Append a duration in ns; "n/a" if unknown. */
void text_maybe_duration(struct text *t, struct maybe ns);

/* True if the texts are equal, or both NULL. */
bool text_same(const char *a, const char *b);
