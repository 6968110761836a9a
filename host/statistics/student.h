/* SPDX-License-Identifier: BSD-2-Clause */
/* Student's t; with 0 degrees of freedom, the normal distribution: the spread is known. */
#pragma once

#include <stddef.h>

/* Two-sided: the probability that |t| or more occurs; at least 1e-15. */
double student_chance(double t, size_t freedom);

/* What is exceeded, on one side, with probability `tail` (at least 1e-15, at most 0.5). */
double student_limit(double tail, size_t freedom);
