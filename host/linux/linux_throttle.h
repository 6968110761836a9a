/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux lets real-time tasks have only part of each second (sched(7), "Limiting the CPU
 * usage of real-time and deadline processes"). That stays as it is; windows leave it the
 * room, so that what it holds back is no gap of our own making.
 */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>
#include <stdint.h>

struct linux_throttle {
	bool known;
	bool on;
	uint64_t runtime_ns, period_ns; /* so much of each, where it is on */
};

/* `root`: where /proc is ("": the machine's own). */
void linux_throttle_read(struct linux_throttle *t, const char *root);

/*
 * For threads by SCHED_FIFO: shorten the window where it is longer than they may run at a
 * stretch, and return how long to rest before each but the first, ns. One window for the
 * whole duration (`quiet`) stays what it is.
 */
uint64_t linux_throttle_plan(const struct linux_throttle *t, struct config *c);
