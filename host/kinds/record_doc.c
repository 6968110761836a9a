/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of core/records/record_field.c again, with their help. */
#include "record_doc.h"

/* clang-format off */
#define RECORD(id, name, about)                 static const struct record_doc name##_docs[] = {
#define RECORD_END(name)                        { .help = NULL } };
#define FIELD(kind, member, text, ...)          { .help = text },
#define NAMED(kind, member, name, text, ...)    { .help = text },
#define METRIC(kind, member, of, text, ...)     { .family = of, .help = text },
#define INNER(kind, outer, member, text, ...)   { .help = text },
#define OPEN(member)                            { .help = NULL },
#define CLOSE(member)                           { .help = NULL },
#include "core/records/record_table.h"
/* clang-format on */

static const struct {
	const char *help;
	const struct record_doc *docs;
} types[RECORD_TYPES] = {
#define RECORD(id, name, about) [RECORD_##id] = { about, name##_docs },
#include "core/records/record_table.h"
};

const struct record_doc *record_docs(enum record_type type)
{
	return types[type].docs;
}

const char *record_type_help(enum record_type type)
{
	return types[type].help;
}
