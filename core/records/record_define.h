/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Defines a record type: the last include of core/kinds/<type>/<type>_record.c, after
 *
 *	#define RECORD_NAME  cpu
 *	#define RECORD_ROWS  "core/kinds/cpu/cpu_rows.h"
 *	#define RECORD_ABOUT "A core at the end of a stage."
 *	#define RECORD_PARTS .text = put_text
 *
 * RECORD_PARTS is what else struct record_kind has of it, if anything.
 * No include guard.
 */
#ifdef RECORD_NAME

#include "record_kind.h"
#include "record_rows.h"

#define RECORD_PASTE(a, b)  a##b
#define RECORD_JOIN(a, b)   RECORD_PASTE(a, b)
#define RECORD_QUOTE(name)  #name
#define RECORD_STRING(name) RECORD_QUOTE(name)

#define THIS RECORD_JOIN(record_, RECORD_NAME)

#ifndef RECORD_PARTS
#define RECORD_PARTS
#endif

static const struct record_field fields[] = {
#include RECORD_ROWS
	RECORD_ROWS_END
};

RECORD_ROWS_FIT(fields);

const struct record_kind RECORD_JOIN(RECORD_NAME, _record_kind) = {
	.name = RECORD_STRING(RECORD_NAME), .fields = fields, RECORD_PARTS
};

#include "record_rows_doc.h"

static const struct record_doc docs[] = {
#include RECORD_ROWS
	RECORD_ROWS_END
};

const struct record_kind_doc RECORD_JOIN(RECORD_NAME, _record_doc) = {
	RECORD_HELP(RECORD_ABOUT),
	docs,
};

#undef RECORD_NAME
#endif
