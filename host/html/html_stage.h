/* SPDX-License-Identifier: BSD-2-Clause */
/* One stage of a run on a report's page: cores, time, lengths, events, sources. */
#pragma once

#include "host/capture/run.h"

#include <stdio.h>

/* Of the run. */
void html_stage(FILE *f, const struct run *run, struct run_stage *stage);
