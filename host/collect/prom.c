/* SPDX-License-Identifier: BSD-2-Clause */
/* Families and samples, as text. */
#include "prom.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/ticks.h"

#include <inttypes.h>
#include <stdlib.h>

void prom_family(FILE *to, const char *name, const char *type, const char *help)
{
	fprintf(to, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

struct prom_sample prom_open(FILE *to, const char *name)
{
	fputs(name, to);
	return (struct prom_sample){ .to = to };
}

void prom_label(struct prom_sample *s, const char *name, const char *value)
{
	char *clean = memory_text(value ? value : "");

	fprintf(s->to, "%c%s=\"", s->labelled ? ',' : '{', name);
	s->labelled = true;
	text_sanitize(clean);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			fputc('\\', s->to);
		fputc(*at, s->to);
	}
	fputc('"', s->to);
	free(clean);
}

static void end_labels(struct prom_sample *s)
{
	fputs(s->labelled ? "} " : " ", s->to);
}

void prom_number(struct prom_sample *s, uint64_t value)
{
	end_labels(s);
	fprintf(s->to, "%" PRIu64 "\n", value);
}

void prom_seconds(struct prom_sample *s, uint64_t ns)
{
	end_labels(s);
	fprintf(s->to, "%.9f\n", (double)ns / NS_PER_S);
}
