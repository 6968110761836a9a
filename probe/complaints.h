/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints, which are kept until there is a port to log them on. */
#pragma once

#include "core/config/config.h"
#include "core/report/report.h"

#include <stdbool.h>

#define COMPLAINTS_MAX 32

struct complaints {
	struct report *report; /* open once it has a link */
	struct {
		const char *level;
		char text[CONFIG_COMPLAINT_MAX];
	} list[COMPLAINTS_MAX];
	unsigned count, lost; /* lost: complaints that did not fit */
};

/* Log the complaint if the report is open; else keep it. */
void complaints_add(struct complaints *c, const char *level, const char *text);

/* Add a warning. `ctx` is the struct complaints. */
void complaints_warn(void *ctx, const char *text);

/* Log the kept complaints; with `console`, also print them on the firmware's console. */
void complaints_log(const struct complaints *c, bool console);
