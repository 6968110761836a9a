/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `window`. */
#define RECORD_NAME  window
#define RECORD_ROWS  "core/kinds/window/window_rows.h"
#define RECORD_ABOUT "A window has ended; in long runs, several neighbouring windows."
#include "core/records/record_define.h"
