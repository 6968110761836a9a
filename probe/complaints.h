/* SPDX-License-Identifier: BSD-2-Clause */
/* Complaints: kept until there is a port to log them on. */
#pragma once

#include "core/config/config.h"
#include "core/report/report.h"

#include <stdbool.h>

#define COMPLAINTS_MAX 32

struct complaints {
	struct report *report; /* with a link it is open */
	struct {
		const char *level;
		char text[CONFIG_COMPLAINT_MAX];
	} list[COMPLAINTS_MAX];
	unsigned count, lost; /* lost: there was no room */
};

/* Log it when the report is open, keep it for later otherwise. */
void complaints_add(struct complaints *c, const char *level, const char *text);

/* The same for a warning; ctx is the struct complaints. */
void complaints_warn(void *ctx, const char *text);

/* Log what was kept; with `console` print it on the firmware's console as well. */
void complaints_log(const struct complaints *c, bool console);
