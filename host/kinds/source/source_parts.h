/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of the kind `source` that have files of their own. */
#pragma once

#include "host/diff/diff_kind.h"

/* Which are gone, which are new? */
extern const struct diff_kind source_diff;
