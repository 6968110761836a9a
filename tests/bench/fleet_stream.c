/* SPDX-License-Identifier: BSD-2-Clause */
/* A begin, a stage, gaps with the windows and events among them, cores, a source, an end. */
#include "tests/bench/fleet_stream.h"

#include "core/lib/splitmix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STAGE "handoff"
#define HZ    UINT64_C(2400000000)
#define S     UINT64_C(1000000000)

/* Ten records of the middle: the first is a window, the second an event, the others are gaps. */
#define PER_WINDOW 10

uint64_t fleet_sid(uint32_t node)
{
	uint64_t seed = node;

	return splitmix_next(&seed);
}

void fleet_uuid(uint32_t node, char uuid[FLEET_UUID_MAX])
{
	snprintf(uuid, FLEET_UUID_MAX, "%08" PRIx32 "-0000-4000-8000-%012" PRIx64, node,
		 fleet_sid(node) >> 16);
}

static void keep_line(struct record_link *link, const char *line, size_t bytes)
{
	struct fleet_stream *s = (struct fleet_stream *)link;

	/* Each record is short enough for one line: a node's lines can be counted beforehand. */
	if (s->bytes) {
		fputs("fleet: a record of two lines\n", stderr);
		abort();
	}
	memcpy(s->out, line, bytes);
	s->bytes = bytes;
}

void fleet_stream_start(struct fleet_stream *s, uint32_t node, const struct fleet_options *o)
{
	*s = (struct fleet_stream){ .link = { .write = keep_line, .sid = fleet_sid(node) },
				    .node = node,
				    .gaps = o->gaps,
				    .random = fleet_sid(node) };
	for (uint32_t n = 0; n < FLEET_CORES; n++)
		s->cpu[n] = (struct record_cpu){ .stage = STAGE,
						 .cpu = n,
						 .apic_id = n,
						 .proved = "nmi, delay",
						 .smi = { 0, true },
						 .nmi = { 0, true },
						 .mce = { 0, true } };
}

static uint64_t next_random(struct fleet_stream *s)
{
	return splitmix_next(&s->random);
}

static void send_begin(struct fleet_stream *s)
{
	static const char *const product[] = { "Anvil 9000", "Anvil 9100", "Hammer 1U" };
	char uuid[FLEET_UUID_MAX];
	const struct record_begin begin = {
		.version = "0.1.0",
		.machine = { .vendor = "Acme",
			     .product = product[s->node % 3],
			     .board = "X1",
			     .bios_vendor = "Acme",
			     .bios_version = "1.2",
			     .bios_date = "01/02/2024",
			     .uuid = uuid },
		.cpu = { .vendor = "GenuineIntel", .brand = "Fast 2", .family = 6, .model = 85 },
		.cpus = { FLEET_CORES, FLEET_CORES, FLEET_CORES, "0-1", { 0, false } },
		.clock = { .hz = HZ,
			   .source = "cpuid15",
			   .invariant = true,
			   .quantum = { 2, true } },
		.evidence = { "smi", "nmi", "mce" },
		.config = "duration=60s window=1s threshold=1us gaps=all report=udp://collector",
	};

	fleet_uuid(s->node, uuid);
	record_send(&s->link, RECORD_BEGIN, &begin);
}

static void send_stage(struct fleet_stream *s)
{
	const struct record_stage stage = { .stage = STAGE,
					    .sci_en = { 1, true },
					    .usb_owner = "os",
					    .usb = "xhci 0000:00:14.0 os" };

	record_send(&s->link, RECORD_STAGE, &stage);
}

static void send_window(struct fleet_stream *s, uint32_t n)
{
	const struct record_window window = { .stage = STAGE,
					      .n = n + 1,
					      .windows = 1,
					      .start_ns = n * S,
					      .len_ns = S,
					      .gaps = PER_WINDOW - 2,
					      .noise_ns = next_random(s) % 100000,
					      .max_ns = next_random(s) % 30000,
					      .smi = { 0, true },
					      .nmi = { 0, true } };

	record_send(&s->link, RECORD_WINDOW, &window);
}

static void send_event(struct fleet_stream *s)
{
	const struct record_event event = { .stage = STAGE,
					    .of = s->gaps / PER_WINDOW,
					    .t_ns = s->clock_ns,
					    .len_ns = 1000 + next_random(s) % 29000,
					    .gaps = FLEET_CORES,
					    .cpus = FLEET_CORES,
					    .list = "0-1",
					    .last = 1,
					    .skew_ns = next_random(s) % 200,
					    .cause = "unknown",
					    .scope = "machine" };

	record_send(&s->link, RECORD_EVENT, &event);
}

static void send_gap(struct fleet_stream *s)
{
	uint64_t random = next_random(s), len_ns = 1000 + random % 29000;
	struct record_cpu *cpu = &s->cpu[random >> 32 & 1];
	const struct record_gap gap = {
		.stage = STAGE,
		.cpu = cpu->cpu,
		.start_tsc = 5 * HZ + s->clock_ns * 12 / 5,
		.ticks = len_ns * 12 / 5,
		.t_ns = s->clock_ns,
		.len_ns = len_ns,
		.cause = "unknown",
		.smi = { 0, true },
		.nmi = { 0, true },
		.mce = { 0, true },
		.why = "unknown: no counter moved, missing: steal clock",
	};

	record_send(&s->link, RECORD_GAP, &gap);
	s->clock_ns += random >> 40;
	cpu->gaps++;
	cpu->noise_ns += len_ns;
	cpu->cause[CAUSE_UNKNOWN].gaps++;
	cpu->cause[CAUSE_UNKNOWN].ns += len_ns;
	cpu->max_ns = len_ns > cpu->max_ns ? len_ns : cpu->max_ns;
}

static void send_middle(struct fleet_stream *s, uint32_t n)
{
	if (n % PER_WINDOW == 0)
		send_window(s, n / PER_WINDOW);
	else if (n % PER_WINDOW == 1)
		send_event(s);
	else
		send_gap(s);
}

static void send_source(struct fleet_stream *s)
{
	const struct record_source source = { .stage = STAGE,
					      .cause = "unknown",
					      .period_ns = 64000000 + next_random(s) % 1000,
					      .jitter_ns = 500,
					      .fill_ppm = 990000,
					      .events = 60,
					      .chance_milli = -40000 };

	record_send(&s->link, RECORD_SOURCE, &source);
}

static void send_core(struct fleet_stream *s, uint32_t n)
{
	const uint64_t pair[1][2] = { { 1000, s->cpu[n].gaps } };

	s->cpu[n].exposure_ns = (s->gaps / PER_WINDOW + 1) * S;
	s->cpu[n].histogram = (struct record_pairs){ pair, 1 };
	record_send(&s->link, RECORD_CPU, &s->cpu[n]);
}

static void send_end(struct fleet_stream *s)
{
	const struct record_end end = { .verdict = "pass", .watched_ppm = { 990000, true } };

	record_send(&s->link, RECORD_END, &end);
}

size_t fleet_stream_next(struct fleet_stream *s, char *line)
{
	uint32_t n = s->at++;

	s->out = line;
	s->bytes = 0;
	if (n == 0)
		send_begin(s);
	else if (n == 1)
		send_stage(s);
	else if (n - 2 < s->gaps)
		send_middle(s, n - 2);
	else if (n - 2 == s->gaps)
		send_source(s);
	else if (n - 3 - s->gaps < FLEET_CORES)
		send_core(s, n - 3 - s->gaps);
	else if (n - 3 - s->gaps == FLEET_CORES)
		send_end(s);
	return s->bytes;
}

char *fleet_text(uint32_t node, const struct fleet_options *o, size_t *bytes)
{
	size_t most = ((size_t)o->gaps + FLEET_EXTRA) * RECORD_LINE_MAX, line;
	char *text = malloc(most), *kept;
	struct fleet_stream s;

	*bytes = 0;
	if (!text)
		return NULL;
	fleet_stream_start(&s, node, o);
	while ((line = fleet_stream_next(&s, text + *bytes)))
		*bytes += line;
	kept = realloc(text, *bytes);
	return kept ? kept : text;
}
