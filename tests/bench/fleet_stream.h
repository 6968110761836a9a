/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines that a node of a made-up fleet sends: the records of a short run, written by the
 * probe's own core/records/record.c. Node n sends the same each time, so that a collector's file
 * can be compared with it byte by byte.
 */
#pragma once

#include "tests/bench/fleet_nodes.h"

#include "core/records/record.h"

#include <stddef.h>
#include <stdint.h>

/* Lines of a stream other than the `gaps` requested: begin, stage, source, end, one per core. */
#define FLEET_CORES 2
#define FLEET_EXTRA (4 + FLEET_CORES)

struct fleet_stream {
	struct record_link link; /* first: record_send() knows only this */
	uint32_t node, gaps;     /* gap, event and window records in all */
	uint32_t at;             /* number of the next line */
	uint64_t random, clock_ns;
	struct record_cpu cpu[FLEET_CORES];
	char *out;
	size_t bytes;
};

void fleet_stream_start(struct fleet_stream *s, uint32_t node, const struct fleet_options *o);

/* The run id of a node: spread evenly, like random ids. */
uint64_t fleet_sid(uint32_t node);

#define FLEET_UUID_MAX 40
void fleet_uuid(uint32_t node, char uuid[FLEET_UUID_MAX]);

/*
 * All lines of a node, generated in advance, so that sending them costs little. NULL: out of
 * memory. The caller frees them.
 */
char *fleet_text(uint32_t node, const struct fleet_options *o, size_t *bytes);

/* The next line with its newline, at most RECORD_LINE_MAX bytes; 0: there are no more. */
size_t fleet_stream_next(struct fleet_stream *s, char *line);
