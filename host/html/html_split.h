/* SPDX-License-Identifier: BSD-2-Clause */
/* Floor versus OS on a report's page: bars, figures, and their reservations. */
#pragma once

#include "host/compare/split.h"

#include <stdio.h>

/* The comparisons of one run, one after another; nothing for none. */
void html_split(FILE *f, const struct split_result *split, size_t count);
