/* SPDX-License-Identifier: BSD-2-Clause */
/* The same rows as those of record_field.c: their last columns. */
#include "record_doc.h"

/* clang-format off */
#define ROW(kind, member, name, key, role, total, unit, label, if_any, series, ...) { __VA_ARGS__ },
#define OPEN(name)        { .help = NULL },
#define CLOSE             { .help = NULL },
#define RECORD(type, ...) static const struct record_doc type##_docs[] = {
#define END               { .help = NULL } };
/* clang-format on */
#include "record_rows.h"

/* clang-format off */
#define ROW(...)
#define OPEN(name)
#define CLOSE
#define RECORD(type, help) help,
#define END
static const char *const type_help[RECORD_TYPES] = {
#include "record_rows.h"
};
/* clang-format on */

static const struct record_doc *const docs_of[RECORD_TYPES] = {
	[RECORD_BEGIN] = begin_docs,     [RECORD_STAGE] = stage_docs,
	[RECORD_WINDOW] = window_docs,   [RECORD_GAP] = gap_docs,
	[RECORD_EVENT] = event_docs,     [RECORD_CPU] = cpu_docs,
	[RECORD_SOURCE] = source_docs,   [RECORD_PAUSE] = pause_docs,
	[RECORD_LOG] = log_docs,         [RECORD_END] = end_docs,
	[RECORD_STRETCH] = stretch_docs, [RECORD_INTERFERE] = interfere_docs,
	[RECORD_SUMMARY] = summary_docs,
};

const struct record_doc *record_docs(enum record_type type)
{
	return docs_of[type];
}

const char *record_type_help(enum record_type type)
{
	return type_help[type];
}
