/* SPDX-License-Identifier: BSD-2-Clause */
/* What each record type's folder, core/kinds/<type>/, brings along. */
#pragma once

#include "record_doc.h"
#include "record_field.h"

struct record_kind {
	const char *name; /* in records: "begin" */
	const struct record_field *fields;
};

/* For documentation: not in the image. */
struct record_kind_doc {
	const char *help; /* a sentence */
	const struct record_doc *docs;
};

#define RECORD_TYPE(id, name)                               \
	extern const struct record_kind name##_record_kind; \
	extern const struct record_kind_doc name##_record_doc;
#include "record_types.h"
