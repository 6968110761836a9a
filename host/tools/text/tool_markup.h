/* SPDX-License-Identifier: BSD-2-Clause */
/* What programs for text and pages put into a line. */
#pragma once

#include <stddef.h>

/*
 * Undo it, in place: a page's entities, blanks that do not break, <br> at the end, and Markdown's
 * ** around the whole of a row, which may be quoted. How many bytes are left.
 */
size_t tool_markup_undo(char *line, size_t bytes);
