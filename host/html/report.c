/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor report`: captures to one page, which is written when all of them are read. */
#include "host/lib/exit.h"
#include "host/compare/floor.h"
#include "host/capture/intake.h"
#include "host/capture/judged.h"
#include "host/capture/measured.h"
#include "host/lib/memory.h"
#include "host/subcommands.h"
#include "page.h"
#include "page_run.h"
#include "host/tools/peer.h"
#include "host/lib/progress.h"
#include "host/capture/shown.h"
#include "host/compare/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INOS_MAX 64 /* files */

struct options {
	const struct preset *preset;
	const char *out, *stage;
	bool force;
	const char *inos[INOS_MAX];
	size_t inos_count;
	struct peers peers; /* what is in them */
};

struct page {
	FILE *f;
	char *text;
	size_t bytes;
	size_t runs;
};

static void keep(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep_whole(run, record);
}

static void complain(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	progress_hide();
	if (line)
		fprintf(stderr, "%s:%llu: %s\n", file, (unsigned long long)line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static int judge_by_preset(const struct options *o, struct reader_run *run)
{
	static struct judged j;

	judged_read(&j, shown_of(run), o->preset);
	return judged_exit_code(&j);
}

/* One capture's floor, and what the OS's side is against it. */
struct sides {
	struct measured_reader *reader;
	struct measured measured;
	struct floor floor;
	struct split *split;
	size_t splits;
};

/* The page's own reader complains already. */
static void keep_quiet(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx, (void)file, (void)line, (void)text;
}

static void feed_sides(void *ctx, const char *bytes, size_t count)
{
	struct sides *s = ctx;

	measured_feed(s->reader, bytes, count);
}

static int compare_sides(struct sides *s, const struct options *o, const char *name)
{
	int code = EXIT_PASS;
	char reason[400];
	struct text why;

	measured_end(s->reader, &s->measured);
	text_init(&why, reason, sizeof(reason));
	if (!floor_choose(&s->measured, name, o->stage, &s->floor, &why)) {
		shown_clean(reason);
		complain(NULL, name, 0, reason);
		return EXIT_ERROR;
	}
	s->split = memory_new(o->peers.count, sizeof(*s->split));
	for (s->splits = 0; s->splits < o->peers.count; s->splits++) {
		split_make(&s->split[s->splits], &s->floor, &o->peers.at[s->splits], o->force);
		code = shown_worst(code, split_exit_code(&s->split[s->splits]));
	}
	return code;
}

static void free_sides(struct sides *s)
{
	for (size_t i = 0; i < s->splits; i++)
		split_free(&s->split[i]);
	free(s->split);
	measured_free(&s->measured);
}

static int add_runs(struct page *p, const struct options *o, struct intake *in,
		    const struct sides *s)
{
	struct reader_run *run;
	int code = EXIT_PASS;

	for (size_t n = 0; (run = reader_run(in->reader, n)); n++) {
		bool floor = s->splits && s->floor.run->sid == run->sid;
		const struct page_options page = { .preset = o->preset,
						   .split = s->split,
						   .splits = floor ? s->splits : 0 };

		progress_start("drawing", in->name, 0);
		page_run(p->f, in->name, run, &page);
		progress_stop();
		code = shown_worst(code, judge_by_preset(o, run));
		p->runs++;
	}
	return code;
}

static int add_capture(struct page *p, const struct options *o, const char *path)
{
	const struct reader_hooks hooks = { .wanted = UINT32_MAX, .record = keep };
	struct sides sides = { .splits = 0 };
	struct intake in;
	int code;

	if (o->inos_count)
		sides.reader = measured_start(path, keep_quiet, NULL);
	intake_read_also(&in, path, &hooks, o->inos_count ? feed_sides : NULL, &sides);
	code = intake_judge(&in, false);
	if (o->inos_count)
		code = shown_worst(code, compare_sides(&sides, o, in.name));
	code = shown_worst(code, add_runs(p, o, &in, &sides));
	free_sides(&sides);
	intake_free(&in);
	return code;
}

static bool write_page(const struct page *p, const char *path)
{
	bool standard = strcmp(path, "-") == 0, ok;
	FILE *f = standard ? stdout : fopen(path, "wb");

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	ok = fwrite(p->text, 1, p->bytes, f) == p->bytes;
	ok = (standard ? fflush(f) : fclose(f)) == 0 && ok;
	if (!ok)
		fprintf(stderr, "%s: %s\n", standard ? "standard output" : path, strerror(errno));
	return ok;
}

static int report(struct options *o, int count, char **paths)
{
	struct page p = { .runs = 0 };
	int code = EXIT_PASS;

	p.f = memory_need(open_memstream(&p.text, &p.bytes));
	for (size_t i = 0; i < o->inos_count; i++)
		peers_read(&o->peers, o->inos[i], complain, NULL);
	if (o->peers.failed)
		code = EXIT_ERROR;
	page_open(p.f, "Noise floor");
	for (int i = 0; i < count; i++)
		code = shown_worst(code, add_capture(&p, o, paths[i]));
	page_close(p.f);
	if (fclose(p.f) != 0)
		memory_exhausted();
	if (p.runs && !write_page(&p, o->out))
		code = EXIT_ERROR;
	peers_free(&o->peers);
	free(p.text);
	return code;
}

static bool add_inos(const struct options_given *given)
{
	struct options *o = given->field;

	if (o->inos_count == INOS_MAX) {
		fprintf(stderr, "report: more than %d files with --inos\n", INOS_MAX);
		return false;
	}
	o->inos[o->inos_count++] = given->value;
	return true;
}

/* Standard input may be a run or the OS's side. */
static bool check_files(const struct options *o, int count, char **paths)
{
	const char **all = memory_new((size_t)count + o->inos_count, sizeof(*all));
	bool fine;

	memcpy(all, paths, (size_t)count * sizeof(*all));
	memcpy(all + count, o->inos, o->inos_count * sizeof(*all));
	fine = intake_check("report", count + (int)o->inos_count, all);
	free(all);
	return fine;
}

static const struct options_row rows[] = {
	OPTIONS_OUTPUT(struct options, out, true, "the page; - is standard output"),
	{ "inos", "FILE",
	  "what was measured from inside an OS on the same machine, in any format that `compare` "
	  "reads; may be given several times",
	  .take = add_inos },
	OPTIONS_STAGE(struct options, stage,
		      "with --inos: the stage to take for the floor; by default handoff, else the "
		      "last"),
	{ "force", NULL, "with --inos: compare what is refused as unsound", options_flag,
	  .offset = offsetof(struct options, force) },
	OPTIONS_PRESET(struct options, preset),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct subcommand report_subcommand = {
	.name = "report",
	.main = report_main,
	.summary = "runs as one page for a browser or a printer",
	.arguments = "FILE...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "One page with all runs of the captures: verdict, machine, ladder, events across "
		 "cores, histograms, sources, a row per core; and with --inos, who owns the noise "
		 "that an OS saw. The page is self-contained, without scripts, for light and dark "
		 "screens and for print.",
	.exit_code =
		"that of the worst run, as of `show`, and of all comparisons, as of `compare`; "
		"2 also if the page could not be written. Nothing is written if no run could "
		"be read.",
	.rows = rows,
};

int report_main(int argc, char **argv)
{
	static struct options o;
	int code = options_read(&report_subcommand, &o, argc, argv);

	if (code != OPTIONS_READ)
		return code;
	if (!check_files(&o, argc - optind, argv + optind))
		return EXIT_ERROR;
	return report(&o, argc - optind, argv + optind);
}
