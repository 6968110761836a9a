/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes are compared word by word. */
#include "tool_format.h"

#include "host/lib/scan.h"

#include <ctype.h>
#include <string.h>

/* "Nov", "Sun": letters that a time has. */
#define TIME_LETTERS 3

void tool_frame_begin(struct tool_frame *f, const char *line, const char *at)
{
	f->bytes = (size_t)(at - line);
	if (f->bytes >= sizeof(f->prefix))
		f->bytes = 0;
	memcpy(f->prefix, line, f->bytes);
	f->prefix[f->bytes] = '\0';
	f->learned = !f->bytes;
	f->partly = false;
}

/* Digits and what stands between them in a date, a time or its zone. */
static bool is_time(const char *word, size_t bytes)
{
	size_t digits = 0, letters = 0;

	for (size_t i = 0; i < bytes; i++) {
		digits += isdigit((unsigned char)word[i]) != 0;
		letters += isalpha((unsigned char)word[i]) && !strchr("TZ", word[i]);
		if (!isalnum((unsigned char)word[i]) && !strchr("[]().,:;+-/", word[i]))
			return false;
	}
	return digits ? !letters : letters == bytes && bytes <= TIME_LETTERS && bytes > 1;
}

static bool is_same_word(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	return (a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0) ||
	       (is_time(a, a_bytes) && is_time(b, b_bytes));
}

/*
 * How much of the prefix the line begins with, up to the end of a word; *rest is what follows it.
 * Blanks at its end may be the output's own, and fewer of them follow in other lines.
 */
static size_t match_prefix(const struct tool_frame *f, const char *line, const char **rest)
{
	const char *p = f->prefix, *at = line;

	*rest = line;
	while (*p) {
		size_t blanks = strspn(p, " "), here = strspn(at, " ");
		size_t word = strcspn(p + blanks, " "), other;

		if (!word)
			here = here < blanks ? here : blanks;
		if (blanks && !here && *at && word)
			break;
		other = strcspn(at + here, " ");
		if (word && !is_same_word(p + blanks, word, at + here, other)) {
			/* The blank behind the last word that both have is the prefix's. */
			size_t blank = blanks && here;

			/* The last word may have no blank behind it: "[1,0]<stdout>:". */
			if (!scan_end(p + blanks + word) ||
			    strncmp(p + blanks, at + here, word) != 0) {
				*rest = at + blank;
				return (size_t)(p - f->prefix) + blank;
			}
			other = word;
		}
		p += blanks + word;
		at += here + (word ? other : 0);
		*rest = at;
	}
	return (size_t)(p - f->prefix);
}

const char *tool_frame_peel(struct tool_frame *f, const char *line)
{
	const char *rest;
	size_t matched;

	if (!line[strspn(line, " ")] || !f->bytes)
		return line;
	matched = match_prefix(f, line, &rest);
	if (!f->learned) {
		/* What the second line has of it, each has; or it stood before the first alone. */
		f->learned = true;
		f->bytes = matched;
		f->prefix[matched] = '\0';
		return matched ? rest : line;
	}
	f->partly = matched && matched < f->bytes;
	return matched == f->bytes ? rest : NULL;
}
