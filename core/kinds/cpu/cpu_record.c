/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `cpu`: its rows, for the probe and for the documentation. */
#define THIS record_cpu

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "cpu_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind cpu_record_kind = { "cpu", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "cpu_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc cpu_record_doc = {
	RECORD_HELP("A core at the end of a stage."),
	docs,
};
