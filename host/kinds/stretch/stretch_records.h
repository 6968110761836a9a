/* SPDX-License-Identifier: BSD-2-Clause */
/* The stretch records of a stage: each of a core, a kernel and a phase, none twice. */
#pragma once

#include "host/capture/result_stage.h"

#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Of one kernel and phase? */
bool stretch_records_alike(const struct record_stretch *a, const struct record_stretch *b);

/* By how many ticks the best is above the quickest; 0, where that is not known. */
double stretch_records_above_min(const struct record_stretch *r);

/* Are all quanta in the histogram, in buckets that rise? */
bool stretch_records_counted(const struct record_stretch *r);
