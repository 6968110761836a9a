/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `survey`. */
#define RECORD_NAME survey
#define RECORD_ROWS "core/kinds/survey/survey_rows.h"
#define RECORD_ABOUT \
	"With `mode=survey`: a piece of what the machine is, as docs/hardware.md lists it."
#include "core/records/record_define.h"
