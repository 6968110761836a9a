/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of core numbers, written as Linux writes them: 0-3,8. */
#pragma once

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPULIST_MAX 4096 /* core numbers are below this */

struct cpulist {
	uint64_t bits[CPULIST_MAX / 64];
};

void cpulist_clear(struct cpulist *l);
void cpulist_add(struct cpulist *l, uint32_t n); /* n < CPULIST_MAX, else nothing happens */
bool cpulist_has(const struct cpulist *l, uint32_t n);
bool cpulist_empty(const struct cpulist *l);
uint32_t cpulist_count(const struct cpulist *l);
uint32_t cpulist_last(const struct cpulist *l); /* highest member; 0 when empty */

/*
 * Parse "0-3,8". False for anything else: empty, reversed ranges, numbers at or
 * past CPULIST_MAX, stray characters; *l is then unspecified.
 */
bool cpulist_parse(struct cpulist *l, const char *s, size_t bytes);

/* The shortest form, in rising order; nothing for the empty set. */
void cpulist_print(const struct cpulist *l, struct text *out);
