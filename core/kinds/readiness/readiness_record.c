/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `readiness`: its rows, for the probe and for the documentation. */
#define THIS record_readiness

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "readiness_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind readiness_record_kind = { "readiness", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "readiness_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc readiness_record_doc = {
	RECORD_HELP("With `mode=survey`: a setting of the machine, and what a profile asks of it."),
	docs,
};
