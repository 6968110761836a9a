/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the decision tables' rows, by number. */
#pragma once

#define ROW(name, ...) name,
__attribute__((unused)) static const char *const smm_row_names[] = {
#include "arch/x86_64/counters/attribution_smm_rows.h"
};

#define ROW(name, ...) name,
__attribute__((unused)) static const char *const levels_row_names[] = {
#include "arch/aarch64/counters/attribution_levels_rows.h"
};

#define LEVELS_ROWS (sizeof(levels_row_names) / sizeof(levels_row_names[0]))
#define SMM_ROWS    (sizeof(smm_row_names) / sizeof(smm_row_names[0]))
