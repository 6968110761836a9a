/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `end`: its rows, for the probe and for the documentation. */
#define THIS record_end

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "end_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind end_record_kind = { "end", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "end_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc end_record_doc = {
	RECORD_HELP("The verdict: the last record of a run."),
	docs,
};
