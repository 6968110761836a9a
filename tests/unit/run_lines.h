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

/* Members of every `begin`, besides the machine. */
#define RUN_BEGIN                                                                         \
	",\"cpu\":{\"family\":6,\"model\":1,\"stepping\":1}"                              \
	",\"cpus\":{\"found\":1,\"started\":1,\"measured\":1}"                            \
	",\"clock\":{\"hz\":1000000000,\"invariant\":true,\"quantum\":1},\"evidence\":[]" \
	",\"begin_tsc\":0"

/* The begin record of a machine with this UUID. */
static inline size_t run_begin(char *line, uint64_t sid, uint64_t seq, const char *uuid)
{
	char rest[600];

	snprintf(rest, sizeof(rest),
		 ",\"machine\":{\"uuid\":\"%s\",\"product\":\"Box\","
		 "\"bios_version\":\"1.2\"}" RUN_BEGIN,
		 uuid);
	return run_line(line, sid, seq, "begin", rest);
}

/* Begin, `gaps` gaps, end. */
static inline size_t run_lines(char *text, uint64_t sid, unsigned gaps, const char *uuid,
			       const char *verdict)
{
	size_t n = run_begin(text, sid, 0, uuid);
	char rest[200];

	for (unsigned i = 1; i <= gaps; i++)
		n += run_line(text + n, sid, i, "gap", "");
	snprintf(rest, sizeof(rest), ",\"verdict\":\"%s\",\"reasons\":[\"because\"]", verdict);
	return n + run_line(text + n, sid, gaps + 1, "end", rest);
}
