/* SPDX-License-Identifier: BSD-2-Clause */
/* The configuration of `noisefloor inos`. */
#pragma once

#include "core/config/config.h"

#include <stdint.h>

/*
 * Defaults, then each argument "key=value". Returns the number of mistakes, each given to
 * `complain`: besides those of config_apply(), a word without a value.
 */
unsigned linux_options_read(struct config *c, char **args, int count, config_complaint *complain,
			    void *ctx);

/*
 * Check against the machine: `allowed` are the cores this process may use, all below
 * `found`. In c->cpus are then those to measure.
 */
unsigned linux_options_check(struct config *c, const struct cpulist *allowed, uint32_t found,
			     config_complaint *complain, void *ctx);
