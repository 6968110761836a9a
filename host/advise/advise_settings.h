/* SPDX-License-Identifier: BSD-2-Clause */
/* Settings that cost time: one table, a row for each vendor's name of one; some are Linux's. */
#pragma once

#include "advise_evidence.h"

#include <stddef.h>

enum advise_sure {
	ADVISE_MAYBE,  /* the setting is known to cost what was seen; others are, too */
	ADVISE_LIKELY, /* what was seen is what the setting does */
	ADVISE_SURE,   /* it was measured with and without */
};

/* "sure" "likely" "maybe" */
const char *advise_sure_name(enum advise_sure sure);

#define ADVISE_CALLS    3
#define ADVISE_ROWS_MAX 64

/* A version of Linux, as 6.19; in rising order. */
#define ADVISE_KERNEL(major, minor) ((major) << 16 | (minor))

struct advise_setting {
	/* Rows of a topic are names for the same. A vendor's own replace the generic ones. */
	const char *topic;
	const char *vendor;     /* NULL: any, of those that have none of the topic */
	const char *menu;       /* as the menus have it */
	const char *attribute;  /* as Redfish does; NULL: not known */
	const char *to;         /* what to set it to */
	bool is_linux;          /* not of the BIOS: no dump has it, and the probe does not see it */
	const char *arch;       /* that the row is for, as in `begin`; NULL: any */
	unsigned since, before; /* kernels that the row is for; 0: not bounded */
	/* Any of these calls for it, the surest first; unused ones are at the end. */
	struct {
		enum advise_evidence_of evidence;
		enum advise_sure sure;
	} call[ADVISE_CALLS];
	unsigned calls;
	const char *effect, *cost, *source;
};

/* The n-th row; NULL past the last. */
const struct advise_setting *advise_setting_at(size_t n);
