/* SPDX-License-Identifier: BSD-2-Clause */
/* The meaning of the rows of records: for the host tool and its documentation, not in the image. */
#pragma once

#include "core/records/record_field.h"

struct record_doc {
	const char *family; /* Prometheus family, after noisefloor_ and before the unit; or NULL */
	const char *help;   /* a sentence; NULL: brackets around fields */
};

/* A row for each of record_fields(type). */
const struct record_doc *record_docs(enum record_type type);

/* A sentence. */
const char *record_type_help(enum record_type type);
