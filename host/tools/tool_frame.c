/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefixes are compared by their punctuation: times, numbers and short names change in them. */
#include "tool_frame.h"

#include <ctype.h>
#include <string.h>

/* A longer word without digits is a name, which does not change from line to line. */
#define FREE_BYTES 3

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Backslashes that end before `at`. */
static size_t escapes_before(const char *line, const char *at)
{
	size_t count = 0;

	while (at - count > line && at[-1 - (ptrdiff_t)count] == '\\')
		count++;
	return count;
}

/* rsyslog writes control characters as #, and three octal digits. */
static bool is_octal(const char *at)
{
	return at[0] == '#' && at[1] == '0' && at[2] >= '0' && at[2] <= '3' && at[3] >= '0' &&
	       at[3] <= '7';
}

/* Nothing, no word, or an escaped end of line. */
static bool is_boundary(const char *line, const char *at)
{
	if (at == line || !is_word(at[-1]))
		return true;
	return (strchr("ntr", at[-1]) && escapes_before(line, at - 1)) ||
	       (at - line >= 4 && is_octal(at - 4));
}

const char *tool_frame_word(const char *line, const char *literal)
{
	const char *at = strstr(line, literal);

	while (at && !is_boundary(line, at))
		at = strstr(at + 1, literal);
	return at;
}

bool tool_frame_ends(const char *at)
{
	at += strspn(at, " ");
	return !*at || strchr("\"'\\", *at) || is_octal(at);
}

const char *tool_frame_title(const char *line, const char *title)
{
	const char *at = tool_frame_word(line, title);

	return at && tool_frame_ends(at + strlen(title)) ? at : NULL;
}

/* A double quote, or a single one that is no apostrophe. */
static bool opens_string(const char *line, const char *at)
{
	return *at == '"' || (*at == '\'' && (at == line || !is_word(at[-1])));
}

/* The string that `at` is in, behind its quote, with the quote's escapes; NULL: none. */
static const char *find_string(const char *line, const char *at, size_t *escapes)
{
	const char *string = NULL;

	for (const char *c = line; c < at; c++) {
		size_t before;

		if (*c != '"' && *c != '\'')
			continue;
		before = escapes_before(line, c);
		if (string && *c == string[-1] && before <= *escapes) {
			string = NULL;
		} else if (!string && opens_string(line, c)) {
			string = c + 1;
			*escapes = before;
		}
	}
	return string;
}

const char *tool_frame_string(const char *line, const char *at)
{
	size_t escapes;
	const char *string = find_string(line, at, &escapes);

	for (string = string ? string : line; at > string; at--) {
		if ((at - string >= 2 && at[-1] == 'n' && at[-2] == '\\') ||
		    (at - string >= 4 && strncmp(at - 4, "#012", 4) == 0))
			break;
	}
	return at;
}

void tool_frame_begin(struct tool_frame *f, const char *line, const char *at)
{
	const char *string = find_string(line, at, &f->escapes);

	f->quote = string ? string[-1] : 0;
	f->closed = false;
	f->bytes = (size_t)((string ? string : at) - line);
	if (f->bytes >= sizeof(f->prefix))
		f->bytes = 0;
	memcpy(f->prefix, line, f->bytes);
	f->prefix[f->bytes] = '\0';
	f->learned = !f->bytes;
}

static size_t run_of(const char *at, bool (*is)(char c))
{
	size_t bytes = 0;

	while (at[bytes] && is(at[bytes]))
		bytes++;
	return bytes;
}

static bool has_digit(const char *word, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		if (isdigit((unsigned char)word[i]))
			return true;
	}
	return false;
}

static bool is_same_word(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
	bool digits = has_digit(a, a_bytes);

	if (!b_bytes || digits != has_digit(b, b_bytes))
		return false;
	return digits || (a_bytes <= FREE_BYTES && b_bytes <= FREE_BYTES) ||
	       (a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0);
}

static bool is_blank(char c)
{
	return c == ' ';
}

/*
 * How much of the prefix the line begins with, up to a word's end; *rest is what follows it.
 * Blanks at its end may be the output's own, and fewer of them follow in other lines.
 */
static size_t match_prefix(const struct tool_frame *f, const char *line, const char **rest)
{
	const char *p = f->prefix, *end = p + f->bytes, *at = line;
	size_t matched = 0;

	*rest = line;
	while (p < end) {
		size_t blanks = run_of(p, is_blank), word = run_of(p, is_word);
		size_t other = run_of(at, blanks ? is_blank : is_word);

		if (blanks && p + blanks == end && other > blanks)
			other = blanks;
		if (blanks ? !other && *at && p + blanks < end
		    : word ? !is_same_word(p, word, at, other)
			   : *p != *at)
			break;
		p += blanks + word + !(blanks + word);
		at += other + !(blanks + word);
		if (word && p < end)
			continue;
		matched = (size_t)(p - f->prefix);
		*rest = at;
	}
	return matched;
}

/* What the second line has of it, each has; a string is either each line's or the first's. */
static void learn(struct tool_frame *f, const char *line)
{
	const char *rest;
	size_t matched = match_prefix(f, line, &rest);

	f->learned = true;
	if (f->quote && matched < f->bytes)
		matched = 0;
	f->bytes = matched;
	f->prefix[matched] = '\0';
}

const char *tool_frame_peel(struct tool_frame *f, const char *line)
{
	const char *rest;

	if (!line[strspn(line, " ")])
		return line;
	if (!f->learned)
		learn(f, line);
	if (!f->bytes)
		return f->quote && f->closed ? NULL : line;
	return match_prefix(f, line, &rest) == f->bytes ? rest : NULL;
}

bool tool_frame_is_escaped(const struct tool_frame *f, const char *text)
{
	if (f->quote || strstr(text, "\\n") || strstr(text, "\\t"))
		return true;
	for (const char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
		if (is_octal(at))
			return true;
	}
	return false;
}

/* One line end or blank, of \n \r \t \u001b or #012. */
static char control(char c)
{
	return c == 'n' ? '\n' : c == 't' ? ' ' : '\r';
}

/* `at` is behind backslashes: what they stand for, and how long the rest of it is. */
static size_t take_escape(const char *at, char *c)
{
	size_t digits = 1 + strspn(at + 1, "0123456789abcdefABCDEF");

	*c = *at;
	if (strchr("ntr", *at))
		*c = control(*at);
	else if (*at == 'u' && digits >= 5)
		*c = strncmp(at, "u001b", 5) == 0 ? '\x1b' : ' ';
	return *at == 'u' && digits >= 5 ? 5 : 1;
}

static bool ends_string(const struct tool_frame *f, const char *at, size_t escapes)
{
	return f->quote && *at == f->quote && escapes <= f->escapes;
}

void tool_frame_unescape(struct tool_frame *f, const char *text, char *out)
{
	const char *at = text;

	f->closed = false;
	while (*at && !f->closed) {
		size_t escapes = strspn(at, "\\");

		at += escapes;
		if (f->quote == '\'' && at[0] == '\'' && at[1] == '\'') {
			*out++ = '\'';
			at += 2;
		} else if (ends_string(f, at, escapes)) {
			f->closed = true;
		} else if (is_octal(at)) {
			*out++ = at[3] == '2' && at[2] == '1' ? '\n' : ' ';
			at += 4;
		} else if (escapes && *at) {
			at += take_escape(at, out++);
		} else if (*at) {
			*out++ = *at++;
		}
	}
	*out = '\0';
}
