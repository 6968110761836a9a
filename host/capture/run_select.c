/* SPDX-License-Identifier: BSD-2-Clause */
/* One run, one stage. */
#include "run_select.h"

#include "host/lib/exit.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <string.h>

bool run_select(struct run_select *s, const char *path, const char *sid)
{
	const struct capture_want want = { .keep = RUN_ALL, .run = sid };
	struct capture *c = &s->capture;

	s->run = NULL;
	capture_open(c, path, &want);
	capture_judge(c, false);
	if (c->error || !c->runs)
		return false;
	if (c->runs > 1)
		return capture_list_runs(c, "has several runs; select one by its sid");
	s->run = c->run[0];
	return true;
}

static void list_stages(const struct run_select *s, const char *name)
{
	char clean[64];

	fprintf(stderr, "%s: stage %s was not measured; measured stages:", s->capture.name, name);
	for (size_t i = 0; i < s->run->stages; i++) {
		if (!s->run->stage[i].cpus)
			continue;
		text_sanitize_copy(clean, sizeof(clean), s->run->stage[i].name);
		fprintf(stderr, " %s", clean);
	}
	fputc('\n', stderr);
}

struct run_stage *run_select_stage(const struct run_select *s, const char *name)
{
	for (size_t i = s->run->stages; i-- > 0;) {
		struct run_stage *stage = &s->run->stage[i];

		if (stage->cpus && (!name || strcmp(stage->name, name) == 0))
			return stage;
	}
	if (s->run->cpus)
		list_stages(s, name);
	else
		fprintf(stderr, "%s: no cpu record: nothing was measured, or it is lost\n",
			s->capture.name);
	return NULL;
}

static void report(void *ctx, const char *sentence)
{
	const struct run_select *s = ctx;

	fprintf(stderr, "%s: %s\n", s->capture.name, sentence);
}

int run_select_code(const struct run_select *s)
{
	if (run_is_whole(s->run))
		return EXIT_PASS;
	run_flaws(s->run, report, (void *)(uintptr_t)s);
	return EXIT_INCOMPLETE;
}
