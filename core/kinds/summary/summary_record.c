/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `summary`. */
#define RECORD_NAME summary
#define RECORD_ROWS "core/kinds/summary/summary_rows.h"
#define RECORD_ABOUT                                                                 \
	"The run in one record, right before `end`; the code on the screen has the " \
	"same."
#include "core/records/record_define.h"
