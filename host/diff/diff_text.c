/* SPDX-License-Identifier: BSD-2-Clause */
/* What changed: identity and settings, then stage by stage rates, longest gaps and sources. */
#include "diff_compared.h"

#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <stdio.h>

#define LINE_BYTES 16384

static void print_run(const char *which, const struct capture_select *p, struct text *t)
{
	bool dated = p->run->has_begin && p->run->begin.began;

	text_add(t, "%-7s %s: run %016llx%s%s%s", which, p->capture.name,
		 (unsigned long long)p->run->sid, dated ? ", began " : "",
		 dated ? p->run->begin.began : "",
		 result_is_whole(p->run) ? "" : ", records missing");
	text_sanitize_print(t);
}

static void print_differences(const struct diff_fields *d, struct text *t)
{
	puts(d->count ? "settings and identity that differ:"
		      : "settings and identity do not differ");
	for (size_t i = 0; i < d->count; i++) {
		text_add(t, "  %s: %s -> %s", d->at[i].name, d->at[i].before, d->at[i].after);
		text_sanitize_print(t);
	}
}

static void print_stage(const struct diff_stage *s, struct text *t)
{
	text_add(t, "stage %s: ", s->of.name);
	for (size_t i = 0; i < s->parts; i++)
		s->part[i]->kind->text(s->part[i], t);
	diff_part_head(t, "nothing to compare");
}

static void print_outcome(const struct diff_compared *c)
{
	static const char *const sentences[] = {
		[OUTCOME_SAME] = "same: no significant change",
		[OUTCOME_BETTER] = "better: something is less or gone, nothing is more or new",
		[OUTCOME_WORSE] = "worse: something is more or new",
	};

	printf("\noutcome: %s (significance: 1 in 100, for all rows of a stage together)\n",
	       sentences[c->outcome]);
}

void diff_text(const struct diff_compared *c)
{
	static char buf[LINE_BYTES];
	struct text t;

	text_init(&t, buf, sizeof(buf));
	print_run("before:", &c->before, &t);
	print_run("after:", &c->after, &t);
	for (size_t i = 0; i < c->unlikes; i++) {
		text_add(&t, "the runs differ in %s", c->unlike[i]);
		text_sanitize_print(&t);
	}
	print_differences(&c->differences, &t);
	for (size_t i = 0; i < c->stages; i++) {
		putchar('\n');
		print_stage(&c->stage[i], &t);
	}
	print_outcome(c);
}
