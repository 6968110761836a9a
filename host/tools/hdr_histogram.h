/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * HdrHistogram's buckets: each power of two of a value is divided into as many of equal width, but
 * none is narrower than the unit. As its logs have it, a histogram is packed, in base64; from that
 * its buckets can be read, of the encodings V0, V1 and V2.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct hdr_histogram {
	uint64_t sub_buckets; /* of which the upper half is used; 0: not known */
	uint64_t unit;        /* a power of two; 0: not known */
};

/* False, and nothing is known, for anything else. */
bool hdr_histogram_read(const char *base64, struct hdr_histogram *h);

/* No bucket that ends at `value` is wider; where the number is not known, half of it. */
uint64_t hdr_histogram_width(const struct hdr_histogram *h, uint64_t value);
