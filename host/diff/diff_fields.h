/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between the subjects of two runs: machine, settings, configuration. */
#ifndef HOST_DIFF_FIELDS_H
#define HOST_DIFF_FIELDS_H

#include "host/capture/run.h"

#include <stddef.h>

#define DIFFERENCES_MAX 1000 /* more are ignored */

struct difference {
	char *name; /* "machine.bios_version", "config.threshold", "stage handoff.smi_enabled" */
	char *before, *after; /* "n/a" where absent */
};

struct differences {
	struct difference *at;
	size_t count;
};

/*
 * Compare begin and stage records, field by field along core/records/record_field.h. What always
 * differs between two runs of a machine is left out: times, and clock rates within 1000 ppm. Ends
 * the program when memory has run out.
 */
void differences_read(struct differences *d, const struct run *before, const struct run *after);
void differences_free(struct differences *d);

#endif
