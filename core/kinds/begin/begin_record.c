/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `begin`. */
#define RECORD_NAME  begin
#define RECORD_ROWS  "core/kinds/begin/begin_rows.h"
#define RECORD_ABOUT "The machine, the clock and the configuration: the first record of a run."
#include "core/records/record_define.h"
