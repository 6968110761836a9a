/* SPDX-License-Identifier: BSD-2-Clause */
/* Checks on each core before anything is measured. */
#pragma once

#include "team.h"

/* Measure each core's TSC against the boot core's: fills tsc_offset and its bound. */
void selftest_offsets(struct team *team);

/* Send each core one NMI, and check that it is counted: fills `proved`. */
void selftest_nmi(struct team *team);

/*
 * Interrupt sampling on each core for a known time, and check that it is found: adds to `proved`.
 */
void selftest_delay(struct team *team);
