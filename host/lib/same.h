/* SPDX-License-Identifier: BSD-2-Clause */
/* Texts of records, which may be absent. */
#pragma once

#include <stdbool.h>
#include <string.h>

/* The same text, or NULL both. */
static inline bool same_text(const char *a, const char *b)
{
	return !a || !b ? a == b : strcmp(a, b) == 0;
}
