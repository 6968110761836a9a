/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `source`: its rows, for the probe and for the documentation. */
#define THIS record_source

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "source_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind source_record_kind = { "source", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "source_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc source_record_doc = {
	RECORD_HELP("Events that recur with a period."),
	docs,
};
