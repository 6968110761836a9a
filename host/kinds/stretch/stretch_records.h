/* SPDX-License-Identifier: BSD-2-Clause */
/* Records of a stretch: one per core, kernel and phase. */
#pragma once

#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "core/config/config.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* True if both are of one kernel and phase. */
bool stretch_records_alike(const struct record_stretch *a, const struct record_stretch *b);

/* Histograms, the clock: host_kind.page. */
void stretch_page(FILE *f, const struct result *run, struct result_stage *stage,
		  const struct config *limits);
