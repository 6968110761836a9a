/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs are judged by the probe's own rules, in core/report/verdict.c. */
#include "policy.h"

#include "core/config/limit.h"
#include "core/lib/text.h"
#include "core/lib/units.h"

#include <string.h>
#include <strings.h>

static bool is_for(const struct policy_section *section, const struct summary *s)
{
	switch (section->scope) {
	case POLICY_UUID:
		return strcasecmp(section->name, s->uuid) == 0;
	case POLICY_BIOS:
		return strcmp(section->name, s->bios) == 0;
	case POLICY_PRODUCT:
		return strcmp(section->name, s->product) == 0;
	default:
		return true;
	}
}

const struct policy_section *policy_find(const struct policy *p, const struct summary *s)
{
	const struct policy_section *best = NULL;

	for (size_t i = 0; i < p->sections; i++) {
		const struct policy_section *section = &p->section[i];

		if ((!best || section->scope > best->scope) && is_for(section, s))
			best = section;
	}
	return best;
}

/* ---- Limits ---- */

/* Gaps shorter than those recorded are not judged. */
static void judge_threshold(struct verdict_reasons *r, const struct config *c,
			    const struct facts *f)
{
	uint64_t wanted = limit_shortest_ns(c);
	TEXT_DEFINE(judged, 24);
	TEXT_DEFINE(recorded, 24);

	if (!limit_any(c, LIMIT_ON_CLOCK))
		return;
	if (!f->threshold_ns) {
		verdict_cut_short(r, "threshold: the records do not have the run's");
	} else if (f->threshold_ns > wanted) {
		text_duration(&judged, wanted);
		text_duration(&recorded, f->threshold_ns);
		verdict_cut_short(r,
				  "threshold: gaps from %s are judged, those recorded are from %s",
				  judged.buf, recorded.buf);
	}
}

static void judge_gaps(struct verdict_reasons *r, const struct config *c, const struct facts *f)
{
	judge_threshold(r, c, f);
	if (!f->cpus)
		verdict_cut_short(r, "the run has no cpu record");
}

/* Each core has a record of what the first one did. */
static void judge_work(struct verdict_reasons *r, const struct facts *f)
{
	if (!f->works)
		verdict_cut_short(r, "the run has no stretch record");
	else if (f->workers < f->measured)
		verdict_cut_short(r, "%u of %u measured cores have a stretch record",
				  (unsigned)f->workers, (unsigned)f->measured);
}

/* The limits of the policy that the run's mode measures; others make it incomplete. */
static struct config limits_of(struct verdict_reasons *r, const struct config *c,
			       const struct mode *mode)
{
	static const struct {
		unsigned of;
		const char *name;
	} all[] = {
		{ LIMIT_OF_GAPS, "gaps" },
		{ LIMIT_OF_WORK, "stretch" },
		{ LIMIT_OF_CALLS, "calls of firmware" },
	};
	unsigned lacks = (mode->keeps_gaps ? 0 : LIMIT_OF_GAPS) |
			 (mode->works ? 0 : LIMIT_OF_WORK) | (mode->calls ? 0 : LIMIT_OF_CALLS);
	struct config own = *c;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (limit_any(c, all[i].of & lacks))
			verdict_cut_short(r, "mode=%s measures no %s", mode->name, all[i].name);
	for (unsigned l = 0; l < LIMITS; l++)
		if (limit_row((enum limit)l)->of & lacks)
			own.limit[l].set = false;
	return own;
}

static void judge_limits(struct verdict_reasons *r, const struct config *c, const struct summary *s)
{
	const struct config own = limits_of(r, c, s->mode ? s->mode : mode_at(0));
	const struct facts *f = &s->facts;

	if (!limit_any(&own, LIMIT_OF_ALL))
		return;
	verdict_judge_worst(r, &own, f->worst);
	verdict_clock(r, &own, &f->clock);
	if (limit_any(&own, LIMIT_OF_GAPS))
		judge_gaps(r, &own, f);
	if (limit_any(&own, LIMIT_OF_WORK))
		judge_work(r, f);
	if (limit_any(&own, LIMIT_OF_CALLS) && !f->calls)
		verdict_cut_short(r, "service_max: the run has no call whose length is known");
	if (f->measured < f->found)
		verdict_cut_short(r, "%u of %u cores were measured", (unsigned)f->measured,
				  (unsigned)f->found);
}

/* ---- What else is asked of a run ---- */

static void judge_duration(struct verdict_reasons *r, const struct policy_section *section,
			   const struct facts *f)
{
	TEXT_DEFINE(sampled, 40);
	TEXT_DEFINE(wanted, 40);

	if (!section->least_ns || (f->sampled_ns.known && f->sampled_ns.value >= section->least_ns))
		return;
	if (!f->sampled_ns.known) {
		verdict_cut_short(r, "duration: the records do not have how long was sampled");
		return;
	}
	units_print_ns(&sampled, f->sampled_ns.value);
	units_print_ns(&wanted, section->least_ns);
	verdict_cut_short(r, "duration: %s of sampling are less than %s", sampled.buf, wanted.buf);
}

static void judge_stages(struct verdict_reasons *r, const struct policy_section *section,
			 const struct facts *f)
{
	uint32_t missing = section->stages & ~f->stages;

	for (unsigned stage = 0; stage < STAGES; stage++)
		if (missing >> stage & 1)
			verdict_cut_short(r, "stages: %s was not measured",
					  config_stage_name((enum config_stage)stage));
}

void policy_refuse(struct verdict_reasons *r, const char *what, const char *found)
{
	verdict_reason(r, "%s: %s is not allowed", what, found);
	r->verdict = VERDICT_FAIL;
}

static void judge_version(struct verdict_reasons *r, const struct policy_section *section,
			  const struct facts *f)
{
	size_t n = 0;

	if (!section->versions)
		return;
	while (n < section->versions && strcmp(section->version[n], f->version) != 0)
		n++;
	if (!*f->version)
		verdict_cut_short(r, "version: the records do not have the probe's");
	else if (n == section->versions)
		policy_refuse(r, "version", f->version);
}

/* ---- All ---- */

/* The node's own verdict counts if it is incomplete or error: no record has why it stopped. */
static void judge_own(struct verdict_reasons *r, const struct summary *s)
{
	enum verdict own = summary_own_outcome(s);

	if (own != VERDICT_INCOMPLETE && own != VERDICT_ERROR)
		return;
	verdict_reason(r, "the node: %s%s%s", verdict_name(own), *s->reason ? ": " : "", s->reason);
	if (r->verdict != VERDICT_FAIL)
		r->verdict = own;
}

static void policy_judge_section(struct verdict_reasons *r, const struct policy_section *section,
				 const struct summary *s)
{
	const struct facts *f = &s->facts;

	if (!section) {
		verdict_reason(r, "no section of the policy is for this machine");
		return;
	}
	if (!section->asks)
		return;
	r->verdict = VERDICT_PASS;
	if (!summary_complete(s)) {
		verdict_cut_short(r, "%llu lines were lost", (unsigned long long)s->lost);
	}
	judge_limits(r, &section->limits, s);
	judge_duration(r, section, f);
	judge_stages(r, section, f);
	judge_version(r, section, f);
	policy_judge_accepted(r, section, s);
	if (summary_complete(s))
		judge_own(r, s);
}

void policy_judge(const struct policy *p, struct summary *s)
{
	struct summary_judged *judged = &s->judged;
	struct verdict_reasons r = { .verdict = VERDICT_NONE };
	struct text t;

	*judged = (struct summary_judged){ .set = false };
	if (!p || !s->ended)
		return;
	policy_judge_section(&r, policy_find(p, s), s);
	judged->verdict = r.verdict;
	text_init(&t, judged->reason, sizeof(judged->reason));
	for (unsigned i = 0; i < r.count; i++)
		text_add(&t, "%s%s", i ? "; " : "", r.text[i]);
	judged->set = true;
}
