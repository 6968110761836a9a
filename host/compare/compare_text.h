/* SPDX-License-Identifier: BSD-2-Clause */
/* Comparisons as text for people, to standard output. */
#ifndef HOST_COMPARE_TEXT_H
#define HOST_COMPARE_TEXT_H

#include "split.h"

#include <stddef.h>

/* Rows shown of more than COMPARE_ALL cores: those with the most noise. */
#define COMPARE_ALL   32
#define COMPARE_WORST 16

/*
 * The rows to be shown: all, or of too many the worst. Into `row`, which has room for
 * each; their number.
 */
size_t compare_text_choose(const struct split *split, const struct split_row **row);

void compare_text_floor(const struct floor *floor);

/*
 *   CPU  EXPOSURE(s)  NOISE(us)  FLOOR(us)  NMI(us)  IRQ(us)  SOFTIRQ(us)  THREAD(us)
 *     UNEXPLAINED(us)  FLOOR(%)  MAX(us)  FLOOR-MAX(us)
 *
 * one row per core and "all", then what the floor's part may be, and what is unsound.
 */
void compare_text(const struct split *split);

#endif
