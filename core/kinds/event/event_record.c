/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `event`: its rows, for the probe and for the documentation. */
#define THIS record_event

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "event_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind event_record_kind = { "event", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "event_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc event_record_doc = {
	RECORD_HELP("Gaps of one or several cores that overlap, merged. `gaps` limits how many "
		    "there are."),
	docs,
};
