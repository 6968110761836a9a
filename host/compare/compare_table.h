/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A comparison as a table of text, for people:
 *
 *   CPU  EXPOSURE(s)  NOISE(us)  BELOW(us)  NMI(us)  IRQ(us)  SOFTIRQ(us)  THREAD(us)
 *     UNEXPLAINED(us)  BELOW(%)  MAX(us)  BELOW-MAX(us)
 *
 * one row per core and "all". Causes that no row has are left out.
 */
#pragma once

#include "split.h"
#include "split_words.h"

#include <stdbool.h>
#include <stddef.h>

/* Rows for more than COMPARE_TABLE_ALL cores: those with the most noise. */
#define COMPARE_TABLE_ALL   32
#define COMPARE_TABLE_WORST 16

#define COMPARE_TABLE_CELL    48
#define COMPARE_TABLE_COLUMNS (1 + SPLIT_FIGURES)

struct compare_table {
	char (*cell)[COMPARE_TABLE_COLUMNS][COMPARE_TABLE_CELL];
	size_t rows;
	size_t of;    /* cores, of which these are the worst; 0: all are there */
	bool has_all; /* the last row is the sum */
	bool used[COMPARE_TABLE_COLUMNS];
};

/* Ends the program when memory has run out. */
void compare_table_make(struct compare_table *t, const struct split_result *split);
void compare_table_free(struct compare_table *t);

/* "NOISE(us)" */
const char *compare_table_head(unsigned column);
