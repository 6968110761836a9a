/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The configuration of `noisefloor measure`, and the windows that Linux has room for. Linux lets
 * real-time tasks have only part of each second (sched(7), "Limiting the CPU usage of real-time and
 * deadline processes"). That stays as it is; windows leave it the room, so that what it holds back
 * is no gap of our own making.
 */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Defaults, then each argument "key=value"; `services` implies the mode that calls them. Returns
 * the number of mistakes, each given to `complain`: besides those of config_apply(), a word without
 * a value.
 */
unsigned linux_options_read(struct config *c, char **args, int count, config_complaint *complain,
			    void *ctx);

/*
 * Check against the machine: `allowed` are the cores this process may use, all below
 * `found`. In c->cpus are then those to measure.
 */
unsigned linux_options_check(struct config *c, const struct cpulist *allowed, uint32_t found,
			     config_complaint *complain, void *ctx);

struct linux_throttle {
	bool known;
	bool on;
	uint64_t runtime_ns, period_ns; /* so much of each, where it is on */
};

/* `root`: where /proc is ("": the machine's own). */
void linux_throttle_read(struct linux_throttle *t, const char *root);

/*
 * For threads by SCHED_FIFO: shorten the window where it is longer than they may run at
 * one go, and return how long to rest before each but the first, ns. One window for the
 * whole duration (`quiet`) stays what it is.
 */
uint64_t linux_throttle_plan(const struct linux_throttle *t, struct config *c);
