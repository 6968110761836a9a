/* SPDX-License-Identifier: BSD-2-Clause */
/* What is proved on each core before anything is measured. */
#pragma once

#include "team.h"

/* Measure each core's TSC against the boot core's: fills tsc_offset and its bound. */
void selftest_offsets(struct team *team);

/* Send each core one NMI and see it counted: fills proved. */
void selftest_nmi(struct team *team);

/* Let each core be away from sampling for a known time and see it found: adds to proved. */
void selftest_delay(struct team *team);
