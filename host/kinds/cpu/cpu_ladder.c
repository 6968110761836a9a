/* SPDX-License-Identifier: BSD-2-Clause */
/* The ladder of stages, as text and as JSON. */
#include "host/capture/result.h"
#include "host/findings/finding.h"
#include "host/kinds/host_kind.h"
#include "host/lib/json_name.h"
#include "host/lib/text_sanitize.h"

#include "core/config/config.h"
#include "core/lib/arith.h"
#include "core/lib/ratio.h"

#include <stdio.h>
#include <string.h>

/* The place of a stage on the ladder; unknown stages are last. */
static unsigned rank_of(const char *stage)
{
	unsigned s = 0;

	while (s < STAGES && strcmp(config_stage_name(s), stage) != 0)
		s++;
	return s;
}

void host_kind_ladder_add(struct host_kind_ladder *l, const struct result_stage *stage)
{
	size_t at = l->count;

	if (at == HOST_KIND_LADDER_RUNGS || (!stage->cpus && !stage->windows))
		return;
	while (at && rank_of(l->rung[at - 1]->name) > rank_of(stage->name))
		at--;
	memmove(&l->rung[at + 1], &l->rung[at], (l->count++ - at) * sizeof(*l->rung));
	l->rung[at] = stage;
}

struct host_kind_ladder host_kind_ladder_of(const struct result *run)
{
	struct host_kind_ladder l = { .no_smi = run->no_smi };

	for (size_t i = 0; i < run->stages; i++)
		host_kind_ladder_add(&l, &run->stage[i]);
	return l;
}

static void add_known(struct text *t, bool known, uint64_t value, unsigned digits, unsigned width)
{
	if (known)
		text_fixed(t, value, digits, width);
	else
		text_add(t, "%*s", (int)width, "n/a");
}

/* value/ns in units of 10^-unit, RATIO_PPM or RATIO_PER_S, with so many decimals. */
static void add_share(struct text *t, struct maybe value, uint64_t ns, unsigned unit,
		      unsigned digits, unsigned width)
{
	bool known = value.known && ns;

	add_known(t, known, known ? ratio_share(value.value, ns, unit + digits, false) : 0, digits,
		  width);
}

/* GAPS/s, SMI/s and NOISE are per core, RUNTIME is the cores' mean, MAX the longest gap of any. */
static void print_rung(struct text *t, const struct result_stage *stage, bool no_smi)
{
	const struct record_cpu sum = result_total(stage, stage->cpus);
	const uint64_t ns = sum.exposure_ns;

	text_add(t, "%-8.16s", stage->name); /* longer ones would leave no room for the figures */
	text_fixed(t, stage->cpus, 0, 7);
	add_known(t, stage->cpus, stage->cpus ? ns / stage->cpus / 1000000 : 0, 3, 12);
	add_share(t, (struct maybe){ sum.gaps, true }, ns, RATIO_PER_S, 2, 11);
	if (!no_smi)
		add_share(t, sum.smi, ns, RATIO_PER_S, 2, 10);
	add_share(t, (struct maybe){ sum.noise_ns, true }, ns, RATIO_PPM, 1, 12);
	add_known(t, ns, arith_sum(sum.max_ns, 50) / 100, 1, 12);
	text_sanitize_print(t);
}

static void print_step(struct text *t, const struct host_kind_ladder *l, size_t to)
{
	const struct result_stage *before = l->rung[to - 1], *after = l->rung[to];
	struct findings f = { .bounds = "" };
	bool compared = host_kind_ladder_step(l, to, &f);

	text_add(t, "%s to %s%s%s", before->name, after->name,
		 before->cpus == after->cpus ? "" : ", core 0 alone",
		 compared ? ":" : ": not compared");
	text_sanitize_print(t);
	if (compared)
		findings_text(&f);
	findings_free(&f);
}

void host_kind_ladder_print(const void *ladder)
{
	const struct host_kind_ladder *l = ladder;
	TEXT_DEFINE(t, 256);

	if (l->count < 2)
		return;
	puts("ladder: what each step changed, per core (p: by chance alone)");
	printf("STAGE     CORES  RUNTIME(s)     GAPS/s%s  NOISE(ppm)     MAX(us)\n",
	       l->no_smi ? "" : "     SMI/s");
	for (size_t i = 0; i < l->count; i++)
		print_rung(&t, l->rung[i], l->no_smi);
	for (size_t i = 1; i < l->count; i++)
		print_step(&t, l, i);
}

/* ---- JSON ---- */

/* The step from the rung before rung n; null for the first. */
static json_t *step_object(const struct host_kind_ladder *l, size_t n)
{
	struct findings f = { .bounds = "" };
	json_t *step;

	if (n == 0)
		return json_null();
	host_kind_ladder_step(l, n, &f);
	step = json_pack("{s:o,s:o}", "stage", json_name(l->rung[n - 1]->name), "changes",
			 JSON_ARRAY(i, i < f.count, finding_change_json(&f.at[i])));
	findings_free(&f);
	return step;
}

static json_t *rung_object(const struct host_kind_ladder *l, size_t n)
{
	const struct result_stage *of = l->rung[n];
	const struct record_cpu sum = result_total(of, of->cpus);

	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o*,s:o}", "stage", json_name(of->name),
			 "cores", json_number(of->cpus), "exposure_ns",
			 json_number(sum.exposure_ns), "gaps", json_number(sum.gaps), "noise_ns",
			 json_number(sum.noise_ns), "max_ns", json_number(sum.max_ns), "smi",
			 l->no_smi ? NULL : json_maybe(sum.smi), "against", step_object(l, n));
}

json_t *host_kind_ladder_json(const struct host_kind_ladder *l)
{
	return JSON_ARRAY(n, n < l->count, rung_object(l, n));
}
