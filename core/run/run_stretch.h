/* SPDX-License-Identifier: BSD-2-Clause */
/* A stage in mode=stretch: kernel by kernel, turn by turn, slot by slot. */
#pragma once

#include "run.h"

/* Measure the stage whose state is *state, and report it; the platform has a struct stretch. */
void run_stretch(struct run *r, const struct record_stage *state);
