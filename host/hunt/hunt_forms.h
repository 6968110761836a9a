/* SPDX-License-Identifier: BSD-2-Clause */
/* What was found, to standard output: for people in 80 columns, or one document. */
#pragma once

#include "hunt_tests.h"

void hunt_print_text(const struct hunt *h, const struct hunt_tests *tests);
void hunt_print_json(const struct hunt *h, const struct hunt_tests *tests);
