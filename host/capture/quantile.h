/* SPDX-License-Identifier: BSD-2-Clause */
/* Lengths out of a record's histogram: lower edges of buckets, 1.6 % wide at most. */
#pragma once

#include "host/lib/range.h"

#include "core/records/record.h"

#include <stdint.h>

/* The upper end of the bucket that begins at `low`, ns; a tick more, as edges were rounded. */
uint64_t quantile_bucket_end(uint64_t low, uint64_t max_ns);

/* Their number; saturates. */
uint64_t quantile_count(const struct record_pairs *h);

/*
 * The length below or at which `share` (0 to 1) of them are, ns; the shortest for 0. Not known for
 * an empty histogram, and for one whose edges do not rise.
 */
struct maybe quantile_at(const struct record_pairs *h, double share);

/* p50 p90 p99 p99.9 p99.99 */
#define QUANTILE_PERCENTILES 5

const char *quantile_percentile_name(unsigned n);

/*
 * The n-th of these of a core's gaps: what so many of them do not exceed, between the ends of its
 * bucket, ns. Not known without gaps, and where the histogram does not hold them all.
 */
struct range quantile_percentile(const struct record_cpu *cpu, unsigned n);

/* The number of those below `ns`, by the lower edges. */
uint64_t quantile_below(const struct record_pairs *h, uint64_t ns);
