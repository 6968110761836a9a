/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables for a terminal of 80 columns. */
#pragma once

#include <stddef.h>

#define COLUMNS_WIDTH 80

/*
 * Print rows of `columns` cells each, the first of which is the head; a column without a head is
 * left out. The first and the last column are aligned as `align` has them, 'l' or 'r', the others
 * to the right. Columns that do not fit into COLUMNS_WIDTH follow as a table of their own, behind
 * the first one again.
 */
void columns_print(const char *const *cell, size_t rows, size_t columns, const char align[2]);

/*
 * Print words from column `indent` on, where the cursor already is; the lines that follow begin
 * there, too. A word is not broken.
 */
void columns_wrap(const char *text, int indent);
