/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the kind `stretch` that have files of their own. */
#pragma once

#include "host/capture/result.h"
#include "host/diff/diff.h"
#include "host/kinds/host_kind.h"

#include "core/config/config.h"

#include <stdbool.h>
#include <stdio.h>

/* Tables, histograms, the clock: host_kind.page. */
void stretch_page(FILE *f, const struct result *run, struct result_stage *stage,
		  const struct config *limits);

/*
 * Each core's clock over time in this phase, and when throttling was logged. False, and nothing is
 * drawn: no clock is known.
 */
bool stretch_course(FILE *f, const struct result_stage *stage, const char *phase);

/* Has a quantum's time changed? */
host_kind_diff stretch_diff;
