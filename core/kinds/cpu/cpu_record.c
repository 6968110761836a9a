/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `cpu`. */
#define RECORD_NAME  cpu
#define RECORD_ROWS  "core/kinds/cpu/cpu_rows.h"
#define RECORD_ABOUT "A core at the end of a stage."
#include "core/records/record_define.h"
