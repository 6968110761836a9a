/* SPDX-License-Identifier: BSD-2-Clause */
/* One run at a time: the check of attestations has static memory. */
#include "store_judge.h"

#include "host/attest/attest.h"

#include "core/lib/text.h"

#include <inttypes.h>
#include <pthread.h>

static pthread_mutex_t checking = PTHREAD_MUTEX_INITIALIZER;

static void feed(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	attest_facts_feed(text, bytes);
}

static void read_attest(struct store *s, struct store_run *run)
{
	struct facts_attest *f = &run->summary.facts.attest;
	struct store_chunks chunks = { .take = feed };
	int error;

	if (attest_facts_why_not())
		return;
	if (run->bytes > (uint64_t)ATTEST_FACTS_MAX_MB << 20) {
		*f = (struct facts_attest){ .lines = run->summary.lines,
					    .state = FACTS_ATTEST_LARGE };
		return;
	}
	pthread_mutex_lock(&checking);
	attest_facts_begin();
	error = store_chunks(s, run->id, &chunks);
	attest_facts_end(error || chunks.damaged ? 0 : run->summary.lines, f);
	pthread_mutex_unlock(&checking);
}

/*
 * Was a run received before that has a later quote by this key? None of the three numbers goes back
 * until the TPM is cleared, which makes it another key: TPM 2.0 Library, part 1, 36.
 */
static bool is_overtaken(struct store *s, const struct store_run *run)
{
	const struct facts_attest *f = &run->summary.facts.attest;
	TEXT_DEFINE(query, 500);
	uint64_t later;

	text_add(&query, "SELECT count(*) FROM run WHERE attest_state='good' AND attest_key='");
	text_hex(&query, f->key, sizeof(f->key));
	text_add(&query,
		 "' AND ended AND ended_s<%" PRIu64
		 " AND (attest_resets, attest_restarts, attest_clock_ms)>(%u, %u, %" PRIu64 ")",
		 run->ended_s, (unsigned)f->resets, (unsigned)f->restarts, f->clock_ms);
	return store_number(s, query.buf, &later) == 0 && later;
}

void store_judge(const struct policy *p, struct store *s, struct store_run *run)
{
	struct facts_attest *f = &run->summary.facts.attest;

	if (policy_asks_attest(p, &run->summary))
		read_attest(s, run);
	if (f->state == FACTS_ATTEST_GOOD)
		f->is_overtaken = is_overtaken(s, run);
	policy_judge(p, &run->summary);
}
