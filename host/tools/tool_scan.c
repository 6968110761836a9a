/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints, patterns of rows, and tables with a number for each core: see tool_format.h. */
#include "tool_format.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKS        "%@*{}$"
#define WORD_BYTES   64
#define QUOTED_BYTES 60 /* bytes of a line in a complaint */

#define TEXT_OF(...) #__VA_ARGS__
#define NAMES(...)   TEXT_OF(__VA_ARGS__)

/* ---- Complaints ---- */

void tool_remark(struct tool_parse *p, uint64_t line, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	text_sanitize(text);
	p->complain(p->ctx, p->tool->file, line, text);
}

void tool_wrong(struct tool_parse *p, const char *line)
{
	line += strspn(line, " ");
	tool_refuse(p, "%s: not understood: \"%.*s%s\"", p->format->name, QUOTED_BYTES, line,
		    strlen(line) > QUOTED_BYTES ? "..." : "");
}

void tool_cut(struct tool_parse *p, const char *before)
{
	p->tool->notes |= TOOL_CUT;
	tool_report(p, "%s: truncated before its %s", p->format->name, before);
}

/* ---- Patterns ---- */

/* The member that is named in parentheses at *pattern; steps over it. */
static uint64_t *find_value(const char **pattern, struct tool_values *v)
{
	static const char names[] = NAMES(TOOL_VALUES);
	size_t bytes = strcspn(*pattern, ")") - 1;
	uint64_t *value = &v->unnamed;

	if (**pattern != '(')
		return value;
	for (const char *at = names; at; value++, at = strchr(at, ',')) {
		at += strspn(at, ", ");
		if (strcspn(at, ",") == bytes && !memcmp(at, *pattern + 1, bytes)) {
			*pattern += bytes + 2;
			return value;
		}
	}
	abort(); /* a pattern of ours */
}

/* One number of the kind that `mark` names. */
static bool scan_number(const char **at, char mark, uint64_t *n)
{
	bool negative = mark == 'i' && scan_literal(at, "-");

	if (mark == '!') {
		*n = 1;
		return true;
	}
	if (mark == 'm' && scan_literal(at, "-")) {
		*at += **at == '1';
		*n = TOOL_NONE;
		return !isdigit((unsigned char)**at);
	}
	if (isdigit((unsigned char)mark))
		return scan_fixed(at, (unsigned)(mark - '0'), n);
	if (!scan_u64(at, n))
		return false;
	*n = negative ? 0 : *n;
	return true;
}

/* All numbers of the kind that `mark` names that follow, each behind three letters or none. */
static void scan_list(const char **at, char mark, struct tool_values *v)
{
	static uint64_t list[TOOL_COLUMNS_MAX];

	v->list = list;
	for (v->listed = 0; v->listed < TOOL_COLUMNS_MAX; v->listed++) {
		const char *from = *at + strspn(*at, " ");

		if (isalpha((unsigned char)*from) && strcspn(from, "- ") == 3 && from[3] == '-')
			from += 4;
		if (!scan_number(&from, mark, &list[v->listed]))
			return;
		*at = from;
	}
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
static void pass_over(const char **pattern, struct tool_values *v)
{
	while (*(*pattern)++ != '}') {
		if ((*pattern)[-1] == '%' && *(*pattern)++ != '%')
			*find_value(pattern, v) = TOOL_NONE;
	}
}

bool tool_scan(const char **line, const char *pattern, struct tool_values *v)
{
	const char *at = *line, *p = pattern;

	if (!strchr(" %@*", *p))
		at += strspn(at, " ");
	while (*p) {
		char mark = *p;

		if (!strchr(MARKS, mark) || (mark == '%' && p[1] == '%')) {
			if (!scan_text(&at, &p))
				return false;
			continue;
		}
		p++;
		if (mark == '%') {
			char kind = *p++;

			if (!scan_number(&at, kind, find_value(&p, v)))
				return false;
		}
		if (mark == '@')
			scan_list(&at, *p && strchr("39m", *p) ? *p++ : 'u', v);
		if (mark == '*' && !scan_anything(&at, &p))
			return false;
		if (mark == '$' && !scan_end(at))
			return false;
		if (mark == '{' && (scan_end(at) || !scan_text(&at, &p)))
			pass_over(&p, v);
	}
	*line = at;
	return true;
}

/* No pattern that begins an output has a *: from each place, the line is searched to its end. */
const char *tool_scan_word(const char *line, const char *pattern)
{
	struct tool_values v;
	char word[WORD_BYTES];

	snprintf(word, sizeof(word), "%.*s", (int)strcspn(pattern, " " MARKS), pattern);
	for (const char *at = strstr(line, word); at; at = strstr(at + 1, word)) {
		/* Output without an end of line may precede a title: "1# RTLA". */
		bool begins = at == line || !isalnum((unsigned char)*word) ||
			      (!isalnum((unsigned char)at[-1]) && at[-1] != '_');

		if (begins && tool_scan(&(const char *){ at }, pattern, &v))
			return at;
	}
	return NULL;
}

void tool_take_note(struct tool_parse *p)
{
	p->tool->notes |= (uint32_t)p->arg;
}

bool tool_take_row(struct tool_parse *p, const struct tool_row *row, const char *line)
{
	for (; row->key; row++) {
		struct tool_values v = p->v;
		const char *at = line;

		if (!tool_scan(&at, row->key, &v))
			continue;
		if (!tool_scan(&at, row->rest, &v)) {
			tool_wrong(p, line);
			return true;
		}
		p->tool->rows++;
		p->row = line;
		p->arg = row->arg;
		p->v = v;
		if (row->take)
			row->take(p);
		return true;
	}
	return false;
}

/* ---- Tables of cores: rtla's histograms, oslat's and sysjitter's ---- */

/* A copy of the row's numbers, or of as many zeroes. */
static uint64_t *keep_list(const struct tool_parse *p, bool zero)
{
	const struct tool_table *t = p->state;
	uint64_t *list = memory_new(t->columns + 1, sizeof(*list));

	if (!zero)
		memcpy(list, p->v.list, t->columns * sizeof(*list));
	return list;
}

/* Figures have as many numbers as the head before them has columns. */
void tool_take_head(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	bool late = t->cpu;

	for (size_t i = 0; i < TOOL_FIGURES_MAX; i++)
		late = late || t->figure[i];
	if (late || (!p->v.listed && !p->arg)) {
		tool_wrong(p, p->row);
		return;
	}
	t->columns = p->v.listed;
	t->cpu = keep_list(p, false);
}

void tool_take_figure(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	size_t figure = p->arg & ~TOOL_QUIET, listed = p->v.listed;
	bool quiet = (p->arg & TOOL_QUIET) && !t->rows;
	bool whole = listed == t->columns && (listed || quiet);

	if (!whole && !(quiet && (!listed || (listed == 1 && !p->v.list[0])))) {
		tool_wrong(p, p->row);
		return;
	}
	free(t->figure[figure]);
	t->figure[figure] = keep_list(p, !whole);
}

/* A bucket without columns has nothing behind its label. */
void tool_take_bucket(struct tool_parse *p)
{
	struct tool_table *t = p->state;
	uint64_t label = p->v.first;

	if (p->v.listed != t->columns || (t->rows && label <= t->row[t->rows - 1].label))
		tool_wrong(p, p->row);
	else if (t->columns)
		*MEMORY_ADD(t->row, t->rows) = (struct tool_bucket){ label, keep_list(p, false) };
}

void tool_table_free(struct tool_table *t)
{
	for (size_t i = 0; i < t->rows; i++)
		free(t->row[i].count);
	free(t->row);
	free(t->cpu);
	for (size_t i = 0; i < TOOL_FIGURES_MAX; i++)
		free(t->figure[i]);
}
