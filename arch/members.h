/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the other cores have answered; from then on they are in arch_serve(). */
#pragma once

#include "arch.h"

/* Before the first is started. *s stays. */
void members_init(const struct arch_setup *s);

/* The boot core is ours for good, and no other core has answered yet. */
void members_take_over(void);

/* Has core number i not answered yet? */
bool members_absent(uint32_t i);

/*
 * A core answers within microseconds, one in SMM within the first time. Both together are what
 * cores cost that tables list and no machine has, however many they are.
 */
#define MEMBERS_SOON_MS 400
#define MEMBERS_LATE_MS 1400

/*
 * Wait until all have answered, or none has for so long: whether all have. Time in which the
 * calling core was stopped, as by a host with other work to do, does not count.
 */
bool members_answered(uint32_t quiet_ms);

/* Leave core number i out: from now on it is absent for good. False: it has just answered. */
bool members_leave_out(uint32_t i);

/* Leave out and report each that has not answered; `what` is what it did not answer. */
void members_complain(const char *what);
