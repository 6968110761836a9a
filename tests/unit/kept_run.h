/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run on the mocked platform, of which all is kept: lines for people, and the records of two
 * links, the first of which has at most 200 gaps of a stage.
 */
#pragma once

#include "tests/unit/kept_lines.h"
#include "tests/unit/kept_records.h"
#include "tests/unit/mock_platform.h"

#include <stdlib.h>

#ifndef LINKS /* a test may have another number */
#define LINKS 2
#endif

static struct config config;
static struct report report;
static struct run run;
static struct platform *platform;
static struct kept links[LINKS];

/* A run of so many cores by the default configuration. */
static inline void lay_run(uint32_t cores)
{
	static void *memory; /* no longer than needed: AddressSanitizer sees each access past it */

	memset(&report, 0, sizeof(report));
	memset(&run, 0, sizeof(run));
	forget_lines();
	copies.used = 0;
	config_defaults(&config);
	platform = mock_lay(cores);
	report.config = &config;
	report.platform = platform;
	report.line = keep_line;
	for (unsigned i = 0; i < LINKS; i++) {
		keep_nothing_yet(&links[i]);
		report_add_link(&report,
				(struct report_link){ .to = &links[i].link,
						      .gaps_default = i ? UINT64_MAX : 200 });
	}
	free(memory);
	memory = malloc(report_room(cores));
	assert_non_null(memory);
	report_lay(&report, memory, cores);
	run.config = &config;
	run.platform = platform;
	run.report = &report;
}
