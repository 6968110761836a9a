/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of noisefloor under an OS, brought to a peer's terms. */
#include "peer_records.h"

#include "host/capture/measured.h"
#include "host/lib/list.h"
#include "host/lib/memory.h"
#include "peer_format.h"

#include "core/lib/arith.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct peer_records {
	struct measured_reader *reader;
	char file[256];
	peer_complain *complain;
	void *ctx;
};

struct peer_records *peer_records_new(const char *file, peer_complain *complain, void *ctx)
{
	struct peer_records *r = memory_new(1, sizeof(*r));

	snprintf(r->file, sizeof(r->file), "%s", file);
	r->complain = complain;
	r->ctx = ctx;
	r->reader = measured_start(file, complain, ctx);
	return r;
}

void peer_records_feed(struct peer_records *r, const char *bytes, size_t count)
{
	measured_feed(r->reader, bytes, count);
}

/* Ends of a histogram's bucket in ns; a tick more at either end, for rounding. */
static uint64_t bucket_end(uint64_t low)
{
	return arith_sum(low, low / 64 + 2);
}

/* From inside an OS a cause unknown may be anything; what hardware counters prove is hardware. */
static const enum peer_cause causes[CAUSES] = {
	[CAUSE_SMI] = PEER_HARDWARE,     [CAUSE_NMI] = PEER_NMI,
	[CAUSE_MCE] = PEER_HARDWARE,     [CAUSE_STEAL] = PEER_HARDWARE,
	[CAUSE_STOPPED] = PEER_HARDWARE, [CAUSE_STALL] = PEER_HARDWARE,
	[CAUSE_UNKNOWN] = PEER_CAUSES,
};

static void add_cause(struct peer_core *core, enum peer_cause cause, const struct cause_sum *sum)
{
	struct peer_sum *to = &core->cause[cause];

	to->events = range_add(to->events, range_exact(sum->gaps));
	to->ns = range_add(to->ns, range_exact(sum->ns));
}

static void convert(const struct measured_core *from, struct peer_core *to)
{
	*to = (struct peer_core){ .cpu = from->cpu,
				  .exposure_ns = range_exact(from->exposure_ns),
				  .exposure_from = PEER_STATED,
				  .smi = from->smi };
	for (size_t i = 0; i < from->pairs; i++)
		peer_count(to, from->pair[i][0],
			   arith_min(bucket_end(from->pair[i][0]),
				     arith_max(from->max_ns, from->pair[i][0])),
			   from->pair[i][1]);
	to->events = range_exact(from->gaps);
	to->sum_ns = range_exact(from->noise_ns);
	to->max_ns = range_exact(from->max_ns);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (causes[c] < PEER_CAUSES && from->cause[c].gaps)
			add_cause(to, causes[c], &from->cause[c]);
	}
}

static void add_run(struct peer_records *r, const struct measured_run *run, struct peers *peers)
{
	const struct measured_stage *stage = measured_stage(run, PEER_RECORDS_STAGE);
	struct peer *piece;

	peers->at = list_grow(peers->at, peers->count, sizeof(*peers->at));
	piece = &peers->at[peers->count++];
	*piece = (struct peer){ .tool = "noisefloor",
				.threshold_ns = range_exact(run->threshold_ns),
				.threshold_from = run->has_begin ? PEER_STATED : PEER_ASSUMED,
				.rows = stage->cores };
	memcpy(piece->file, r->file, sizeof(piece->file));
	memcpy(piece->version, run->version, sizeof(piece->version));
	memcpy(piece->machine, run->machine, sizeof(piece->machine));
	memcpy(piece->uuid, run->uuid, sizeof(piece->uuid));
	if (!run->has_end)
		piece->notes |= PEER_CUT;
	else if (!run->whole)
		piece->notes |= PEER_DAMAGED;
	for (size_t i = 0; i < stage->cores; i++) {
		piece->core = list_grow(piece->core, piece->cores, sizeof(*piece->core));
		convert(&stage->core[i], &piece->core[piece->cores++]);
	}
	peer_sort_cores(piece);
}

bool peer_records_end(struct peer_records *r, struct peers *peers)
{
	struct measured runs;
	bool any;

	measured_end(r->reader, &runs);
	for (size_t i = 0; i < runs.runs; i++) {
		char text[160];

		if (measured_stage(&runs.run[i], PEER_RECORDS_STAGE)) {
			add_run(r, &runs.run[i], peers);
			continue;
		}
		snprintf(text, sizeof(text),
			 "run %016llx was not measured from inside an OS: it has no stage \"%s\"",
			 (unsigned long long)runs.run[i].sid, PEER_RECORDS_STAGE);
		r->complain(r->ctx, r->file, 0, text);
		peers->failed = true;
	}
	any = runs.runs > 0;
	measured_free(&runs);
	free(r);
	return any;
}
