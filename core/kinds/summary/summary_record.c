/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `summary`: its rows, for the probe and for the documentation. */
#define THIS record_summary

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "summary_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind summary_record_kind = { "summary", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "summary_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc summary_record_doc = {
	RECORD_HELP(
		"The run in one record, right before `end`; the code on the screen has the same."),
	docs,
};
