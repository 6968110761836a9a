/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stretch`. */
#define RECORD_NAME stretch
#define RECORD_ROWS "core/kinds/stretch/stretch_rows.h"
#define RECORD_ABOUT                                                                    \
	"With `mode=stretch`: how much longer a quantum of work took than this core's " \
	"best of the kernel, in one phase."
#include "core/records/record_define.h"
