/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people read of a run, from its records: the machine, the table at the
 * end of a stage in osnoise's columns, the verdict. Printed by the probe and by
 * `noisefloor show` alike.
 */
#ifndef CORE_TABLE_H
#define CORE_TABLE_H

#include "record.h"
#include "text.h"

#define TABLE_ALL   32
#define TABLE_WORST 16

/* Receives one line at a time, without its newline. */
typedef void table_line(void *ctx, const char *line, size_t bytes);

/* The machine, its processor, its cores and the clock, a line each. */
void table_begin(const struct record_begin *begin, table_line *line, void *ctx);

/*
 * Print the table of one stage: one row per core or, past TABLE_ALL cores, the
 * TABLE_WORST worst, worst first; a total row "all" for more than one core; and
 * a line for each kind of event that some core did not see, with the exposure
 * and the 95 % upper bound of its rate, 3/exposure. `cpus` is `count` records in
 * core order. Worst means longest gap, then most noise, then lowest number.
 * `order` is scratch for `count` indexes.
 *
 *   CPU  RUNTIME(us)  NOISE(us)  %AVAILABLE  MAX(us)  GAPS  SMI  NMI  smi  unknown
 *     0     59800000      312.4    99.99947    152.0     4    2    0    2        2
 *
 * RUNTIME is exposure. Names in small letters count gaps by cause, for causes
 * that occurred; DROPPED, gaps that found their ring full, appears where any did.
 */
void table_print(const struct record_cpu *cpus, size_t count, uint32_t *order, table_line *line,
		 void *ctx);

/*
 * The text line of one window of `of` (0: not known):
 * "  3/10  4 gaps in 1.00 s  max 152 us  noise 312 us  smi 2  nmi 0".
 */
void table_window(struct text *out, const struct record_window *w, uint64_t of);

/*
 * The plain sentence that says what stands between the probe and the machine:
 * whose the gaps are when a hypervisor is underneath (NULL or "": none).
 */
void table_ground(struct text *out, const char *hypervisor);

/* The share of time that was sampled: "watched 99.8125 % of the time, first to last window". */
void table_watched(struct text *out, const struct record_end *end);

/* The verdict line: "verdict: fail (max 152 us on cpu 1 is over the limit of 100 us)". */
void table_verdict(struct text *out, const struct record_end *end);

#endif
