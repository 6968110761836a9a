/* SPDX-License-Identifier: BSD-2-Clause */
/* What the parts of this folder ask of the records: each of a core, a kernel and a phase. */
#pragma once

#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "core/config/config.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Of one kernel and phase? */
bool stretch_records_alike(const struct record_stretch *a, const struct record_stretch *b);

/* By how many ticks the best is above the quickest; 0, where that is not known. */
double stretch_records_above_min(const struct record_stretch *r);

/* Are all quanta in the histogram, in buckets that rise? */
bool stretch_records_counted(const struct record_stretch *r);

/* Histograms, the clock: host_kind.page. */
void stretch_page(FILE *f, const struct result *run, struct result_stage *stage,
		  const struct config *limits);
