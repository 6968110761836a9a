/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures of a run to compare, from its file. */
#include "fleet_node.h"

#include "host/capture/capture.h"
#include "host/fleet/collect/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define CHUNK_BYTES 65536
#define NS_IN_HOUR  3600e9
#define MILLION     1e6

static const struct fleet_figure_kind kinds[FIGURES] = {
	[FIGURE_LONGEST] = { "longest_ns", "longest gap", "us", 1e-3 },
	[FIGURE_NOISE] = { "noise_ppm", "noise", "ppm", 1 },
	[FIGURE_SMI] = { "smi_per_hour", "SMIs", "an hour", 1 },
};

const struct fleet_figure_kind *fleet_figure_kind(enum fleet_figure figure)
{
	return &kinds[figure];
}

static void raise(struct fleet_node *n, enum fleet_figure figure, double value)
{
	n->known[figure] = true;
	if (value > n->figure[figure])
		n->figure[figure] = value;
}

static void add_cores(struct fleet_node *n, const struct run_stage *stage)
{
	double exposure_ns = 0, noise_ns = 0;

	for (size_t i = 0; i < stage->cpus; i++) {
		const struct record_cpu *cpu = &stage->cpu[i];

		exposure_ns += (double)cpu->exposure_ns;
		noise_ns += (double)cpu->noise_ns;
		raise(n, FIGURE_LONGEST, (double)cpu->max_ns);
		/* An SMI stops all cores: the core that counted most saw them all. */
		if (cpu->smi.known && cpu->exposure_ns)
			raise(n, FIGURE_SMI,
			      (double)cpu->smi.value * NS_IN_HOUR / (double)cpu->exposure_ns);
	}
	if (exposure_ns > 0)
		raise(n, FIGURE_NOISE, noise_ns * MILLION / exposure_ns);
}

static void add_sources(struct fleet_node *n, const struct run_stage *stage)
{
	for (size_t i = 0; i < stage->sources && n->sources < FLEET_SOURCES; i++) {
		const struct record_source *source = &stage->source[i];
		struct fleet_source *to = &n->source[n->sources++];

		to->period_ns = source->period_ns;
		snprintf(to->cause, sizeof(to->cause), "%s",
			 source->cause ? source->cause : "unknown");
	}
}

/* The figures of the last stage. */
static void add_run(struct fleet_node *n, const struct run *run)
{
	const struct run_stage *stage = &run->stage[run->stages - 1];

	n->measured = run->cpus > 0;
	snprintf(n->stage, sizeof(n->stage), "%s", stage->name);
	add_cores(n, stage);
	add_sources(n, stage);
}

static void leave_out(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static int feed(struct capture *c, int fd)
{
	static char chunk[CHUNK_BYTES];
	ssize_t count;

	while ((count = read(fd, chunk, sizeof(chunk))) != 0) {
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return errno;
		capture_feed(c, chunk, (size_t)count);
	}
	return 0;
}

int fleet_node_read(struct fleet_node *n, int dir)
{
	const struct capture_want want = { .keep = 1u << RECORD_CPU | 1u << RECORD_SOURCE,
					   .complain = leave_out };
	char name[STORE_NAME_MAX];
	struct capture c;
	int fd, error;

	store_name(name, n->run.sid);
	fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return errno;
	capture_begin(&c, name, &want);
	error = feed(&c, fd);
	capture_end(&c);
	for (size_t i = 0; i < c.runs; i++) {
		if (c.run[i]->sid == n->run.sid && c.run[i]->stages)
			add_run(n, c.run[i]);
	}
	capture_close(&c);
	close(fd);
	return error;
}
