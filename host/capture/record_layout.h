/* SPDX-License-Identifier: BSD-2-Clause */
/* What the decoder would ask of a type's field table with each line again. */
#pragma once

#include "json_scan.h"

#include "core/records/record_field.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_layout {
	bool has_pairs;
	size_t bytes;            /* of the type's struct */
	size_t fields;           /* that have a value */
	struct json_name name;   /* of the type */
	struct json_known typed; /* ,"type":"name" */
	struct {
		struct json_known name; /* ,"name": */
		uint8_t next;           /* the row that the writer puts behind it */
	} row[RECORD_FIELDS_MAX];
};

const struct record_layout *record_layout_of(enum record_type type);

/* Past a row, and past the object that it opens. */
const struct record_field *record_layout_skip(const struct record_field *f);
