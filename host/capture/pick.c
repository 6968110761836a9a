/* SPDX-License-Identifier: BSD-2-Clause */
/* One run, one stage. */
#include "pick.h"

#include "host/lib/exit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void keep(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep_whole(run, record);
}

static bool has_sid(const struct reader_run *run, const char *sid)
{
	char own[17];

	snprintf(own, sizeof(own), "%016" PRIx64, run->sid);
	return strcasecmp(own, sid) == 0;
}

/* The sids to choose from. */
static bool say_runs(const struct picked *p, const char *what)
{
	struct reader_run *run;

	fprintf(stderr, "%s: %s:", p->in.name, what);
	for (size_t n = 0; (run = reader_run(p->in.reader, n)); n++)
		fprintf(stderr, " %016" PRIx64, run->sid);
	fputc('\n', stderr);
	return false;
}

bool pick_run(struct picked *p, const char *path, const char *sid)
{
	const struct reader_hooks hooks = { .wanted = UINT32_MAX, .record = keep };
	struct reader_run *run;
	size_t n;

	*p = (struct picked){ .run = NULL };
	intake_read(&p->in, path, &hooks);
	intake_judge(&p->in, false);
	if (p->in.error || !reader_run(p->in.reader, 0))
		return false;
	if (!sid && reader_run(p->in.reader, 1))
		return say_runs(p, "has several runs, one of which is to be named by its sid");
	for (n = 0; (run = reader_run(p->in.reader, n)); n++) {
		if (sid && !has_sid(run, sid))
			continue;
		p->run = run;
		p->shown = shown_of(run);
		return true;
	}
	return say_runs(p, "has no run of that sid, but these");
}

void pick_free(struct picked *p)
{
	intake_free(&p->in);
}

static const char *last_stage(const struct picked *p)
{
	const struct ladder *l = &p->shown->ladder;

	for (size_t n = l->count; n > 0; n--) {
		if (l->rung[n - 1].cores)
			return l->rung[n - 1].stage;
	}
	fprintf(stderr, "%s: no cpu record: nothing was measured, or it is lost\n", p->in.name);
	return NULL;
}

const char *pick_stage(const struct picked *p, const char *name)
{
	const char *stage[STAGES_MAX], *wanted = name ? name : last_stage(p);
	char clean[64];
	bool more;
	size_t count = shown_stages(p->shown, stage, &more);

	for (size_t i = 0; wanted && i < count; i++) {
		/* The ladder cuts long names. */
		if (name ? strcmp(stage[i], name) == 0
			 : strncmp(stage[i], wanted, LADDER_STAGE_MAX) == 0)
			return stage[i];
	}
	if (!wanted)
		return NULL;
	fprintf(stderr, "%s: stage %s was not measured, but these:", p->in.name, wanted);
	for (size_t i = 0; i < count; i++) {
		snprintf(clean, sizeof(clean), "%s", stage[i]);
		shown_clean(clean);
		fprintf(stderr, " %s", clean);
	}
	fputc('\n', stderr);
	return NULL;
}

static void say(void *ctx, const char *sentence)
{
	const struct picked *p = ctx;

	fprintf(stderr, "%s: %s\n", p->in.name, sentence);
}

int pick_code(const struct picked *p)
{
	if (reader_run_whole(p->run))
		return EXIT_PASS;
	shown_flaws(p->run, say, (void *)p);
	return EXIT_INCOMPLETE;
}
