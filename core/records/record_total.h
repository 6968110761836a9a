/* SPDX-License-Identifier: BSD-2-Clause */
/* What several records of a type come to, as their rows have it: sums, and the longest. */
#ifndef CORE_RECORD_TOTAL_H
#define CORE_RECORD_TOTAL_H

#include "record.h"

/* A record of zeros becomes the total of none: sums that may be unknown are 0. */
void record_total_start(enum record_type type, void *total);

/* Fields without a total are left as they are. Sums stay at 2^64 - 1. */
void record_total_add(enum record_type type, void *total, const void *record);

#endif
