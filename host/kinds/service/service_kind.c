/* SPDX-License-Identifier: BSD-2-Clause */
/* Service records of a stage: a row each, and what each means. */
#include "service_parts.h"

#include "host/capture/service_records.h"
#include "host/html/html.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/kinds/service/service_text.h"

static bool keep(struct result *run, const union record *record)
{
	const struct record_service *r = &record->service;
	struct result_stage *stage = result_stage_of(run, r->stage);

	return stage && !service_records_find(service_records_of(stage), r->service) &&
	       result_stage_add(run, stage, RECORD_SERVICE, r, sizeof(*r));
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct service_records of = service_records_of(stage);

	if (!of.count)
		return;
	service_text_head(t);
	text_sanitize_print(t);
	for (size_t i = 0; i < of.count; i++)
		result_record_text(run, RECORD_SERVICE, &of.at[i], text_sanitize_line, NULL);
	for (size_t i = 0; i < of.count; i++) {
		if (!of.at[i].calls)
			continue;
		service_text_sentence(t, &of.at[i]);
		text_sanitize_print(t);
	}
}

static void put_duration(FILE *f, struct maybe ns)
{
	TEXT_DEFINE(t, 24);

	text_maybe_duration(&t, ns);
	html_cell_format(f, "%s", t.buf);
}

static void put_row(FILE *f, const struct record_service *r)
{
	html_row(f, NULL);
	html_cell(f, r->service);
	html_cell_number(f, r->calls);
	html_cell_number(f, r->failed);
	put_duration(f, r->p50_ns);
	put_duration(f, r->p99_ns);
	put_duration(f, r->max_ns);
	html_cell_maybe(f, r->smi);
	if (r->calls && r->others)
		html_cell_format(f, "%u of %u", r->stopped, r->others);
	else
		html_cell_format(f, "n/a");
	put_duration(f, r->longest_ns);
	html_row_end(f);
}

static void put_sentence(FILE *f, const struct record_service *r)
{
	TEXT_DEFINE(sentence, 600);

	service_text_sentence(&sentence, r);
	html_element(f, "li", sentence.buf);
	fputc('\n', f);
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	const struct service_records of = service_records_of(stage);

	(void)run, (void)limits;
	if (!of.count)
		return;
	html_element(f, "h3", "What calls of firmware take, and whom they stop");
	html_table(f, "service|>calls|>failed|>median|>p99|>max|>SMIs|>stopped|>longest");
	for (size_t i = 0; i < of.count; i++)
		put_row(f, &of.at[i]);
	html_table_end(f);
	fputs("<ul>\n", f);
	for (size_t i = 0; i < of.count; i++)
		put_sentence(f, &of.at[i]);
	fputs("</ul>\n", f);
}

/* The median of a call. */
static void put_times(const struct result *run, const struct result_stage *stage,
		      host_kind_time *put, void *ctx)
{
	const struct service_records of = service_records_of(stage);

	(void)run;
	for (size_t i = 0; i < of.count; i++)
		if (of.at[i].service && of.at[i].p50_ns.known && of.at[i].p50_ns.value)
			put(ctx, of.at[i].service, "call", 1, (double)of.at[i].p50_ns.value);
}

const struct host_kind host_kind_service = {
	.type = RECORD_SERVICE,
	.keep = keep,
	.text = put_text,
	.page = put_page,
	.diff = &service_diff,
	.times = put_times,
	.series = true,
};
