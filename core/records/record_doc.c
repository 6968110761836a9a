/* SPDX-License-Identifier: BSD-2-Clause */
/* The same rows as those of record_field.c: their help. */
#include "record_doc.h"

#include "record_kind.h"

static const struct record_kind_doc *const docs[RECORD_TYPES] = {
#define RECORD_TYPE(id, name) [RECORD_##id] = &name##_record_doc,
#include "record_types.h"
};

const struct record_doc *record_docs(enum record_type type)
{
	return docs[type]->docs;
}

const char *record_type_help(enum record_type type)
{
	return docs[type]->help;
}
