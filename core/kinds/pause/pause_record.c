/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `pause`. */
#define RECORD_NAME  pause
#define RECORD_ROWS  "core/kinds/pause/pause_rows.h"
#define RECORD_ABOUT "Time that the TSC did not count, or counted in excess."
#include "core/records/record_define.h"
