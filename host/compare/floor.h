/* SPDX-License-Identifier: BSD-2-Clause */
/* The floor that something is compared with: one stage of one run, and its gaps from a length on.
 */
#pragma once

#include "host/capture/result.h"
#include "host/lib/range.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

struct capture;

struct floor {
	const char *file;
	const struct result *run;
	const struct result_stage *stage;
	const struct result_stage *calls; /* stage with services; NULL: the file has none */
	char stage_name[32];              /* without terminal control characters */
	struct result_identity of;
	uint64_t threshold_ns;
	bool clock_wrong; /* there is a pause record of the stage */
	double burst;     /* gaps of a core per event */
	size_t runs;      /* in the file; the last that has the stage is used */
};

/* Records of a capture that a floor needs. */
#define FLOOR_KEEP                                                                         \
	(RESULT_HISTOGRAMS | 1u << RECORD_BEGIN | 1u << RECORD_CPU | 1u << RECORD_WINDOW | \
	 1u << RECORD_PAUSE | 1u << RECORD_SERVICE)

/*
 * Choose the stage of that name; for NULL, the last whose state an OS inherits: the first that is
 * there of linux, handoff, acpi, bare and firmware. False if there is none; standard error then
 * names those that are there. A stage whose services were called is chosen in the same way, of
 * whatever run; if there is nothing else, it is the stage itself. The floor lives as long as the
 * capture.
 */
bool floor_choose(const struct capture *capture, const char *stage, struct floor *floor);

/*
 * Number of gaps of one core that come as one event, at least 1, by the windows
 * (host/capture/result.h); 1 if there are too few windows to estimate it.
 */
double floor_burst(const struct result_stage *stage);

/* Gaps of one core, or of several together, of lengths in some range. */
struct floor_sum {
	double exposure_ns;
	struct range noise_ns; /* a bucket that lies across an end of the range may count or not */
	double squares;        /* at most: sum of length^2 */
	uint64_t max_ns;       /* longest of all gaps */
	uint64_t cores;
};

/*
 * Add the core's gaps from `shortest` to `longest` ns; none if `longest` is less than `shortest`.
 */
void floor_add(struct floor_sum *sum, const struct record_cpu *cpu, uint64_t shortest,
	       uint64_t longest);

/*
 * The time such gaps take in another exposure: modelled as a sum of events of one size, with the
 * same mean and variance (the scaled Poisson distribution: Bohm and Zech, Nucl. Instr. Meth. A 748,
 * 2014), `burst` gaps being one event. The value is what is expected; the bounds hold what is
 * measured there with a probability of at least 95 %, as far as its gaps have the floor's lengths:
 * Garwood's limits of the rate, and the distribution's own around these. With few gaps
 * of very different lengths the probability is lower (simulated: 91 % for 20 lognormal ones of
 * sigma 1.5). If the floor has no gap, up to 3 * exposure_ns / its own may occur, each of `longest`
 * ns.
 */
struct range floor_expect(const struct floor_sum *sum, double burst, struct range exposure_ns,
			  uint64_t longest);
