/* SPDX-License-Identifier: BSD-2-Clause */
/* Readiness records: a row each, what each profile comes to, and where it is published. */
#include "host/capture/result.h"
#include "host/html/html.h"
#include "host/kinds/host_kind.h"
#include "host/lib/text_sanitize.h"

#include "core/kinds/readiness/readiness_text.h"

static const struct {
	const char *name, *title, *source;
} profiles[] = {
#define PROFILE(id, name, title, source) { name, title, source },
#include "core/kinds/readiness/readiness_profiles.h"
};

#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

struct records {
	const struct record_readiness *at;
	size_t count;
};

static struct records records_of(const struct result_stage *stage)
{
	const struct result_list *list = &stage->kept[RECORD_READINESS];

	return (struct records){ list->at, list->count };
}

static bool has(struct records of, const struct record_readiness *r)
{
	while (of.count && !(text_same(of.at[of.count - 1].item, r->item) &&
			     text_same(of.at[of.count - 1].profile, r->profile)))
		of.count--;
	return of.count;
}

static bool keep(struct result *run, const union record *record)
{
	const struct record_readiness *r = &record->readiness;
	struct result_stage *stage = result_stage_of(run, r->stage);

	return stage && !has(records_of(stage), r) &&
	       result_stage_add(run, stage, RECORD_READINESS, r, sizeof(*r));
}

static size_t count(struct records of, const char *profile, const char *judged)
{
	size_t n = 0;

	for (size_t i = 0; i < of.count; i++)
		n += text_same(of.at[i].profile, profile) && text_same(of.at[i].judged, judged);
	return n;
}

/* "rhel-rt: 3 ready, 1 not ready, 1 unknown; Red Hat ..., by Optimizing ..." */
static void print_profile(struct text *t, struct records of, size_t n)
{
	text_add(t, "%s: %zu ready, %zu not ready, %zu unknown; %s, by %s", profiles[n].name,
		 count(of, profiles[n].name, "ready"), count(of, profiles[n].name, "not ready"),
		 count(of, profiles[n].name, "unknown"), profiles[n].title, profiles[n].source);
}

static void put_text(const struct result *run, struct result_stage *stage, struct text *t)
{
	const struct records of = records_of(stage);

	(void)run;
	if (!of.count)
		return;
	readiness_text_head(t);
	text_sanitize_print(t);
	for (size_t i = 0; i < of.count; i++) {
		readiness_text_row(t, &of.at[i]);
		text_sanitize_print(t);
	}
	for (size_t n = 0; n < PROFILES; n++) {
		print_profile(t, of, n);
		text_sanitize_print(t);
	}
}

static void put_row(FILE *f, const struct record_readiness *r)
{
	html_row(f, NULL);
	html_cell(f, r->item);
	html_cell(f, r->state);
	html_cell(f, r->profile);
	html_cell(f, r->judged);
	html_cell(f, r->wants);
	html_row_end(f);
}

static void put_page(FILE *f, const struct result *run, struct result_stage *stage,
		     const struct config *limits)
{
	const struct records of = records_of(stage);
	TEXT_DEFINE(t, 600);

	(void)run, (void)limits;
	if (!of.count)
		return;
	html_element(f, "h3", "How the machine is set");
	html_table(f, "setting|state|profile|judged|asks for");
	for (size_t i = 0; i < of.count; i++)
		put_row(f, &of.at[i]);
	html_table_end(f);
	for (size_t n = 0; n < PROFILES; n++) {
		text_reset(&t);
		print_profile(&t, of, n);
		html_paragraph(f, t.buf);
	}
}

const struct host_kind host_kind_readiness = {
	.type = RECORD_READINESS,
	.keep = keep,
	.text = put_text,
	.page = put_page,
};
