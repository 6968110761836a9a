/* SPDX-License-Identifier: BSD-2-Clause */
/* What a core counts beside exceptions. */
#pragma once

#include "pmu.h"
#include "stolen.h"

struct counters {
	struct pmu pmu;
	struct stolen stolen;
	/* The last reading. */
	struct pmu_now now;
	uint64_t stolen_now; /* ns */
};
