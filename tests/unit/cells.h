/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Cells of a core's table for people, by the names in its head, wherever their columns stand: a
 * table begins with a line whose first word is CPU, and a cell ends below the end of its head.
 */
#pragma once

#include "tests/unit/common/test.h"

#include <stdio.h>
#include <string.h>

/* Bytes of the line up to the end of the first word that is `word`; 0: there is none. */
static inline size_t cells_end_of(const char *line, const char *word)
{
	const char *at = line + strspn(line, " ");

	while (*at && *at != '\n') {
		size_t bytes = strcspn(at, " \n");

		if (bytes == strlen(word) && !memcmp(at, word, bytes))
			return (size_t)(at - line) + bytes;
		at += bytes;
		at += strspn(at, " ");
	}
	return 0;
}

static inline bool cells_begins(const char *line, const char *word)
{
	size_t end = cells_end_of(line, word);

	return end && strspn(line, " ") + strlen(word) == end;
}

/* Add a space and the word that ends so many bytes into the line; none ends there: "-". */
static inline void cells_add(char *to, size_t size, const char *line, size_t end)
{
	size_t length = strcspn(line, "\n"), first = end, used = strlen(to);
	bool ends = end <= length && line[end - 1] != ' ' && strcspn(line + end, " \n") == 0;

	while (ends && first > 0 && line[first - 1] != ' ')
		first--;
	snprintf(to + used, size - used, "%s%.*s", used ? " " : "", ends ? (int)(end - first) : 1,
		 ends ? line + first : "-");
}

/* Add the cell of the first table that has such a column and row. */
static inline void cells_take(char *to, size_t size, const char *text, const char *row,
			      const char *head)
{
	size_t end = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (cells_begins(line, "CPU")) {
			end = cells_end_of(line, head);
		} else if (end && cells_begins(line, row)) {
			cells_add(to, size, line, end);
			return;
		}
	}
	fail_msg("no column %s with a row %s in\n%s", head, row, text);
}

/* Below these heads, with a space between, the row that begins with `row` has these cells. */
static inline void assert_cells(const char *text, const char *row, const char *heads,
				const char *cells)
{
	char names[200], found[200] = "", *rest;

	assert_true(strlen(heads) < sizeof(names));
	strcpy(names, heads);
	for (char *head = strtok_r(names, " ", &rest); head; head = strtok_r(NULL, " ", &rest))
		cells_take(found, sizeof(found), text, row, head);
	assert_string_equal(found, cells);
}
