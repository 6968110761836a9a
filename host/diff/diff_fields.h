/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between the subjects of two runs: machine, settings, configuration. */
#pragma once

#include "host/capture/result.h"

#include <stddef.h>

#define DIFFERENCES_MAX 1000 /* more are ignored */

struct diff_field {
	char *name; /* "machine.bios_version", "config.threshold", "stage handoff.smi_enabled" */
	char *before, *after; /* "n/a" where absent */
};

struct diff_fields {
	struct diff_field *at;
	size_t count;
};

/*
 * Compare begin and stage records, field by field along core/records/record_field.h. What always
 * differs between two runs of a machine is left out: times, and clock rates within 1000 ppm. Ends
 * the program when memory has run out.
 */
void diff_fields_read(struct diff_fields *d, const struct result *before,
		      const struct result *after);
void diff_fields_free(struct diff_fields *d);
