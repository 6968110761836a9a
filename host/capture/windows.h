/* SPDX-License-Identifier: BSD-2-Clause */
/* From window records to when the cores sampled. */
#pragma once

#include "run.h"

#include "core/gaps/exposure.h"

#include <stdbool.h>

/*
 * The windows of a stage. Where neighbours share a record, as in long runs, they are spread evenly.
 * False where the records are insufficient or contradict each other, and out->window is then NULL;
 * otherwise free it. The stage's windows are sorted.
 */
bool windows_of(struct run_stage *stage, struct exposure *out);
