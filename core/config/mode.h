/* SPDX-License-Identifier: BSD-2-Clause */
/* Modes, chosen by `mode`: one struct each, in the folder of the mode. */
#pragma once

#include "config.h"

struct record_stage; /* core/records/record.h */
struct run;          /* core/run/run.h */

struct mode {
	const char *name;            /* value of `mode` */
	const char *needs;           /* "firmware to ask": what a machine may lack; NULL: nothing */
	bool keeps_gaps;             /* one by one, in rings */
	bool works;                  /* the cores do fixed work: `kernel` */
	uint32_t kept, kept_of_core; /* bytes, if they work: for all, and per core */
	bool calls;                  /* services of firmware: `services` */
	/*
	 * The mode reads the machine as the firmware left it: nothing is armed, tried or taken
	 * over.
	 */
	bool reads;
	/* Measure a stage, and report it from its begin to its end; *state is its record. */
	void (*measure)(struct run *r, const struct record_stage *state);
};

#define MODE(id, name) extern const struct mode mode_##name;
#include "mode_rows.h"

/* The mode of a configuration. */
const struct mode *mode_of(const struct config *c);

/* The mode of a number, enum config_mode; NULL past the last. */
const struct mode *mode_at(unsigned n);
