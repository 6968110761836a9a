/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `pause`: its rows, for the probe and for the documentation. */
#define THIS record_pause

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "pause_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind pause_record_kind = { "pause", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "pause_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc pause_record_doc = {
	RECORD_HELP("Time that the TSC did not count, or counted in excess."),
	docs,
};
