/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor report`: captures to one page, which is written when all of them are read. */
#include "host/lib/exit.h"
#include "host/compare/floor.h"
#include "host/capture/capture.h"
#include "host/lib/markup.h"
#include "host/lib/memory.h"
#include "host/lib/output_file.h"
#include "host/subcommands.h"
#include "html.h"
#include "html_run.h"
#include "host/tools/tool.h"
#include "host/lib/progress.h"
#include "host/compare/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INSIDE_MAX     64 /* files */
#define PAGE_TITLE_MAX 400

static struct options {
	const struct preset *preset;
	const char *out, *stage, *run;
	bool force;
	const char *inside[INSIDE_MAX];
	size_t inside_count;
	struct tool_list tools; /* their contents */
} options;

struct page {
	FILE *f;
	char *text;
	size_t bytes;
	size_t runs;
	int code;                   /* the worst run's */
	char title[PAGE_TITLE_MAX]; /* the same */
	FILE *list;                 /* of all runs */
	char *listed;
	size_t list_bytes;
};

/* A line in the list of runs, and the page's title if there was none worse. */
static int add_title(struct page *p, const struct options *o, const struct result *run)
{
	char title[PAGE_TITLE_MAX];
	struct text t;
	int code;

	text_init(&t, title, sizeof(title));
	code = html_run_title(run, o->preset, &t);
	if (!p->runs || exit_worst(p->code, code) != p->code) {
		p->code = code;
		memcpy(p->title, title, sizeof(title));
	}
	fprintf(p->list, "<li><a href=\"#run-%zu\">", ++p->runs);
	markup_text(p->list, title);
	fputs("</a></li>\n", p->list);
	return code;
}

/* The floor of one capture, and the OS's measurements compared with it. */
struct sides {
	struct floor floor;
	struct split_result *split;
	size_t splits;
};

static int compare_sides(struct sides *s, const struct options *o, const struct capture *c)
{
	int code;

	if (!floor_choose(c, o->stage, &s->floor))
		return EXIT_ERROR;
	s->split = split_make_all(&s->floor, &o->tools, o->force, &code);
	s->splits = o->tools.count;
	return code;
}

static int add_runs(struct page *p, const struct options *o, const struct capture *c,
		    const struct sides *s)
{
	int code = EXIT_PASS;

	for (size_t n = 0; n < c->runs; n++) {
		bool floor = s->splits && s->floor.run == c->run[n];
		const struct html_options page = { .number = p->runs + 1,
						   .preset = o->preset,
						   .split = s->split,
						   .splits = floor ? s->splits : 0 };

		progress_start("drawing", c->name, 0);
		code = exit_worst(code, add_title(p, o, c->run[n]));
		html_run(p->f, c->name, c->run[n], &page);
		progress_stop();
	}
	return code;
}

static int add_capture(struct page *p, const struct options *o, const char *path)
{
	const struct capture_want want = { .keep = RESULT_ALL, .run = o->run };
	struct sides sides = { .splits = 0 };
	struct capture c;
	int code;

	capture_open(&c, path, &want);
	code = capture_judge(&c, false);
	if (o->inside_count)
		code = exit_worst(code, compare_sides(&sides, o, &c));
	code = exit_worst(code, add_runs(p, o, &c, &sides));
	split_free_all(sides.split, sides.splits);
	capture_close(&c);
	return code;
}

static int write_to(const struct page *p, FILE *to)
{
	return fwrite(p->text, 1, p->bytes, to) == p->bytes && fflush(to) == 0 ? 0 : errno;
}

static bool write_page(const struct page *p, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	struct output_file file;
	int error = standard ? write_to(p, stdout) : output_file_open_any(&file, path, 0666);

	if (!standard && !error)
		error = output_file_close(&file, write_to(p, file.to));
	if (error)
		fprintf(stderr, "%s: %s\n", standard ? "standard output" : path, strerror(error));
	return !error;
}

/* Standard input may be a run or a measurement of the OS; the page is neither. */
static bool check_files(const struct options *o, int count, char **paths)
{
	const char **all = memory_new((size_t)count + o->inside_count, sizeof(*all));
	bool fine;

	memcpy(all, paths, (size_t)count * sizeof(*all));
	memcpy(all + count, o->inside, o->inside_count * sizeof(*all));
	fine = capture_check("report", count + (int)o->inside_count, all) &&
	       output_file_check("report", o->out, count + (int)o->inside_count, all);
	free(all);
	return fine;
}

/* It is known only at the end what is on the page. */
static void put_head(struct page *p)
{
	char title[PAGE_TITLE_MAX + 40], *body;
	size_t bytes;

	if (fclose(p->f) != 0 || fclose(p->list) != 0)
		memory_exhausted();
	body = p->text;
	bytes = p->bytes;
	p->f = memory_need(open_memstream(&p->text, &p->bytes));
	snprintf(title, sizeof(title), "%zu runs, the worst: %s", p->runs, p->title);
	html_open(p->f, p->runs > 1 ? title : p->title);
	if (p->runs > 1)
		fprintf(p->f, "<ol>\n%s</ol>\n", p->listed);
	fwrite(body, 1, bytes, p->f);
	if (fclose(p->f) != 0)
		memory_exhausted();
	free(body);
	free(p->listed);
}

static int run(int count, char **paths)
{
	struct options *o = &options;
	struct page p = { .runs = 0 };
	int code = EXIT_PASS;

	if (!check_files(o, count, paths))
		return EXIT_ERROR;
	p.f = memory_need(open_memstream(&p.text, &p.bytes));
	p.list = memory_need(open_memstream(&p.listed, &p.list_bytes));
	for (size_t i = 0; i < o->inside_count; i++)
		tool_read(&o->tools, o->inside[i], capture_print, NULL);
	if (o->tools.failed)
		code = EXIT_ERROR;
	for (int i = 0; i < count; i++)
		code = exit_worst(code, add_capture(&p, o, paths[i]));
	html_close(p.f);
	put_head(&p);
	if (p.runs && !write_page(&p, o->out))
		code = EXIT_ERROR;
	tool_free(&o->tools);
	free(p.text);
	return code;
}

static bool add_inside(const struct options_given *given)
{
	struct options *o = given->field;

	if (o->inside_count == INSIDE_MAX) {
		fprintf(stderr, "report: more than %d files with --inside\n", INSIDE_MAX);
		return false;
	}
	o->inside[o->inside_count++] = given->value;
	return true;
}

static const struct options_row rows[] = {
	OPTIONS_OUTPUT(struct options, out, true, "the page; - is standard output"),
	{ "inside", "FILE",
	  "what was measured from inside an OS on the same machine, in any format that `compare` "
	  "reads; may be given several times",
	  .take = add_inside },
	OPTIONS_STAGE(
		struct options, stage,
		"with --inside: the stage to take for the floor; by default handoff, else the "
		"last"),
	{ "force", NULL, "with --inside: compare what is refused as unsound", options_flag,
	  .offset = offsetof(struct options, force) },
	OPTIONS_RUN(struct options, run, "only this run, if a file has several"),
	OPTIONS_PRESET(struct options, preset),
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand report_subcommand = {
	.name = "report",
	.run = run,
	.summary = "runs as one page for a browser or a printer",
	.arguments = "FILE...",
	.least = 1,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "One page with all runs of the captures: verdict, ladder, events across cores, "
		 "histograms, sources, a row per core, machine; and with --inside, who owns the "
		 "noise that an OS saw. The page is self-contained, without scripts, for light and "
		 "dark screens and for print.",
	.exit_code =
		"that of the worst run, as of `show`, and of all comparisons, as of `compare`; "
		"2 also if the page could not be written. Nothing is written if no run could "
		"be read.",
	.rows = rows,
	.options = &options,
};
