/* SPDX-License-Identifier: BSD-2-Clause */
/* What was found, to standard output: for people in 80 columns, or one document. */
#pragma once

#include "hunt_plan.h"
#include "hunt_tests.h"

/* `plan`, of 0 runs if none is wanted, takes the place of the next run. */
void hunt_print_text(const struct hunt *h, const struct hunt_tests *tests,
		     const struct hunt_plan *plan);
void hunt_print_json(const struct hunt *h, const struct hunt_tests *tests,
		     const struct hunt_plan *plan);
