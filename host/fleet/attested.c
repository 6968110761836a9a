/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's configuration and its attestation, by what a policy accepts. The attestation is checked
 * as the run's lines are read.
 */
#include "runs.h"

#include "store/store.h"

#include "host/attest/attest.h"
#include "core/lib/text.h"

#include <inttypes.h>
#include <pthread.h>

static void judge_config(struct verdict_reasons *r, const struct policy_section *section,
			 const struct facts *f)
{
	TEXT_DEFINE(digits, 2 * SHA256_BYTES + 1);
	const struct attest_digests *list = &section->accepted.list[ATTEST_CONFIGS];

	if (!list->count)
		return;
	text_hex(&digits, f->config, SHA256_BYTES);
	if (!facts_config_known(f->config))
		verdict_cut_short(r, "config: the records do not have the run's configuration");
	else if (!attest_digests_has(list, f->config))
		policy_refuse(r, "config", digits.buf);
}

/* True if an attestation is to be checked, which is impossible if lines are missing. */
static bool asks_attest(const struct policy_section *section, const struct summary *s)
{
	return section && section->accepted.list[ATTEST_KEYS].count && summary_complete(s);
}

bool policy_asks_attest(const struct policy *p, const struct summary *s)
{
	return p && s->facts.attest.lines != s->lines && asks_attest(policy_find(p, s), s);
}

void policy_judge_accepted(struct verdict_reasons *r, const struct policy_section *section,
			   const struct summary *s)
{
	const struct facts *f = &s->facts;

	judge_config(r, section, f);
	if (asks_attest(section, s))
		attest_facts_judge(&f->attest, f->attest.lines == s->lines, &section->accepted, r);
}

/* The check of an attestation has static memory: one run at a time. */
static pthread_mutex_t checking = PTHREAD_MUTEX_INITIALIZER;

static void feed_attest(void *ctx, const char *text, size_t bytes)
{
	(void)ctx;
	attest_facts_feed(text, bytes);
}

static void read_attest(struct store *s, struct store_run *run)
{
	struct attest_facts *f = &run->summary.facts.attest;
	struct store_chunks chunks = { .take = feed_attest };
	int error;

	if (attest_facts_why_not())
		return;
	if (run->bytes > (uint64_t)ATTEST_FACTS_MAX_MB << 20) {
		*f = (struct attest_facts){ .lines = run->summary.lines,
					    .state = ATTEST_FACTS_LARGE };
		return;
	}
	pthread_mutex_lock(&checking);
	attest_facts_begin();
	error = store_chunks(s, run->id, &chunks);
	attest_facts_end(error || chunks.damaged ? 0 : run->summary.lines, f);
	pthread_mutex_unlock(&checking);
}

/*
 * True if an earlier run has a later quote by this key. None of the three numbers decreases until
 * the TPM is cleared, which changes the key: TPM 2.0 Library, part 1, 36.
 */
static bool is_overtaken(struct store *s, const struct store_run *run)
{
	const struct attest_facts *f = &run->summary.facts.attest;
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

void runs_judge(const struct policy *p, struct store *s, struct store_run *run)
{
	struct attest_facts *f = &run->summary.facts.attest;

	if (policy_asks_attest(p, &run->summary))
		read_attest(s, run);
	if (f->state == ATTEST_FACTS_GOOD)
		f->is_overtaken = is_overtaken(s, run);
	policy_judge(p, &run->summary);
}
