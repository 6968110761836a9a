/* SPDX-License-Identifier: BSD-2-Clause */
/* The total of several records of a type, as their rows define it: sums and maxima. */
#pragma once

#include "record.h"

/* Turn a record of zeros into the total of none: sums that may be unknown become 0. */
void record_total_start(enum record_type type, void *total);

/* Fields without a total are unchanged. Sums saturate at 2^64 - 1. */
void record_total_add(enum record_type type, void *total, const void *record);
