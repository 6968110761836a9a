/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes a record file of a given size: host_file BYTES > FILE. One run of 255 cores with a
 * record of every gap and event, as a long `gaps=all` run leaves behind; the same bytes each
 * time, written by the probe's own core/records/record.c.
 */
#include "core/records/record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CORES     255
#define STAGE     "handoff"
#define MS        UINT64_C(1000000)
#define S         UINT64_C(1000000000)
#define HZ        UINT64_C(2400000000)
#define RATE      1500                   /* gaps per second, of all cores */
#define PER_EVENT 3                      /* gaps, on cores side by side */
#define EVENT_NS  (S / RATE * PER_EVENT) /* from one to the next, in the mean */
#define SMI_NS    (64 * MS)              /* SMIs have a period, all else comes at random */

/* At least so many bytes have the records of an event and its gaps. */
#define EVENT_BYTES 1060

struct file {
	struct record_link link; /* first: record_send() knows only this */
	uint64_t bytes;
};

/* What adds up over the run. */
static struct record_cpu cpu[CORES];

static void write_line(struct record_link *link, const char *line, size_t bytes)
{
	struct file *f = (struct file *)link;

	f->bytes += bytes;
	if (fwrite(line, 1, bytes, stdout) != bytes) {
		perror("host_file");
		exit(1);
	}
}

static uint64_t random_state, clock_ns, next_smi_ns;

static uint64_t next_random(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return random_state >> 33;
}

static void send_begin(struct file *f)
{
	const struct record_begin begin = {
		.version = "0.1.0",
		.machine = { .vendor = "Acme", .product = "Anvil 9000", .bios_version = "1.2" },
		.cpu = { .brand = "Fast 255" },
		.cpus = { .found = CORES,
			  .started = CORES,
			  .measured = CORES,
			  .apic_ids = "0-254" },
		.clock = { .hz = HZ, .source = "cpuid", .invariant = true, .quantum = { 2, true } },
		.config = "duration=1h window=1s threshold=1us gaps=all",
	};

	record_send(&f->link, RECORD_BEGIN, &begin);
}

static void send_gap(struct file *f, uint32_t core, uint64_t t_ns, uint64_t len_ns, bool smi)
{
	const struct record_gap gap = {
		.stage = STAGE,
		.cpu = core,
		.start_tsc = 5 * HZ + t_ns / 1000 * (HZ / MS),
		.ticks = len_ns * 12 / 5,
		.t_ns = t_ns,
		.len_ns = len_ns,
		.cause = smi ? "smi" : "unknown",
		.smi = { smi, true },
		.nmi = { 0, true },
		.mce = { 0, true },
		.why = smi ? "smi: its counter moved by 1"
			   : "unknown: no counter moved, missing: steal clock",
	};

	record_send(&f->link, RECORD_GAP, &gap);
	cpu[core].gaps++;
	cpu[core].noise_ns += len_ns;
	cpu[core].cause[smi ? CAUSE_SMI : CAUSE_UNKNOWN].gaps++;
	cpu[core].cause[smi ? CAUSE_SMI : CAUSE_UNKNOWN].ns += len_ns;
	cpu[core].smi.value += smi;
	if (len_ns > cpu[core].max_ns)
		cpu[core].max_ns = len_ns;
}

static void send_event(struct file *f, uint64_t of, uint32_t first, uint64_t t_ns, uint64_t len_ns,
		       bool smi)
{
	struct record_event event = {
		.stage = STAGE,
		.of = of,
		.t_ns = t_ns,
		.len_ns = len_ns,
		.gaps = PER_EVENT,
		.cpus = PER_EVENT,
		.first = first,
		.last = first + PER_EVENT - 1,
		.skew_ns = 200,
		.cause = smi ? "smi" : "unknown",
		.scope = "package",
	};
	char list[32];

	snprintf(list, sizeof(list), "%" PRIu32 "-%" PRIu32, event.first, event.last);
	event.list = list;
	record_send(&f->link, RECORD_EVENT, &event);
}

/* The next event or, without `of`, the gaps that it is made of. */
static void send_next(struct file *f, uint64_t of)
{
	uint64_t random = next_random(), len_ns = 1000 + random % 29999;
	uint32_t first = (uint32_t)(random >> 8) % (CORES - PER_EVENT + 1);
	bool smi;

	clock_ns += 1 + next_random() % (2 * EVENT_NS);
	smi = clock_ns >= next_smi_ns;
	if (smi) {
		clock_ns = next_smi_ns;
		next_smi_ns += SMI_NS;
	}
	if (of) {
		send_event(f, of, first, clock_ns, len_ns, smi);
		return;
	}
	for (uint32_t i = 0; i < PER_EVENT; i++)
		send_gap(f, first + i, clock_ns, len_ns, smi);
}

static void send_all(struct file *f, uint64_t events, uint64_t of)
{
	random_state = 1;
	clock_ns = 0;
	next_smi_ns = SMI_NS;
	for (uint64_t n = 0; n < events; n++)
		send_next(f, of);
}

/* Some more than the events will need. */
static uint64_t send_windows(struct file *f, uint64_t events)
{
	struct record_window w = { .stage = STAGE, .windows = 1, .len_ns = S };
	uint64_t windows = events / 100 * EVENT_NS / S * 105 + 10;

	for (w.n = 1; w.n <= windows; w.n++) {
		w.start_ns = (w.n - 1) * S;
		w.gaps = RATE;
		record_send(&f->link, RECORD_WINDOW, &w);
	}
	return windows;
}

static void send_cores(struct file *f, uint64_t windows)
{
	for (uint32_t n = 0; n < CORES; n++) {
		const uint64_t pair[1][2] = { { 1000, cpu[n].gaps } };

		cpu[n].stage = STAGE;
		cpu[n].cpu = cpu[n].apic_id = n;
		cpu[n].exposure_ns = windows * S;
		cpu[n].smi.known = true;
		cpu[n].histogram = (struct record_pairs){ pair, 1 };
		record_send(&f->link, RECORD_CPU, &cpu[n]);
	}
}

int main(int argc, char **argv)
{
	const struct record_stage stage = { .stage = STAGE, .sci_en = { 1, true } };
	const struct record_end end = { .verdict = "none" };
	struct file f = { .link = { .write = write_line, .sid = UINT64_C(0xbe9c40b0) } };
	uint64_t bytes = argc == 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t events = bytes / EVENT_BYTES + 1, windows;

	if (!bytes) {
		fputs("usage: host_file BYTES >FILE\n", stderr);
		return 2;
	}
	send_begin(&f);
	record_send(&f.link, RECORD_STAGE, &stage);
	windows = send_windows(&f, events);
	send_all(&f, events, 0);
	send_all(&f, events, events);
	send_cores(&f, windows);
	record_send(&f.link, RECORD_END, &end);
	if (fflush(stdout) != 0 || f.bytes < bytes) {
		fprintf(stderr, "host_file: %" PRIu64 " bytes written of %" PRIu64 "\n", f.bytes,
			bytes);
		return 1;
	}
	return 0;
}
