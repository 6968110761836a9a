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

/* clang-format off */
#define FIELD(kind, member, text, ...)        { .help = text },
#define NAMED(kind, member, name, text, ...)  { .help = text },
#define METRIC(kind, member, of, text, ...)   { .family = of, .help = text },
#define INNER(kind, outer, member, text, ...) { .help = text },
#define OPEN(text)                            { .help = NULL },
#define CLOSE                                 { .help = NULL },

#define RECORD_ROWS_END { .help = NULL }
/* clang-format on */
