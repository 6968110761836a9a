/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What noisefloor's own records say about cores, without gaps and events: the sums,
 * counts and histograms per stage and core, whoever measured them.
 */
#ifndef HOST_MEASURED_H
#define HOST_MEASURED_H

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured_core {
	uint32_t cpu;
	uint64_t exposure_ns, noise_ns, max_ns, gaps, dropped;
	struct maybe smi, nmi;
	struct cause_sum cause[CAUSES];
	uint64_t (*pair)[2]; /* of the histogram: low end in ns, count */
	size_t pairs;
};

struct measured_stage {
	char name[32];
	struct measured_core *core;
	size_t cores;
	/* Over its windows: gaps, length, and gaps^2 by length, for how bursty gaps are. */
	uint64_t windows;
	double gaps, length_ns, squares;
	bool clock_wrong; /* there is a pause record */
};

struct measured_run {
	uint64_t sid;
	bool whole;   /* nothing is missing, by the word of its end record */
	bool has_end; /* it was not cut short */
	bool has_begin;
	uint64_t threshold_ns;
	char version[24];
	char machine[160]; /* vendor, product, board; "" where not told */
	char uuid[40];     /* of the machine; "" where not told, or nothing but zeros */
	char hypervisor[64];
	struct measured_stage *stage;
	size_t stages;
};

struct measured {
	struct measured_run *run;
	size_t runs;
};

struct measured_reader;

/* One sentence about a line of the capture. */
typedef void measured_complain(void *ctx, const char *file, uint64_t line, const char *text);

/* Ends the program when memory has run out, as all functions here do. */
struct measured_reader *measured_start(const char *file, measured_complain *complain, void *ctx);
void measured_feed(struct measured_reader *m, const char *bytes, size_t count);

/* The runs found, with at least one core's figures each; ends the reader. */
void measured_end(struct measured_reader *m, struct measured *out);

/* Read a whole file ("-": standard input). False, with a complaint, when it cannot be read. */
bool measured_read(const char *path, struct measured *out, measured_complain *complain, void *ctx);

void measured_free(struct measured *m);

const struct measured_stage *measured_stage(const struct measured_run *run, const char *name);
const struct measured_core *measured_core(const struct measured_stage *stage, uint32_t cpu);

/*
 * How many gaps of one core come as one event, at least 1: the index of dispersion
 * of the windows' mean counts per core (as the ladder has it); 1 where there are too
 * few windows to tell.
 */
double measured_burst(const struct measured_stage *stage);

#endif
