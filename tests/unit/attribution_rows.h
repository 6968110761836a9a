/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the decision tables' rows, by number. */
#pragma once

#define ROW(name, ...) name,
static const char *const smm_row_names[] = {
#include "core/cause/attribution_smm_rows.h"
};

#define SMM_ROWS (sizeof(smm_row_names) / sizeof(smm_row_names[0]))
