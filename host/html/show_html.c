/* SPDX-License-Identifier: BSD-2-Clause */
/* `show --format html` draws captures on one page, which is written after all are read. */
#include "host/lib/exit.h"
#include "host/capture/capture.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/memory.h"
#include "host/lib/output_file.h"
#include "host/forms/show_form.h"
#include "html.h"
#include "host/tools/tool.h"
#include "host/lib/progress.h"
#include "host/compare/split.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAGE_TITLE_MAX 400

static struct page {
	FILE *f; /* NULL: nothing was read yet */
	char *text;
	size_t bytes;
	size_t runs;
	int code;                   /* the worst run's */
	char title[PAGE_TITLE_MAX]; /* the same */
	FILE *list;                 /* the list of all runs */
	char *listed;
	size_t list_bytes;
	const char *out;        /* NULL: standard output */
	struct tool_list tools; /* what was measured from inside an OS */
	int worst;              /* worst exit code of the comparisons with it */
} page;

/* Add a line to the list of runs. The worst run also gives the page its title. */
static void add_title(struct page *p, const char *title, int code)
{
	if (!p->runs || exit_worst(p->code, code) != p->code) {
		p->code = code;
		snprintf(p->title, sizeof(p->title), "%s", title);
	}
	fprintf(p->list, "<li><a href=\"#run-%zu\">", ++p->runs);
	text_markup(p->list, title);
	fputs("</a></li>\n", p->list);
}

/* Compare the measurements from inside the OS with the floor of one capture. */
struct sides {
	struct floor floor;
	struct split_result *split;
	size_t splits;
};

/*
 * Read once, as it may be standard input, with the first floor's shortest gap. A later floor whose
 * shortest gap is longer has wider ranges than in `compare`.
 */
static void read_inside(struct page *p, const struct show_options *o, uint64_t floor_ns)
{
	p->tools.given.floor_ns = floor_ns;
	for (size_t i = 0; i < o->inside.count; i++)
		tool_read(&p->tools, o->inside.text[i], capture_print, NULL);
}

static int compare_sides(struct sides *s, struct page *p, const struct show_options *o,
			 const struct capture *c)
{
	int code;

	if (!floor_choose(c, o->stage, &s->floor))
		return EXIT_ERROR;
	if (!p->tools.count && !p->tools.failed)
		read_inside(p, o, s->floor.threshold_ns);
	s->split = split_make_all(&s->floor, &p->tools, o->force, &code);
	s->splits = p->tools.count;
	return code;
}

static void add_runs(struct page *p, const struct show_options *o, const struct capture *c,
		     const struct sides *s)
{
	for (size_t n = 0; n < c->runs; n++) {
		bool floor = s->splits && s->floor.run == c->run[n];
		const struct html_options of = { .number = p->runs + 1,
						 .preset = o->preset,
						 .split = s->split,
						 .splits = floor ? s->splits : 0 };
		TEXT_DEFINE(title, PAGE_TITLE_MAX);
		int code;

		progress_start("drawing", c->name, 0);
		code = html_run(p->f, c->name, c->run[n], &of, &title);
		progress_stop();
		add_title(p, title.buf, code);
	}
}

static void begin(struct page *p, const struct show_options *o)
{
	p->out = o->output;
	p->f = memory_need(open_memstream(&p->text, &p->bytes));
	p->list = memory_need(open_memstream(&p->listed, &p->list_bytes));
}

static bool add_capture(const struct show_options *o, const struct capture *c)
{
	struct sides sides = { .splits = 0 };
	struct page *p = &page;

	if (!p->f)
		begin(p, o);
	if (o->inside.count)
		p->worst = exit_worst(p->worst, compare_sides(&sides, p, o, c));
	add_runs(p, o, c, &sides);
	split_free_all(sides.split, sides.splits);
	return true;
}

static int write_to(const struct page *p, FILE *to)
{
	return fwrite(p->text, 1, p->bytes, to) == p->bytes && fflush(to) == 0 ? 0 : errno;
}

static bool write_page(const struct page *p, const char *path)
{
	bool standard = !path || strcmp(path, "-") == 0;
	struct output_file file;
	int error = standard ? write_to(p, stdout) : output_file_open_any(&file, path, 0666);

	if (!standard && !error)
		error = output_file_close(&file, write_to(p, file.to));
	if (error)
		fprintf(stderr, "%s: %s\n", standard ? "standard output" : path, strerror(error));
	return !error;
}

/* Standard input may be a run or an OS's measurement. The page must not overwrite an input. */
static bool check_files(const struct show_options *o, int count, const char *const *paths)
{
	int inside = (int)o->inside.count;
	const char **all = memory_new((size_t)(count + inside), sizeof(*all));
	bool fine;

	memcpy(all, paths, (size_t)count * sizeof(*all));
	memcpy(all + count, o->inside.text, (size_t)inside * sizeof(*all));
	fine = capture_check("show", count + inside, all) &&
	       (!o->output || output_file_check("show", o->output, count + inside, all));
	free(all);
	return fine;
}

/* The page is written last: only then are its title and its list complete. */
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

static int finish(void)
{
	struct page *p = &page;
	int code = p->tools.failed ? EXIT_ERROR : p->worst;

	html_close(p->f);
	put_head(p);
	if (p->runs && !write_page(p, p->out))
		code = EXIT_ERROR;
	tool_free(&p->tools);
	free(p->text);
	*p = (struct page){ .f = NULL };
	return code;
}

const struct show_form show_form_html = {
	.keep = RESULT_ALL,
	.check = check_files,
	.capture = add_capture,
	.finish = finish,
	.has_flaws = true,
	.output = SHOW_OUTPUT_FILE,
};
