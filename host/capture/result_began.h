/* SPDX-License-Identifier: BSD-2-Clause */
/* When a run began, in wall time, and how long it took. */
#pragma once

#include "result.h"

#include <stdint.h>

/* As the begin record has it, ns since 1970; 0: it has no time, or the time's zone is not known. */
uint64_t result_began_ns(const struct result *run);

/* From the begin to the end of the last window, ns. */
uint64_t result_length_ns(const struct result *run);
