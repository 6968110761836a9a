/* SPDX-License-Identifier: BSD-2-Clause */
/* One run on a report's page. */
#ifndef HOST_PAGE_RUN_H
#define HOST_PAGE_RUN_H

#include "host/capture/run.h"
#include "host/compare/split.h"

#include "core/config/preset.h"

#include <stddef.h>
#include <stdio.h>

/* What other files add to the run. */
struct page_options {
	const struct preset *preset; /* to judge by; NULL: none */
	/* Comparisons of the run with what an OS measured on the same machine. */
	const struct split *split;
	size_t splits;
};

/* Write the run, with all records kept, as the page's next section. */
void page_run(FILE *f, const char *file, const struct run *run, const struct page_options *o);

#endif
