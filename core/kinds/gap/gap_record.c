/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `gap`: its rows, for the probe and for the documentation. */
#define THIS record_gap

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "gap_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind gap_record_kind = { "gap", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "gap_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc gap_record_doc = {
	RECORD_HELP("A gap of one core. `gaps` limits how many there are."),
	docs,
};
