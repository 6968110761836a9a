/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a survey, put together from their pieces and inflated. */
#pragma once

#include "host/capture/result_stage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SURVEY_RECORDS_BYTES_MAX (1u << 20) /* of a part; a longer one is refused */

struct survey_records_part {
	const char *area, *name; /* of the record; "n/a" for NULL area */
	uint8_t *data;           /* NULL: it is damaged; else with a NUL behind it */
	size_t bytes;
	const char *problem; /* "a piece is missing"; NULL: none */
};

/* The next, in order of arrival, from *at = 0 on; false past the last. Free it. */
bool survey_records_next(const struct result_stage *stage, size_t *at,
			 struct survey_records_part *p);
void survey_records_free(struct survey_records_part *p);

/* Is it lines of printable text? */
bool survey_records_is_text(const struct survey_records_part *p);
