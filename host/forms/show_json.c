/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints runs as one JSON document, show/1 of host/documents.json.
 *
 * The ladder has a rung per stage and, except for the first, how its rates compare with the rung
 * before (host/kinds/host_kind.h). The records themselves are printed by
 * jsonl, as they come. "search" is what this program has found: sources of any period,
 * with the fields of `source` records, or why there was no search.
 */
#include "show_form.h"

#include "host/lib/exit.h"

#include "host/lib/json_name.h"
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/sources/sources.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOLES_LISTED_MAX 1000

static json_t *captures;
static bool any_run;

static void show_json_start(void)
{
	captures = json_array();
	any_run = false;
	fputs("{\"schema\":\"show/1\",\"runs\":[", stdout);
}

static json_t *core_object(const struct record_cpu *cpu, bool no_smi)
{
	json_t *percentiles = json_object();

	for (unsigned n = 0; n < QUANTILE_PERCENTILES; n++)
		json_object_set_new(percentiles, quantile_percentile_name(n),
				    json_range(quantile_percentile(cpu, n)));
	/* A processor without SMM has neither, here as in records. */
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o*,s:o*,s:o}", "stage",
			 json_name(cpu->stage ? cpu->stage : "n/a"), "cpu", json_number(cpu->cpu),
			 "exposure_ns", json_number(cpu->exposure_ns), "noise_ns",
			 json_number(cpu->noise_ns), "max_ns", json_number(cpu->max_ns), "gaps",
			 json_number(cpu->gaps), "dropped", json_number(cpu->dropped), "smi",
			 no_smi ? NULL : json_maybe(cpu->smi), "nmi",
			 no_smi ? NULL : json_maybe(cpu->nmi), "percentiles_ns", percentiles);
}

static json_t *show_json_describe(const char *file, const struct result *run)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(run);
	const struct record_cpu *cpu;
	struct seqset_range hole;

	return json_pack(
		"{s:o,s:o,s:s?,s:s?,s:b,s:I,s:o,s:I,s:I,s:I,s:o,s:o}", "file", json_name(file),
		"sid", json_sid(run->sid), "verdict", run->end.verdict, "remark", run->end.remark,
		"whole", result_is_whole(run), "lost", (json_int_t)seqset_missing(&run->seen),
		"lost_seq",
		JSON_ARRAY(i, i < HOLES_LISTED_MAX && seqset_hole(&run->seen, i, &hole),
			   json_pack("[I,I]", (json_int_t)hole.first, (json_int_t)hole.last)),
		"unusable", (json_int_t)run->unusable, "duplicates", (json_int_t)run->duplicates,
		"unknown", (json_int_t)run->unknown, "cores",
		JSON_ARRAY(i, (cpu = result_cpu(run, i)), core_object(cpu, run->no_smi)), "ladder",
		host_kind_ladder_json(&ladder));
}

static json_t *source_object(const struct record_source *s)
{
	return json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:s?,s:s?}", "cause", s->cause, "period_ns",
			 (json_int_t)s->period_ns, "jitter_ns", (json_int_t)s->jitter_ns,
			 "fill_ppm", (json_int_t)s->fill_ppm, "events", (json_int_t)s->events,
			 "chance_milli", (json_int_t)s->chance_milli, "origin", s->origin, "hint",
			 s->hint);
}

static json_t *search_object(const struct result *run, struct result_stage *stage)
{
	struct sources f;
	json_t *object;

	sources_read(&f, run, stage);
	object = json_pack("{s:s,s:I,s:s?,s:o}", "stage", stage->name, "gaps",
			   (json_int_t)stage->gaps, "why_not", f.searched ? NULL : f.why_not,
			   "sources", JSON_ARRAY(i, i < f.founds, source_object(&f.found[i])));
	sources_free(&f);
	return object;
}

/* In a stage without measurement there is nothing to search. */
static bool is_searched(const struct result_stage *s)
{
	return s->cpus || s->windows || s->gaps || s->events || s->sources;
}

static void write_search(const struct result *run)
{
	json_t *list = json_array();

	for (size_t i = 0; i < run->stages; i++) {
		if (is_searched(&run->stage[i]))
			json_array_append_new(list, search_object(run, &run->stage[i]));
	}
	fputs(",\"search\":", stdout);
	json_dump(list, JSON_COMPACT);
	json_decref(list);
}

static void write_run(const char *file, struct result *run)
{
	json_t *head = show_json_describe(file, run);

	fputs(any_run ? ",\n{" : "\n{", stdout);
	any_run = true;
	json_dump(head, JSON_COMPACT | JSON_EMBED);
	json_decref(head);
	write_search(run);
	fputs("}", stdout);
}

static bool put_capture(const struct show_options *o, const struct capture *c)
{
	const struct reader_totals *totals = reader_totals(c->reader);

	(void)o;
	for (size_t n = 0; n < c->runs; n++)
		write_run(c->name, c->run[n]);
	json_array_append_new(captures, json_pack("{s:o,s:I,s:I,s:I}", "file", json_name(c->name),
						  "bytes", (json_int_t)totals->bytes, "damaged",
						  (json_int_t)totals->damaged, "refused",
						  (json_int_t)totals->refused));
	return true;
}

static int show_json_finish(void)
{
	fputs("],\n\"captures\":", stdout);
	json_dump(captures, JSON_COMPACT);
	fputs("}\n", stdout);
	json_decref(captures);
	return EXIT_PASS;
}

const struct show_form show_form_json = {
	.keep = RESULT_ALL,
	.start = show_json_start,
	.capture = put_capture,
	.finish = show_json_finish,
	.of_summary = true,
};
