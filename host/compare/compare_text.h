/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons as text for people, to standard output. */
#pragma once

#include "split.h"

#include <stddef.h>

/* Rows shown for more than COMPARE_ALL cores: those with the most noise. */
#define COMPARE_ALL   32
#define COMPARE_WORST 16

/*
 * The rows to be shown: all, or the worst of too many. Stored in `row`, which has room for all;
 * returns their number.
 */
size_t compare_text_choose(const struct split_result *split, const struct split_row **row);

void compare_text_floor(const struct floor *floor);

/*
 *   CPU  EXPOSURE(s)  NOISE(us)  FLOOR(us)  NMI(us)  IRQ(us)  SOFTIRQ(us)  THREAD(us)
 *     UNEXPLAINED(us)  FLOOR(%)  MAX(us)  FLOOR-MAX(us)
 *
 * one row per core and "all", then the bounds of the floor's part, and the flags.
 */
void compare_text(const struct split_result *split);
