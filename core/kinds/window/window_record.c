/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `window`: its rows, for the probe and for the documentation. */
#define THIS record_window

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "window_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind window_record_kind = { "window", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "window_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc window_record_doc = {
	RECORD_HELP("A window has ended; in long runs, several neighbouring windows."),
	docs,
};
