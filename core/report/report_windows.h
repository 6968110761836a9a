/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the report that knows the windows; report_window() is in report.h. */
#pragma once

#include "report.h"

/* The stage's windows to every link that does not have them yet, and to the ladder. */
void report_windows(struct report *r);

/* Those of the current stage, to one link. */
void report_windows_so_far(const struct report *r, struct record_link *to);
