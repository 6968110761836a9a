/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From oslat's buckets to gaps. oslat puts every turn of its loop into a bucket; the
 * label of a bucket is its upper edge, the lowest holds the turns without a gap, and
 * the highest all that is longer, too.
 */
#ifndef HOST_OSLAT_CORE_H
#define HOST_OSLAT_CORE_H

#include "peer.h"

#include <stddef.h>
#include <stdint.h>

struct oslat_bucket {
	uint64_t label_ns;
	uint64_t count;
};

/*
 * Fill the events, sum and maximum of a core from `count` buckets in rising order.
 * `width_ns` is theirs, `max_ns` the bounds of the longest turn.
 */
void oslat_fill(struct peer_core *core, const struct oslat_bucket *bucket, size_t count,
		uint64_t width_ns, struct range max_ns);

/* The width of buckets: what the differences of all labels are multiples of; else 1 us. */
uint64_t oslat_width(uint64_t width_ns, uint64_t label_ns, uint64_t next_label_ns);

#endif
