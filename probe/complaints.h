/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints, which are kept until there is a port to log them on. */
#pragma once

#include "core/config/config.h"

#include <stdbool.h>

#define COMPLAINTS_MAX 32

struct complaints {
	struct {
		const char *level;
		char text[CONFIG_COMPLAINT_MAX];
	} list[COMPLAINTS_MAX];
	unsigned count, lost; /* lost: complaints that did not fit */
};

/* Log the complaint if the report has a link; else keep it. */
void complaints_add(const char *level, const char *text);

/* Add a warning; `ctx` is not used. */
void complaints_warn(void *ctx, const char *text);

/* Log the kept complaints; with `console`, also print them on the firmware's console. */
void complaints_log(bool console);
