/* SPDX-License-Identifier: BSD-2-Clause */
/* The part of the kind `service` that has a file of its own. */
#pragma once

#include "host/diff/diff_kind.h"

/* Does a call take longer, or stop others that it did not? */
extern const struct diff_kind service_diff;
