/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of noisefloor under an OS, brought to a peer's terms. */
#include "host/capture/capture.h"
#include "host/capture/quantile.h"
#include "host/lib/list.h"
#include "peer_format.h"

#include <stdio.h>
#include <string.h>

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

static void convert(const struct record_cpu *from, struct peer_core *to)
{
	const struct record_pairs *h = &from->histogram;

	*to = (struct peer_core){ .cpu = from->cpu,
				  .exposure_ns = range_exact(from->exposure_ns),
				  .exposure_from = PEER_STATED,
				  .smi = from->smi };
	for (size_t i = 0; i < h->count; i++)
		peer_count(to, h->at[i][0], quantile_bucket_end(h->at[i][0], from->max_ns),
			   h->at[i][1]);
	to->events = range_exact(from->gaps);
	to->sum_ns = range_exact(from->noise_ns);
	to->max_ns = range_exact(from->max_ns);
	for (unsigned c = 0; c < CAUSES; c++) {
		if (causes[c] < PEER_CAUSES && from->cause[c].gaps)
			add_cause(to, causes[c], &from->cause[c]);
	}
}

static void add_stage(const char *file, const struct run *run, const struct run_stage *stage,
		      struct peers *peers)
{
	struct run_identity of;
	struct peer *piece;

	run_identify(run, &of);
	peers->at = list_grow(peers->at, peers->count, sizeof(*peers->at));
	piece = &peers->at[peers->count++];
	*piece = (struct peer){ .tool = "noisefloor",
				.threshold_ns = range_exact(run_threshold(run)),
				.threshold_from = run->has_begin ? PEER_STATED : PEER_ASSUMED,
				.rows = stage->cpus };
	snprintf(piece->file, sizeof(piece->file), "%s", file);
	memcpy(piece->version, of.version, sizeof(piece->version));
	memcpy(piece->machine, of.machine, sizeof(piece->machine));
	memcpy(piece->uuid, of.uuid, sizeof(piece->uuid));
	if (!run->has_end)
		piece->notes |= PEER_CUT;
	else if (!run_is_whole(run))
		piece->notes |= PEER_DAMAGED;
	for (size_t i = 0; i < stage->cpus; i++) {
		piece->core = list_grow(piece->core, piece->cores, sizeof(*piece->core));
		convert(&stage->cpu[i], &piece->core[piece->cores++]);
	}
}

static void add_run(const struct capture *c, const struct run *run, struct peers *peers)
{
	const struct run_stage *stage = run_find_measured(run, PEER_OS_STAGE);
	char text[160];

	if (stage) {
		add_stage(c->name, run, stage, peers);
		return;
	}
	snprintf(text, sizeof(text),
		 "run %016llx was not measured from inside an OS: it has no stage \"%s\"",
		 (unsigned long long)run->sid, PEER_OS_STAGE);
	c->want.complain(c->want.ctx, c->name, 0, text);
	peers->failed = true;
}

void peer_records_begin(struct capture *c, const char *file, peer_complain *complain, void *ctx)
{
	const struct capture_want want = { .keep = RUN_HISTOGRAMS | 1u << RECORD_BEGIN |
						   1u << RECORD_CPU,
					   .complain = complain,
					   .ctx = ctx };

	capture_begin(c, file, &want);
}

bool peer_records_add(struct peers *peers, const struct capture *c)
{
	bool any = false;

	for (size_t i = 0; i < c->runs; i++) {
		if (!c->run[i]->cpus)
			continue;
		add_run(c, c->run[i], peers);
		any = true;
	}
	return any;
}
