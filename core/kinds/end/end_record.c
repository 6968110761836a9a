/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `end`. */
#define RECORD_NAME  end
#define RECORD_ROWS  "core/kinds/end/end_rows.h"
#define RECORD_ABOUT "The verdict: the last record of a run."
#include "core/records/record_define.h"
