/* SPDX-License-Identifier: BSD-2-Clause */
/* From what a kernel of mode=stretch measured to records and text. */
#pragma once

#include "stretch_kept.h"

#include "core/report/report.h"

/*
 * Past TABLE_ALL cores, text and links that have a limit on gaps get the TABLE_WORST worst of a
 * phase, by p99.9. whole: no turn is missing, and medians can be compared.
 */
void stretch_report(struct report *r, struct stretch_kept *s, enum config_kernel kernel,
		    bool whole);
