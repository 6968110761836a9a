/* SPDX-License-Identifier: BSD-2-Clause */
/* Of what the index prints of a machine, how far its runs are forwarded. */
#pragma once

#include <string.h>

#define FORWARD_LINE "forward "

/* Leave these lines, without the word they begin with. */
static inline char *forward_lines(char *text)
{
	char *to = text;

	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *from = line + strlen(FORWARD_LINE);

		if (strncmp(line, FORWARD_LINE, strlen(FORWARD_LINE)) != 0)
			continue;
		memmove(to, from, (size_t)(end + 1 - from));
		to += end + 1 - from;
	}
	*to = '\0';
	return text;
}
