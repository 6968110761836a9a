/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `event`. */
#define RECORD_NAME event
#define RECORD_ROWS "core/kinds/event/event_rows.h"
#define RECORD_ABOUT                                                                 \
	"Gaps of one or several cores that overlap, merged. `gaps` limits how many " \
	"there are."
#include "core/records/record_define.h"
