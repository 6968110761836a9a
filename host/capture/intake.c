/* SPDX-License-Identifier: BSD-2-Clause */
/* From a path to a reader that has seen all of it. */
#include "intake.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "shown.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CHUNK_BYTES    ((size_t)1 << 20)
#define COMPLAINTS_MAX 20 /* said of one capture; the rest are counted */

static void complain(void *ctx, uint64_t line, const char *text)
{
	struct intake *in = ctx;
	char clean[1024];

	if (in->complaints++ >= COMPLAINTS_MAX)
		return;
	snprintf(clean, sizeof(clean), "%s", text);
	shown_clean(clean);
	progress_hide();
	fprintf(stderr, "%s:%llu: %s\n", in->name, (unsigned long long)line, clean);
}

/* The whole file, or NULL-terminated text of what went wrong. */
static const char *feed(struct reader *r, const char *path, intake_also *also, void *ctx)
{
	static char chunk[CHUNK_BYTES];
	bool standard = strcmp(path, "-") == 0;
	FILE *f = standard ? stdin : fopen(path, "rb");
	const char *error = NULL;
	size_t count;

	if (!f)
		return strerror(errno);
	progress_start_file(standard ? "standard input" : path, f);
	while ((count = fread(chunk, 1, sizeof(chunk), f)) > 0) {
		reader_feed(r, chunk, count);
		progress_add(count);
		if (also)
			also(ctx, chunk, count);
	}
	if (ferror(f))
		error = strerror(errno);
	if (!standard)
		fclose(f);
	reader_finish(r);
	progress_stop();
	return error;
}

void intake_read(struct intake *in, const char *path, const struct reader_hooks *hooks)
{
	intake_read_also(in, path, hooks, NULL, NULL);
}

void intake_read_also(struct intake *in, const char *path, const struct reader_hooks *hooks,
		      intake_also *also, void *ctx)
{
	struct reader_hooks own = *hooks;

	*in = (struct intake){ .name = strcmp(path, "-") == 0 ? "standard input" : path };
	own.complain = complain;
	own.ctx = in;
	in->reader = memory_need(reader_new(&own));
	in->error = feed(in->reader, path, also, ctx);
}

bool intake_check(const char *subcommand, int count, const char *const *paths)
{
	int standard = 0;

	for (int i = 0; i < count; i++)
		standard += strcmp(paths[i], "-") == 0;
	if (standard > 1)
		fprintf(stderr, "%s: standard input can be read once, and - is named %d times\n",
			subcommand, standard);
	return standard <= 1;
}

static void say_flaw(void *ctx, const char *sentence)
{
	const struct intake *in = ctx;
	char clean[1024];

	snprintf(clean, sizeof(clean), "%s", sentence);
	shown_clean(clean);
	fprintf(stderr, "%s: %s\n", in->name, clean);
}

static int no_run(const struct intake *in)
{
	const struct reader_totals *totals = reader_totals(in->reader);

	if (in->error)
		fprintf(stderr, "%s: %s\n", in->name, in->error);
	else
		fprintf(stderr, "%s: no %snoisefloor record in %llu bytes\n", in->name,
			totals->damaged || totals->refused ? "readable " : "",
			(unsigned long long)totals->bytes);
	return EXIT_ERROR;
}

int intake_judge(struct intake *in, bool say_flaws)
{
	const struct reader_totals *totals = reader_totals(in->reader);
	int code = totals->refused ? EXIT_ERROR : EXIT_PASS;
	struct reader_run *run;
	size_t n;

	for (n = 0; (run = reader_run(in->reader, n)); n++) {
		code = shown_worst(code, shown_exit_code(run));
		if (say_flaws)
			shown_flaws(run, say_flaw, in);
	}
	if (in->complaints > COMPLAINTS_MAX)
		fprintf(stderr, "%s: %llu complaints more\n", in->name,
			(unsigned long long)(in->complaints - COMPLAINTS_MAX));
	if (!n)
		return no_run(in);
	if (!in->error)
		return code;
	fprintf(stderr, "%s: %s, after %llu bytes\n", in->name, in->error,
		(unsigned long long)totals->bytes);
	return EXIT_ERROR;
}

void intake_free(struct intake *in)
{
	struct reader_run *run;

	for (size_t n = 0; in->reader && (run = reader_run(in->reader, n)); n++)
		shown_free(run);
	reader_free(in->reader);
	in->reader = NULL;
}
