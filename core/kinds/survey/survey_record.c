/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `survey`: its rows, for the probe and for the documentation. */
#define THIS record_survey

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "survey_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind survey_record_kind = { "survey", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "survey_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc survey_record_doc = {
	RECORD_HELP("With `mode=survey`: a piece of what the machine is, as docs/hardware.md lists "
		    "it."),
	docs,
};
