/* SPDX-License-Identifier: BSD-2-Clause */
/* Attestation, as a policy requires it: the check is `noisefloor fleet attest`'s. */
#include "policy_read.h"

#include "host/attest/attest.h"

/* Where lines are missing there is nothing to be checked. */
bool policy_section_asks(const struct policy_section *section, const struct summary *s)
{
	return section && section->list[POLICY_KEY].count && summary_complete(s) &&
	       s->facts.attest.lines != s->lines;
}

static const char *why_not_checked(void)
{
	const char *why = attest_facts_why_not();

	return why ? why : "the run's lines cannot be read";
}

/* NULL: it is good, as far as that does not depend on what is accepted. *lacks: nothing is bad. */
static const char *wrong(const struct summary *s, bool *lacks)
{
	const struct facts_attest *f = &s->facts.attest;

	*lacks = f->lines != s->lines || f->state != FACTS_ATTEST_BAD;
	if (f->lines != s->lines)
		return why_not_checked();
	switch (f->state) {
	case FACTS_ATTEST_NONE:
		return "the run has no attestation";
	case FACTS_ATTEST_LARGE:
		return "not checked: the run is too large";
	case FACTS_ATTEST_GOOD:
		*lacks = false;
		return f->is_overtaken ? "a later run that this key signed was received before"
				       : NULL;
	default:
		return attest_facts_wrong(f->item);
	}
}

static void judge_accepted(struct verdict_reasons *r, const struct policy_section *section,
			   const struct facts_attest *f)
{
	const struct policy_digests *list = section->list;
	const struct attest_want want = {
		.image = (const uint8_t(*)[SHA256_BYTES])list[POLICY_IMAGE].digest,
		.images = list[POLICY_IMAGE].count,
		.loader = (const uint8_t(*)[SHA256_BYTES])list[POLICY_LOADER].digest,
		.loaders = list[POLICY_LOADER].count,
	};
	TEXT_DEFINE(text, ATTEST_WHY_MAX);

	if (!policy_digests_has(&list[POLICY_KEY], f->key)) {
		text_hex(&text, f->key, sizeof(f->key));
		verdict_reason(r, "attest_key: %s is not allowed", text.buf);
		r->verdict = VERDICT_FAIL;
	}
	text_reset(&text);
	if (f->count > FACTS_STARTED) {
		verdict_reason(r, "attest_image: the firmware started %u images, accepted: %u",
			       (unsigned)f->count, FACTS_STARTED);
		r->verdict = VERDICT_FAIL;
	} else if (!attest_accepts(&want, f->started, f->count, &text)) {
		verdict_reason(r, "attest_image: %s", text.buf);
		r->verdict = VERDICT_FAIL;
	}
}

void policy_judge_attest(struct verdict_reasons *r, const struct policy_section *section,
			 const struct summary *s)
{
	const char *what;
	bool lacks;

	if (!section->list[POLICY_KEY].count || !summary_complete(s))
		return;
	what = wrong(s, &lacks);
	if (!what) {
		judge_accepted(r, section, &s->facts.attest);
		return;
	}
	verdict_reason(r, "attest: %s", what);
	if (lacks)
		verdict_cut_short(r);
	else
		r->verdict = VERDICT_FAIL;
}
