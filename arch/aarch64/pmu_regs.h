/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling core's own registers of the performance monitors, which are a struct counters'. */
#pragma once

#include "pmu.h"

extern const struct pmu_regs pmu_regs_real;
