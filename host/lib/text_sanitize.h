/* SPDX-License-Identifier: BSD-2-Clause */
/* Text that is safe for a terminal: control bytes become '?'. */
#pragma once

#include "core/lib/text.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Bytes of the UTF-8 character (RFC 3629) that begins at `text`, and the character; 0: none does,
 * and *code is undefined. Reads at most `room` bytes, at least 1, and none behind a zero.
 */
size_t text_utf8(const char *text, size_t room, uint32_t *code);

void text_sanitize(char *text);

/* A safe copy, truncated to `room` bytes with its zero. */
void text_sanitize_copy(char *to, size_t room, const char *from);

/*
 * text_sanitize_copy() in printable ASCII, so that truncation leaves no part of a character, nor
 * any byte that was not UTF-8. `to` may be `from`. NULL: empty.
 */
void text_sanitize_ascii(char *to, size_t room, const char *from);

/* A safe form of a file's name: itself, or a copy that is kept for ever. */
const char *text_sanitize_name(const char *name);

/* Print a line of so many bytes to standard output, safe; long ones are cut. For tables. */
void text_sanitize_line(void *ctx, const char *line, size_t bytes);

/* Print a text as a safe line to standard output, and empty it. */
void text_sanitize_print(struct text *t);

/* ---- Lines of files that people write ---- */

/* Blanks between words. */
#define TEXT_BLANKS " \t\r"

/* The text without blanks before and after it; the latter are overwritten. */
char *text_trim(char *text);

/*
 * Write a text, for an element or a quoted attribute: markup is escaped, control characters and
 * invalid UTF-8 become '?'. NULL is "n/a".
 */
void text_markup(FILE *to, const char *text);
