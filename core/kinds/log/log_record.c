/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `log`. */
#define RECORD_NAME  log
#define RECORD_ROWS  "core/kinds/log/log_rows.h"
#define RECORD_ABOUT "A message."
#include "core/records/record_define.h"
