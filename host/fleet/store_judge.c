/* SPDX-License-Identifier: BSD-2-Clause */
/* One run at a time: the check of attestations has static memory. */
#include "store_judge.h"

#include "host/attest/attest_facts.h"

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

void store_judge(const struct policy *p, struct store *s, struct store_run *run)
{
	if (policy_asks_attest(p, &run->summary))
		read_attest(s, run);
	policy_judge(p, &run->summary);
}
