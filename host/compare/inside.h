/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files that have an OS's measurements: outputs of tools (host/tools) and noisefloor's own records
 * (host/capture), one behind the other or among each other. Runs of both are one list, in the order
 * of the files and of their lines.
 */
#pragma once

#include "host/tools/tool.h"

#include <stdbool.h>
#include <stddef.h>

struct capture;

struct inside {
	struct tool_list runs;
	struct capture **capture; /* noisefloor's own records in each file */
	size_t captures;
	bool any_stage; /* asked for: also own runs that were not measured from inside an OS */
};

/*
 * Read a file ("-": standard input) and append its runs. What is wrong with it is reported to
 * `complain`. Ends the program when memory has run out.
 */
void inside_read(struct inside *inside, const char *path, tool_complain *complain, void *ctx);

/* inside_read() for a file's bytes as they arrive. */
struct inside_reader *inside_begin(struct inside *inside, const char *name, tool_complain *complain,
				   void *ctx);
void inside_feed(struct inside_reader *r, const char *bytes, size_t count);
void inside_end(struct inside_reader *r);

void inside_free(struct inside *inside);
