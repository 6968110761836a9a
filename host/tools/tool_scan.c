/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns of rows: see tool_format.h. */
#include "tool_format.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define MARKS "%*{}$"

/* One number of the kind that `mark` names. */
static bool scan_number(const char **at, char mark, uint64_t *n)
{
	bool negative = mark == 'i' && scan_literal(at, "-");

	if (mark == 'm' && scan_literal(at, "-")) {
		*at += **at == '1';
		*n = TOOL_NONE;
		return !isdigit((unsigned char)**at);
	}
	/* A number may touch the five decimals of the share before it. */
	if (mark == 's') {
		const char *from = *at;

		if (!scan_u64(&from, n) || *from != '.' || strspn(from + 1, "0123456789") < 5)
			return false;
		*at = from + 6;
		return true;
	}
	if (isdigit((unsigned char)mark))
		return scan_fixed(at, (unsigned)(mark - '0'), n);
	if (!scan_u64(at, n))
		return false;
	*n = negative ? 0 : *n;
	return true;
}

/* The text at `pattern` up to its next mark is in the line, blanks apart. Steps over it in both. */
static bool scan_text(const char **at, const char **pattern)
{
	const char *line = *at, *p = *pattern;

	for (; *p && (!strchr(MARKS, *p) || (p[0] == '%' && p[1] == '%')); p++) {
		if (*p == ' ') {
			line += strspn(line, " ");
			continue;
		}
		p += *p == '%';
		if (*line++ != *p)
			return false;
	}
	*at = line;
	*pattern = p;
	return true;
}

/* The first place where the text at `pattern` is; a blank at its begin is one in the line, too. */
static bool scan_anything(const char **at, const char **pattern)
{
	for (; **at; ++*at) {
		if ((**pattern != ' ' || **at == ' ') && scan_text(at, pattern))
			return true;
	}
	return false;
}

/* The part in braces is absent. Steps over it; its numbers are none. */
static void pass_over(const char **pattern, uint64_t **n)
{
	for (; **pattern != '}'; ++*pattern) {
		if (**pattern == '%' && *++*pattern != '%')
			*(*n)++ = TOOL_NONE;
	}
	++*pattern;
}

bool tool_scan(const char **line, const char *pattern, uint64_t *n)
{
	const char *at = *line, *p = pattern;

	if (!strchr(" %*", *p))
		at += strspn(at, " ");
	while (*p) {
		char mark = *p;

		if (!strchr(MARKS, mark) || (mark == '%' && p[1] == '%')) {
			if (!scan_text(&at, &p))
				return false;
			continue;
		}
		p++;
		if (mark == '%' && !scan_number(&at, *p++, n++))
			return false;
		if (mark == '*' && !scan_anything(&at, &p))
			return false;
		if (mark == '$' && !scan_end(at))
			return false;
		if (mark == '{' && (scan_end(at) || !scan_text(&at, &p)))
			pass_over(&p, &n);
	}
	*line = at;
	return true;
}

const char *tool_scan_word(const char *line, const char *pattern)
{
	uint64_t n[TOOL_NUMBERS_MAX];
	char word[64];
	size_t bytes = strcspn(pattern, " " MARKS);

	bytes = arith_min(bytes, sizeof(word) - 1);
	memcpy(word, pattern, bytes);
	word[bytes] = '\0';
	for (const char *at = strstr(line, word); at; at = strstr(at + 1, word)) {
		/* What a command printed without an end of line may be glued to a title: "1# RTLA".
		 */
		bool begins = at == line || !isalnum((unsigned char)*word) ||
			      (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

		if (begins && tool_scan(&(const char *){ at }, pattern, n))
			return at;
	}
	return NULL;
}

/* How many numbers a pattern has. */
static size_t count_numbers(const char *pattern)
{
	size_t count = 0;

	for (; (pattern = strchr(pattern, '%')); pattern += 2)
		count += pattern[1] != '%';
	return count;
}

void tool_take_note(struct tool_parse *p, const uint64_t *n)
{
	(void)n;
	p->tool->notes |= (uint32_t)p->arg;
}

bool tool_take_row(struct tool_parse *p, const struct tool_row *row, const char *line)
{
	uint64_t n[TOOL_NUMBERS_MAX] = { 1 };

	for (; row->key; row++) {
		const char *at = line;

		if (!tool_scan(&at, row->key, n)) {
			n[0] = 1;
			continue;
		}
		if (!tool_scan(&at, row->rest, n + count_numbers(row->key))) {
			char wanted[160];

			snprintf(wanted, sizeof(wanted), "%s%s", row->key, row->rest);
			tool_wrong(p, line, wanted);
			return true;
		}
		p->tool->rows++;
		p->row = line;
		p->arg = row->arg;
		if (row->take)
			row->take(p, n);
		else
			memcpy((char *)p->state + row->arg, n, sizeof(*n));
		return true;
	}
	return false;
}
