/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed, as text for people. */
#pragma once

#include "diff_compared.h"

/* Print to standard output. */
void diff_text(const struct diff_compared *c);
