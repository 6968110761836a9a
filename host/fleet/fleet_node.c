/* SPDX-License-Identifier: BSD-2-Clause */
/* The records of cores and sources, added up while the file goes through the reader. */
#include "fleet_node.h"

#include "host/capture/reader.h"
#include "host/fleet/collect/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CHUNK_BYTES 65536
#define NS_IN_HOUR  3600e9
#define MILLION     1e6

static const struct figure_kind kinds[FIGURES] = {
	[FIGURE_LONGEST] = { "longest_ns", "longest gap", "us", 1e-3 },
	[FIGURE_NOISE] = { "noise_ppm", "noise", "ppm", 1 },
	[FIGURE_SMI] = { "smi_per_hour", "SMIs", "an hour", 1 },
};

const struct figure_kind *figure_kind(enum figure figure)
{
	return &kinds[figure];
}

/* Sums over the cores of one stage. */
struct sums {
	struct fleet_node *node;
	double exposure_ns, noise_ns;
};

/* A stage's first record: what was there is of the stage before. */
static void start_stage(struct sums *s, const char *stage)
{
	struct fleet_node *n = s->node;

	snprintf(n->stage, sizeof(n->stage), "%s", stage);
	n->sources = 0;
	memset(n->known, 0, sizeof(n->known));
	memset(n->figure, 0, sizeof(n->figure));
	s->exposure_ns = s->noise_ns = 0;
}

static void raise(struct fleet_node *n, enum figure figure, double value)
{
	n->known[figure] = true;
	if (value > n->figure[figure])
		n->figure[figure] = value;
}

static void add_core(struct sums *s, const struct record_cpu *cpu)
{
	struct fleet_node *n = s->node;

	if (strncmp(n->stage, cpu->stage, sizeof(n->stage) - 1) != 0)
		start_stage(s, cpu->stage);
	n->measured = true;
	s->exposure_ns += (double)cpu->exposure_ns;
	s->noise_ns += (double)cpu->noise_ns;
	raise(n, FIGURE_LONGEST, (double)cpu->max_ns);
	/* An SMI stops all cores: the core that counted most saw them all. */
	if (cpu->smi.known && cpu->exposure_ns)
		raise(n, FIGURE_SMI,
		      (double)cpu->smi.value * NS_IN_HOUR / (double)cpu->exposure_ns);
	n->known[FIGURE_NOISE] = s->exposure_ns > 0;
	if (s->exposure_ns > 0)
		n->figure[FIGURE_NOISE] = s->noise_ns * MILLION / s->exposure_ns;
}

static void add_source(struct sums *s, const struct record_source *source)
{
	struct fleet_node *n = s->node;

	if (strncmp(n->stage, source->stage, sizeof(n->stage) - 1) != 0)
		start_stage(s, source->stage);
	if (n->sources == FLEET_SOURCES)
		return;
	n->source[n->sources].period_ns = source->period_ns;
	snprintf(n->source[n->sources].cause, sizeof(n->source[0].cause), "%s",
		 source->cause ? source->cause : "unknown");
	n->sources++;
}

static void take_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)run;
	if (record->type == RECORD_CPU && record->record->cpu.stage)
		add_core(ctx, &record->record->cpu);
	else if (record->type == RECORD_SOURCE && record->record->source.stage)
		add_source(ctx, &record->record->source);
}

static void leave_out(void *ctx, uint64_t line, const char *text)
{
	(void)ctx, (void)line, (void)text;
}

static int feed(struct reader *r, int fd)
{
	static char chunk[CHUNK_BYTES];
	ssize_t count;

	while ((count = read(fd, chunk, sizeof(chunk))) != 0) {
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno;
		reader_feed(r, chunk, (size_t)count);
	}
	reader_finish(r);
	return 0;
}

int fleet_node_read(struct fleet_node *n, int dir)
{
	struct sums sums = { .node = n };
	const struct reader_hooks hooks = { .wanted = 1u << RECORD_CPU | 1u << RECORD_SOURCE,
					    .record = take_record,
					    .complain = leave_out,
					    .ctx = &sums };
	char name[STORE_NAME_MAX];
	struct reader *reader;
	int fd, error;

	store_name(name, n->run.sid);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno;
	reader = reader_new(&hooks);
	error = reader ? feed(reader, fd) : ENOMEM;
	reader_free(reader);
	close(fd);
	return error;
}
