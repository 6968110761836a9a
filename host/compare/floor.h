/* SPDX-License-Identifier: BSD-2-Clause */
/* The floor that something is compared with: one stage of one run, and its gaps from a length on.
 */
#ifndef HOST_FLOOR_H
#define HOST_FLOOR_H

#include "host/capture/measured.h"
#include "host/lib/range.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

struct floor {
	const char *file;
	const struct measured_run *run;
	const struct measured_stage *stage;
	double burst; /* so many gaps of a core come as one event */
	size_t runs;  /* in the file; the last that has the stage is taken */
};

/*
 * Choose the stage of that name, or where NULL the last that an OS inherits from
 * (handoff, acpi, bare, firmware in this order). False when there is none: *why says
 * what there is.
 */
bool floor_choose(const struct measured *measured, const char *file, const char *stage,
		  struct floor *floor, struct text *why);

/* Gaps of one core, or of several together, of lengths in some range. */
struct floor_sum {
	double exposure_ns;
	struct range noise_ns; /* a bucket that an end of the range divides counts or not */
	double squares;        /* at most: sum of length^2 */
	uint64_t max_ns;       /* of all gaps */
	uint64_t cores;
};

/* Add what `core` has of gaps from `shortest` to `longest` ns. */
void floor_add(struct floor_sum *sum, const struct measured_core *core, uint64_t shortest,
	       uint64_t longest);

/*
 * What such gaps take in another exposure: sums of so many events of one size, as many as
 * have the same mean and variance (the scaled Poisson distribution: Bohm and Zech, Nucl.
 * Instr. Meth. A 748, 2014), `burst` gaps being one. The bounds hold what is measured
 * there with a probability of at least 95 %, so far as its gaps are of the floor's lengths:
 * Wilson and Hilferty's limits of the rate, and the distribution's own around these. With
 * few gaps of very different lengths it is less (simulated: 91 % for 20 lognormal ones of
 * sigma 1.5). Where the floor has no gap, up to 3 * exposure_ns / its own may come, each of
 * `longest` ns.
 */
struct floor_share {
	uint64_t expected_ns;
	struct range bounds_ns;
};

struct floor_share floor_expect(const struct floor_sum *sum, double burst, struct range exposure_ns,
				uint64_t longest);

#endif
