/* SPDX-License-Identifier: BSD-2-Clause */
/* Readiness: a row each, what each profile comes to, and where it is published. */
#include "readiness.h"

#include "host/html/html.h"
#include "host/lib/text_sanitize.h"

static const struct {
	const char *title, *source;
} published[READINESS_PROFILES] = {
#define PROFILE(id, name, title, source) [READINESS_##id] = { title, source },
#include "readiness_profiles.h"
};

/* "rhel-rt: 3 ready, 1 not ready, 1 unknown; Red Hat ..., by Optimizing ..." */
static void print_profile(struct text *t, const struct readiness *r, enum readiness_profile p)
{
	text_add(t, "%s: %u ready, %u not ready, %u unknown; %s, by %s", readiness_profile_name(p),
		 readiness_count(r, p, READINESS_READY), readiness_count(r, p, READINESS_NOT_READY),
		 readiness_count(r, p, READINESS_UNKNOWN), published[p].title, published[p].source);
}

static void print_row(void *ctx, const struct readiness_row *r)
{
	struct text *t = ctx;

	if (r->profile)
		text_add(t, "%-23s %-15s %-14s %-10s %s", r->item, r->state, r->profile, r->judged,
			 r->wants);
	else
		text_add(t, "%-23s %s", r->item, r->state);
	text_sanitize_print(t);
}

void readiness_print(struct text *t, const struct readiness *r)
{
	if (!r->cores)
		return;
	text_add(t, "SETTING                 STATE           PROFILE        JUDGED     ASKS FOR");
	text_sanitize_print(t);
	readiness_rows(r, print_row, t);
	for (unsigned p = 0; p < READINESS_PROFILES; p++) {
		print_profile(t, r, (enum readiness_profile)p);
		text_sanitize_print(t);
	}
}

static void put_row(void *ctx, const struct readiness_row *r)
{
	FILE *f = ctx;

	html_row(f, NULL);
	html_cell(f, r->item);
	html_cell(f, r->state);
	html_cell(f, r->profile);
	html_cell(f, r->judged);
	html_cell(f, r->wants);
	html_row_end(f);
}

void readiness_page(FILE *f, const struct readiness *r)
{
	TEXT_DEFINE(t, 600);

	if (!r->cores)
		return;
	html_element(f, "h3", "How the machine is set");
	html_table(f, "setting|state|profile|judged|asks for");
	readiness_rows(r, put_row, f);
	html_table_end(f);
	for (unsigned p = 0; p < READINESS_PROFILES; p++) {
		text_reset(&t);
		print_profile(&t, r, (enum readiness_profile)p);
		html_paragraph(f, t.buf);
	}
}
