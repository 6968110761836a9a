/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface of a platform to surveys, and memory for the findings. A survey is sent in parts. Each
 * part is deflated by itself, so a lost line costs one part only. Lines of cores, by their area:
 *
 *   cpuid      00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id
 *   msr, apic  1a0 850089 0-3          3a fault 0-3          e7 moves 0-3
 *   sysreg     midr_el1 410fd083 0-3   evidence   mperf found 0-3
 *
 * "id" marks a leaf with the core's own id, which is left out of the values.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/kinds/survey/survey.h"
#include "core/lib/deflate.h"
#include "core/report/report.h"

#include <stddef.h>
#include <stdint.h>

#define SURVEY_PART_BYTES  (256u << 10) /* most bytes of a part; longer ones are left out */
#define SURVEY_PIECE_BYTES 596u         /* deflated bytes per record: 894 letters */

struct survey_parts {
	struct report *report;
	const char *stage;
	uint8_t *packed; /* DEFLATE_BYTES_MAX(SURVEY_PART_BYTES) */
	void *work;      /* DEFLATE_WORK_BYTES */
	unsigned parts;
	uint64_t bytes, packed_bytes; /* sums of all parts so far */
};

/* Send a part. name: which part of the area; NULL: the area has only this one. */
void survey_parts_add(struct survey_parts *p, const char *area, const char *name, const void *data,
		      size_t bytes);

/* Send a text as a part, and empty it. Nothing is sent if it is empty. */
void survey_parts_text(struct survey_parts *p, const char *area, struct text *t);

struct survey_room {
	struct survey_core *core; /* by position; in the end only cores that answered */
	uint32_t *number;         /* the number of each such core, as people know it */
	uint32_t cores;           /* cores that answered; 0: not all were read */
	/* Read the calling core. */
	void (*read)(struct cpu *cpu, struct survey_core *c);
	/* Send what the machine has only once; called on the boot core. `t` is empty scratch. */
	void (*machine)(void *ctx, struct survey_parts *parts, struct text *t);
	void *ctx;
	struct text text; /* SURVEY_PART_BYTES */
	struct survey_parts parts;
};
