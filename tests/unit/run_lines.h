/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a run as a collector's file has them. */
#pragma once

#include "core/lib/crc32c.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A record of this type, with `rest` between its header and its checksum; terminated. */
static inline size_t run_line(char *line, uint64_t sid, uint64_t seq, const char *type,
			      const char *rest)
{
	int n = sprintf(line, "{\"nf\":1,\"sid\":\"%016llx\",\"seq\":%llu,\"type\":\"%s\"%s",
			(unsigned long long)sid, (unsigned long long)seq, type, rest);

	n += sprintf(line + n, ",\"crc\":\"%08x\"}\n", crc32c(line, (size_t)n));
	return (size_t)n;
}

/* Begin, `gaps` gaps, end. */
static inline size_t run_lines(char *text, uint64_t sid, unsigned gaps, const char *uuid,
			       const char *verdict)
{
	char rest[200];
	size_t n;

	snprintf(rest, sizeof(rest),
		 ",\"machine\":{\"uuid\":\"%s\",\"product\":\"Box\",\"bios_version\":\"1.2\"}",
		 uuid);
	n = run_line(text, sid, 0, "begin", rest);
	for (unsigned i = 1; i <= gaps; i++)
		n += run_line(text + n, sid, i, "gap", "");
	snprintf(rest, sizeof(rest), ",\"verdict\":\"%s\",\"reasons\":[\"because\"]", verdict);
	return n + run_line(text + n, sid, gaps + 1, "end", rest);
}
