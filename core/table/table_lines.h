/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The lines people read around the table: the machine, the platform, each window,
 * the verdict. Printed by the probe and by `noisefloor show` alike.
 */
#pragma once

#include "core/records/record.h"
#include "core/lib/text.h"

#define TABLE_CONTINUED 4   /* blanks before the next line of a sentence */
#define TABLE_LINE_MAX  512 /* longer lines are cut */
#define TABLE_COLUMNS   80  /* of the terminals at a serial port; a BMC's wraps, or cuts */

/* Receives one line at a time, without its newline. */
typedef void table_line(void *ctx, const char *line, size_t bytes);

/* Lines on their way out, one at a time. */
struct table_page {
	struct text out;
	char buf[TABLE_LINE_MAX];
	table_line *line;
	void *ctx;
};

void table_page_init(struct table_page *p, table_line *line, void *ctx);
/* Hand out what stands in `out`, and start the next line. */
void table_end_line(struct table_page *p);

/*
 * The same, of prose: broken at blanks so that no line exceeds TABLE_COLUMNS, unless by a single
 * word. All but the first begin with `indent` blanks, fewer than TABLE_COLUMNS.
 */
void table_end_prose(struct table_page *p, unsigned indent);

/* A number, or "n/a". */
void table_maybe(struct text *t, struct maybe m);

/* The machine, its processor, its cores and the clock, a line each. */
void table_begin(const struct record_begin *begin, table_line *line, void *ctx);

/*
 * The text line of one window of `of` (0: not known):
 * "  3/10  4 gaps in 1.00 s  max 152 us  summed noise 312 us  smi 2  nmi 0".
 */
void table_window(struct text *out, const struct record_window *w, uint64_t of, bool no_smi);

/*
 * A sentence about what is between the probe and the machine:
 * where the gaps come from if an OS is above or a hypervisor underneath (NULL or "": none).
 */
void table_platform(struct text *out, const struct record_begin *begin);

/* The share of time that was sampled: "watched 99.8125 % of the time, first to last window". */
void table_watched(struct text *out, const struct record_end *end);

/*
 * The verdict line: "verdict: fail (max 152 us on cpu 1 exceeds the limit of 100 us)", "verdict:
 * pass, but 2 s of sampling is short of the 12 h that preset openshift requires".
 */
void table_verdict(struct text *out, const struct record_end *end);

/*
 * The state that a stage was measured in: a line for the firmware's mode and one for the chipset's
 * SMI sources, without what is not known:
 *
 *   ACPI mode on (SCI_EN 1)  USB owner os: xhci 0000:00:14.0 os
 *   SMI sources enabled (Intel ICH9): GBL_SMI APMC TCO; timers: TCO timer 1.2 s
 */
void table_stage(const struct record_stage *stage, table_line *line, void *ctx);
