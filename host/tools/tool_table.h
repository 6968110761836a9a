/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables with a column per core, or per context of a core: a head that names the columns, rows of
 * counts that a number labels (buckets), and rows that a word labels (figures).
 */
#pragma once

#include "tool_format.h"

#define TOOL_COLUMNS_MAX 4096
#define TOOL_FIGURES_MAX 8

struct tool_table_form {
	const char *head; /* before the columns */
	const char
		*word[4]; /* one of these is before each column's number; none: the number alone */
	const char *bucket; /* behind a bucket's label; NULL: it has no buckets */
	unsigned digits;    /* decimals of the label that are kept */
	bool quiet;         /* no number, or one 0, is 0 in each column */
	struct {
		const char *name, *unit; /* unit: behind the numbers; NULL: none */
		unsigned digits;
	} figure[TOOL_FIGURES_MAX];
};

struct tool_table {
	size_t columns;
	uint32_t cpu[TOOL_COLUMNS_MAX];
	struct tool_table_row {
		uint64_t label, *count; /* per column; TOOL_NONE: "-" */
	} * row;
	size_t rows;
	uint64_t *figure[TOOL_FIGURES_MAX]; /* per column; NULL: there is no such row */
	bool decimals;                      /* a number has a fraction */
};

/* Take the line, counted in the tool's rows, or complain of it. False: it is no row of the form. */
bool tool_table_take(struct tool_parse *p, struct tool_table *t, const struct tool_table_form *form,
		     const char *line);

void tool_table_free(struct tool_table *t);
