/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that are read, a row each: which one a text is of is decided by content. */
#pragma once

#include "tool_format.h"

extern const struct tool_format *const tool_formats[];
extern const size_t tool_formats_count;
