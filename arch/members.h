/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores that have answered; from then on each is in arch_serve(). */
#pragma once

#include "arch.h"

/* Call this before the first core is started. *s must remain valid. */
void members_init(const struct arch_setup *s);

/* The boot core is ours for good, and no other core has answered yet. */
void members_take_over(void);

/* True if core number i has not answered yet. */
bool members_absent(uint32_t i);

/*
 * A core answers within microseconds, a core in SMM within the first of these times. Both together
 * are the cost of cores that tables list but that do not exist, however many they are.
 */
#define MEMBERS_SOON_MS 400
#define MEMBERS_LATE_MS 1400

/*
 * Wait until all have answered, or none has for this time. Returns whether all have. Time in which
 * the calling core was stopped, for example by a busy host, does not count.
 */
bool members_answered(uint32_t quiet_ms);

/* Leave core number i out: from now on it is absent for good. False: it has just answered. */
bool members_leave_out(uint32_t i);

/*
 * Leave out and report each core that has not answered; `what` is the call that it did not answer.
 */
void members_complain(const char *what);
