/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stage`: its rows, for the probe and for the documentation. */
#define THIS record_stage

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "stage_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind stage_record_kind = { "stage", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "stage_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc stage_record_doc = {
	RECORD_HELP("A stage begins: the state of the platform that it is measured in."),
	docs,
};
