/* SPDX-License-Identifier: BSD-2-Clause */
/* One run on a report's page. */
#pragma once

#include "host/capture/run.h"
#include "host/compare/split.h"

#include "core/config/preset.h"

#include <stddef.h>
#include <stdio.h>

/* What other files add to the run. */
struct html_options {
	const struct preset *preset; /* to judge by; NULL: none */
	/* Comparisons of the run with what an OS measured on the same machine. */
	const struct split_result *split;
	size_t splits;
};

/* Write the run, with all records kept, as the page's next section. */
void html_run(FILE *f, const char *file, const struct run *run, const struct html_options *o);
