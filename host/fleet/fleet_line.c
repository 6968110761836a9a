/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields between tabs: a hundred thousand of these are read at once. */
#define _GNU_SOURCE /* open_memstream, strsep */
#include "fleet_line.h"

#include "host/store/files.h"

#include "core/lib/text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNKNOWN "-"

static void put_figures(FILE *to, const struct figures *f)
{
	fprintf(to, "\t%" PRIu64 "\t%s", f->cores, f->stage);
	for (unsigned i = 0; i < FIGURES; i++) {
		if (f->known[i])
			fprintf(to, "\t%.17g", f->value[i]);
		else
			fputs("\t" UNKNOWN, to);
	}
	for (size_t i = 0; i < f->sources; i++)
		fprintf(to, "\t%" PRIu64 "\t%s", f->source[i].period_ns, f->source[i].cause);
}

/* No text of a summary has a tab. */
static char *print(const struct fleet_node *n)
{
	const struct summary *s = &n->run.summary;
	TEXT_DEFINE(config, 2 * SHA256_BYTES + 1);
	char *text = NULL;
	size_t bytes;
	FILE *to = open_memstream(&text, &bytes);

	if (!to)
		return NULL;
	text_hex(&config, n->config, SHA256_BYTES);
	fprintf(to, "%016" PRIx64 "\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%" PRIu64 "\t%" PRIu64 "\t%s",
		n->run.sid, s->uuid, s->product, s->bios, s->began, s->verdict, s->remark,
		s->mode ? s->mode->name : "", s->lines, s->lost, config.buf);
	put_figures(to, &n->of);
	if (fclose(to) == 0)
		return text;
	free(text);
	return NULL;
}

static bool is_small(int dir, uint64_t sid)
{
	char name[STORE_NAME_MAX];
	struct stat status;

	store_name(name, sid);
	return fstatat(dir, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode) &&
	       status.st_size <= FLEET_LINE_FILE_MAX;
}

char *fleet_line_make(int dir, const struct index_entry *e)
{
	struct folders_dir d = { .fd = dir };
	struct folders_part part = { .entry = *e };
	struct folders f = { .dir = &d, .dirs = 1, .part = &part, .parts = 1 };
	const struct folders_run run = { .entry = *e, .parts = 1 };
	struct fleet_node n = { .run = *e, .in = &run };
	struct fleet_services services = { .count = 0 };
	char *text;

	if (!is_small(dir, e->sid) || fleet_node_read(&n, &f, &services) != 0 || services.count)
		text = strdup("");
	else
		text = print(&n);
	free(services.at);
	return text;
}

/* The next field of the line; "" behind the last. */
static const char *next_field(char **line)
{
	const char *field = strsep(line, "\t\n");

	return field ? field : "";
}

static void take_text(char *to, size_t room, char **line)
{
	snprintf(to, room, "%s", next_field(line));
}

static uint64_t take_number(char **line)
{
	return strtoull(next_field(line), NULL, 10);
}

static void take_mode(struct summary *s, const char *name)
{
	for (unsigned n = 1; mode_at(n); n++)
		if (strcmp(name, mode_at(n)->name) == 0)
			s->mode = mode_at(n);
}

static void take_figures(struct figures *f, char **line)
{
	f->cores = take_number(line);
	take_text(f->stage, sizeof(f->stage), line);
	for (size_t i = 0; i < FIGURES; i++) {
		const char *value = next_field(line);

		f->known[i] = *value && strcmp(value, UNKNOWN) != 0;
		f->value[i] = f->known[i] ? strtod(value, NULL) : 0;
	}
	while (*line && **line && f->sources < FIGURES_SOURCES) {
		struct figures_source *to = &f->source[f->sources++];

		to->period_ns = take_number(line);
		take_text(to->cause, sizeof(to->cause), line);
	}
}

void fleet_line_read(char *line, struct fleet_node *n)
{
	struct summary *s = &n->run.summary;

	*n = (struct fleet_node){ .runs = 1, .run.summary.ended = true };
	n->run.sid = strtoull(next_field(&line), NULL, 16);
	take_text(s->uuid, sizeof(s->uuid), &line);
	take_text(s->product, sizeof(s->product), &line);
	take_text(s->bios, sizeof(s->bios), &line);
	take_text(s->began, sizeof(s->began), &line);
	take_text(s->verdict, sizeof(s->verdict), &line);
	take_text(s->remark, sizeof(s->remark), &line);
	take_mode(s, next_field(&line));
	s->lines = take_number(&line);
	s->lost = take_number(&line);
	text_unhex(next_field(&line), n->config, SHA256_BYTES);
	take_figures(&n->of, &line);
}
