/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `readiness`. */
#define RECORD_NAME  readiness
#define RECORD_ROWS  "core/kinds/readiness/readiness_rows.h"
#define RECORD_ABOUT "With `mode=survey`: a setting of the machine, and what a profile asks of it."
#include "core/records/record_define.h"
