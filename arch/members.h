/* SPDX-License-Identifier: BSD-2-Clause */
/* Cores that were started, and work when the boot core has work for them. */
#pragma once

#include "arch.h"

/* Before the first is started. *s stays. */
void members_init(const struct arch_setup *s);

/* Has core number i not answered yet? */
bool members_absent(uint32_t i);

/* A core of a machine of its own answers within microseconds, one in SMM within this time. A host
 * with other work to do may leave a core waiting for seconds. */
#define MEMBERS_SOON_MS 1000
#define MEMBERS_LATE_MS 10000

/* Wait until all have answered, for so long and a little more for each core: whether they have. */
bool members_answered(uint32_t wait_ms);

/* Report each that has not; `what` is what it did not answer. */
void members_complain(const char *what);

/* The calling core's whole life: it answers, and then works whenever arch_start() wants it. */
void members_serve(struct cpu *cpu) __attribute__((noreturn));
