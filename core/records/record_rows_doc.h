/* SPDX-License-Identifier: BSD-2-Clause */
/* The macros of record_rows.h once more, for what only the documentation needs. */
#pragma once

#include "record_doc.h"
#include "record_rows.h"

#undef FIELD
#undef NAMED
#undef METRIC
#undef INNER
#undef OPEN
#undef CLOSE
#undef RECORD_ROWS_END

/*
 * The image has none of it: the linker keeps or drops all strings of an object as one, and those of
 * the rows are needed.
 */
#if __STDC_HOSTED__
#define RECORD_HELP(text) text
#else
#define RECORD_HELP(text) NULL
#endif

/* clang-format off */
#define FIELD(kind, member, text, ...)        { .help = RECORD_HELP(text) },
#define NAMED(kind, member, name, text, ...)  { .help = RECORD_HELP(text) },
#define METRIC(kind, member, of, text, ...) \
	{ .family = RECORD_HELP(of), .help = RECORD_HELP(text) },
#define INNER(kind, outer, member, text, ...) { .help = RECORD_HELP(text) },
#define OPEN(text)                            { .help = NULL },
#define CLOSE                                 { .help = NULL },

#define RECORD_ROWS_END { .help = NULL }
/* clang-format on */
