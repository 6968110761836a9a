/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `log`: its rows, for the probe and for the documentation. */
#define THIS record_log

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "log_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind log_record_kind = { "log", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "log_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc log_record_doc = {
	RECORD_HELP("A message."),
	docs,
};
