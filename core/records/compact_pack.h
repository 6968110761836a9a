/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A compact report made to fit: what matters least is left out, with a log record; then split into
 * parts, one per variable, and joined again.
 *
 * A part is a piece of the report after a head of its own:
 *
 *   offset 0   "NFV", then COMPACT_VERSION
 *          4   the report's last 4 bytes, its CRC: equal in all parts of a report
 *          8   number of the part, from 0; 9: count of parts
 *         10   which report of the run this is, 16 bits: the newer one counts
 */
#pragma once

#include "compact.h"

#define COMPACT_PARTS     3
#define COMPACT_PART_HEAD 12

/* The variables are named NoisefloorReport0 to 5, see saved_store.h, and have this GUID. */
#define COMPACT_NAME "NoisefloorReport"
#define COMPACT_GUID "77cca71c-9cb0-422d-9cb0-be2977edbfe7"

/*
 * Pack `from` into `out`. If not everything fits, these are left out, in this order: windows,
 * events, histograms, logs, gaps, interference, cores; a log record names them, and `end` counts
 * it. Returns the bytes, 0 if not even the minimum fits or `from` is damaged. `from` is read to its
 * end.
 */
size_t compact_pack(void *out, size_t cap, struct compact_reader *from,
		    const struct compact_head *head);

/* How many parts of at most `part_bytes` a report needs; more than COMPACT_PARTS: too big. */
size_t compact_parts(size_t bytes, size_t part_bytes);

/* A report, and how it is split. */
struct compact_split {
	const void *report;
	size_t bytes;
	size_t part_bytes; /* at most, of a part */
	uint16_t sequence; /* of the report among those of a run */
};

/* Write part `n` to `out`, which has room for part_bytes. Returns its size. */
size_t compact_part(const struct compact_split *s, unsigned n, void *out);

/* Of how many the first part of a report is one; 0: this is no first part. */
unsigned compact_parts_of(const void *part, size_t bytes);

/* Of a part. */
uint16_t compact_part_sequence(const void *part);

/* A report being joined from parts; zero it to begin. */
struct compact_join {
	uint8_t *out;
	size_t cap, used;
	unsigned count, parts;
	uint32_t id;
};

/*
 * Add the next part, from 0 up. COMPACT_CUT: more parts follow; COMPACT_OK: that was the last one;
 * COMPACT_DAMAGED: not a part, not the next one, or of another report.
 */
enum compact_state compact_join(struct compact_join *j, const void *part, size_t bytes);
