/* SPDX-License-Identifier: BSD-2-Clause */
/* Each verified record without what identifies the machine, with a checksum of its own. */
#include "show_form.h"

#include "host/capture/line.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "redact.h"

#include "core/lib/crc32c.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name;
static FILE *file;
static struct redact redact;
static uint64_t records;

bool show_share_create(const char *path)
{
	/* Not over a file that exists: it may be the capture. */
	file = fopen(path, "wx");
	if (!file)
		warn("show: --share %s", path);
	name = path;
	records = 0;
	return file;
}

static void write_line(const char *line, size_t bytes)
{
	char *text = NULL;
	size_t count = 0;
	FILE *to = memory_need(open_memstream(&text, &count));

	redact_record(&redact, line, bytes - LINE_CHECKSUM_BYTES, to);
	if (fclose(to) != 0)
		memory_exhausted();
	fprintf(file, "%s,\"crc\":\"%08" PRIx32 "\"}\n", text, crc32c(text, count));
	free(text);
	records++;
}

static void print_removed(void)
{
	const char *before = "";

	printf("removed: ");
	for (enum redact_kind kind = 0; kind < REDACT_KINDS; kind++) {
		if (!redact.places[kind])
			continue;
		printf("%s%s: %zu, in %" PRIu64 " places", before, redact_name(kind),
		       redact_values(&redact, kind), redact.places[kind]);
		before = "; ";
	}
	puts(*before ? "" : "nothing was found that had to be");
}

static int finish(void)
{
	if (fclose(file) != 0)
		err(EXIT_ERROR, "show: %s", name);
	printf("%s: %" PRIu64 " records\n", name, records);
	print_removed();
	puts("kept: machine, firmware, processor, clock, evidence, configuration, all results and "
	     "messages; read the file before you publish it");
	redact_free(&redact);
	return EXIT_PASS;
}

const struct show_form show_share_form = {
	.line = write_line,
	.finish = finish,
	.flaws_apart = true,
};
