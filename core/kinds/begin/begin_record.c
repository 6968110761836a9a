/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `begin`: its rows, for the probe and for the documentation. */
#define THIS record_begin

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "begin_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind begin_record_kind = { "begin", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "begin_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc begin_record_doc = {
	RECORD_HELP("The machine, the clock and the configuration: the first record of a run."),
	docs,
};
