/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `source`. */
#define RECORD_NAME  source
#define RECORD_ROWS  "core/kinds/source/source_rows.h"
#define RECORD_ABOUT "Events that recur with a period."
#include "core/records/record_define.h"
