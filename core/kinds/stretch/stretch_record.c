/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stretch`: its rows, for the probe and for the documentation. */
#define THIS record_stretch

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "stretch_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind stretch_record_kind = { "stretch", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "stretch_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc stretch_record_doc = {
	RECORD_HELP("With `mode=stretch`: how much longer a quantum of work took than this core's "
		    "best of the "
		    "kernel, in one phase."),
	docs,
};
