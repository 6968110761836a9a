/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a survey needs of the platform, and room for what it finds. Its parts become records, each
 * deflated by itself, so that a line that is lost costs one part and no other.
 */
#pragma once

#include "core/gaps/cpu.h"
#include "core/kinds/survey/survey.h"
#include "core/lib/deflate.h"
#include "core/report/report.h"

#include <stddef.h>
#include <stdint.h>

#define SURVEY_PART_BYTES  (256u << 10) /* of one; what is longer is left out */
#define SURVEY_PIECE_BYTES 672u         /* deflated, in a record: 896 letters */

struct survey_parts {
	struct report *report;
	const char *stage;
	uint8_t *packed; /* DEFLATE_BYTES_MAX(SURVEY_PART_BYTES) */
	void *work;      /* DEFLATE_WORK_BYTES */
	unsigned parts;
	uint64_t bytes, packed_bytes; /* of all so far */
};

/* Send one. name: which of several; NULL: it is the only one of the area. */
void survey_parts_add(struct survey_parts *p, const char *area, const char *name, const void *data,
		      size_t bytes);

/* The same of a text, which is then empty; nothing for none. */
void survey_parts_text(struct survey_parts *p, const char *area, struct text *t);

struct survey_room {
	struct survey_core *core; /* by position; once all were read, only cores that answered */
	uint32_t *number;         /* the number of each such core, as people know it */
	uint32_t cores;           /* cores that answered; 0: not all were read */
	/* Read the calling core. */
	void (*read)(struct cpu *cpu, struct survey_core *c);
	/* Send what is there once, on the boot core. `t` is for that, and empty. */
	void (*machine)(void *ctx, struct survey_parts *parts, struct text *t);
	void *ctx;
	struct text text; /* SURVEY_PART_BYTES */
	struct survey_parts parts;
};

/*
 * One area's lines; `number` is each core's, as people know it. Readings that are printed are
 * marked, so that each area can be printed once.
 *
 *   cpuid      00000001 0 000906ea 00100800 7ffafbff bfebfbff 0-3 id
 *   msr, apic  1a0 850089 0-3          3a fault 0-3          e7 moves 0-3
 *   sysreg     midr_el1 410fd083 0-3   evidence   mperf found 0-3
 *
 * id: the core's own id, which stood there, is taken out.
 */
void survey_cores_print(struct survey_core *core, const uint32_t *number, uint32_t cores,
			enum survey_area area, struct text *t);
