/* SPDX-License-Identifier: BSD-2-Clause */
/* What the last page shows, as lines of text: for a console, where nothing can be painted. */
#pragma once

#include "screen.h"

void end_text_print(const struct record_begin *begin, const struct report *report,
		    const struct screen_end *end, lines_put *line, void *ctx);
