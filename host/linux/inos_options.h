/* SPDX-License-Identifier: BSD-2-Clause */
/* What `noisefloor inos` is told: the probe's keys, and its own. */
#ifndef HOST_INOS_OPTIONS_H
#define HOST_INOS_OPTIONS_H

#include "core/config/config.h"

#include <stdbool.h>
#include <stdint.h>

/* Linux's own tracers that measure gaps, in the order in which they run. */
enum inos_tracer { TRACER_HWLAT, TRACER_OSNOISE, TRACERS };

/* "hwlat" "osnoise" */
const char *inos_tracer_name(enum inos_tracer tracer);

struct inos_options {
	struct config config;
	uint32_t tracers;  /* bits, 1 << enum inos_tracer */
	bool tracers_auto; /* those that are there: none was asked for by name */
};

/*
 * Defaults, then each argument "key=value". Returns the number of mistakes, each told
 * to `complain`: besides those of config_apply(), a word without a value, and a key
 * that means nothing under an OS.
 */
unsigned inos_options_read(struct inos_options *o, char **args, int count,
			   config_complaint *complain, void *ctx);

/*
 * Check against the machine: `allowed` are the cores this process may use, all below
 * `found`. In o->config.cpus are then those to measure.
 */
unsigned inos_options_check(struct inos_options *o, const struct cpulist *allowed, uint32_t found,
			    config_complaint *complain, void *ctx);

/* The configuration in force, without the keys that mean nothing here. */
void inos_options_print(const struct inos_options *o, struct text *out);

#endif
