/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints as many columns as fit, then the rest. */
#include "columns.h"

#include "core/lib/arith.h"

#include <stdio.h>
#include <string.h>

#define BETWEEN 2

struct table {
	const char *const *cell;
	size_t rows, columns;
	const char *align;
};

static size_t widest(const struct table *t, size_t column)
{
	size_t width = 0;

	for (size_t n = 0; n < t->rows; n++)
		width = arith_max(width, strlen(t->cell[n * t->columns + column]));
	return width;
}

/* Returns the first column, from `from` on, that no longer fits beside column 0. */
static size_t fitting(const struct table *t, size_t from)
{
	size_t width = widest(t, 0), column = from;

	for (; column < t->columns; column++) {
		if (t->cell[column])
			width += BETWEEN + widest(t, column);
		if (width > COLUMNS_WIDTH && column > from)
			break;
	}
	return column;
}

static void print_cell(const struct table *t, size_t n, size_t column)
{
	const char *cell = t->cell[n * t->columns + column];
	char align = column ? column + 1 == t->columns ? t->align[1] : 'r' : t->align[0];
	int width = (int)widest(t, column);

	if (align == 'l' && column)
		width = 0; /* nothing follows */
	printf("%*s%*s", column ? BETWEEN : 0, "", align == 'l' ? -width : width, cell);
}

void columns_print(const char *const *cell, size_t rows, size_t columns, const char align[2])
{
	const struct table t = { cell, rows, columns, align };
	size_t from = 1, next;

	for (; from < columns; from = next) {
		next = fitting(&t, from);
		for (size_t n = 0; n < rows; n++) {
			print_cell(&t, n, 0);
			for (size_t c = from; c < next; c++)
				if (cell[c])
					print_cell(&t, n, c);
			putchar('\n');
		}
	}
}

void columns_wrap(const char *text, int indent)
{
	int column = indent;

	while (*text) {
		int bytes = (int)strcspn(text, " ");

		if (column > indent && column + 1 + bytes > COLUMNS_WIDTH) {
			printf("\n%*s", indent, "");
			column = indent;
		}
		column += printf("%s%.*s", column > indent ? " " : "", bytes, text);
		text += bytes + (text[bytes] == ' ');
	}
	putchar('\n');
}
