/* SPDX-License-Identifier: BSD-2-Clause */
/* The clock of a mocked core: tests/unit/whole/mocked_cores.c. */
#pragma once

#include <stdint.h>

/* Read the calling core's clock, which takes MOCKED_READ ticks. */
uint64_t clock_now(void);

/* Let the other cores go on for MOCKED_RELAX ticks. */
void clock_relax(void);
