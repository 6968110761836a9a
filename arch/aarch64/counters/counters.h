/* SPDX-License-Identifier: BSD-2-Clause */
/* What a core counts beside exceptions. */
#pragma once

#include "pmu.h"
#include "stolen.h"

struct counters {
	struct pmu pmu; /* the first: pmu_regs.c */
	struct stolen stolen;
};
