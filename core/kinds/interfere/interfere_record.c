/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `interfere`: its rows, for the probe and for the documentation. */
#define THIS record_interfere

#include "core/records/record_kind.h"
#include "core/records/record_rows.h"

static const struct record_field fields[] = {
#include "interfere_rows.h"
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind interfere_record_kind = { "interfere", fields };

#include "core/records/record_rows_doc.h"

static const struct record_doc docs[] = {
#include "interfere_rows.h"
	RECORD_ROWS_END
};

const struct record_kind_doc interfere_record_doc = {
	RECORD_HELP("With `mode=stretch`: what a core at work does to another."),
	docs,
};
