/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `show --format html`: captures on one page. Its sections of a run have what text has, and
 * drawings.
 */
#include "html.h"

#include "host/capture/capture.h"
#include "host/forms/show_form.h"
#include "host/kinds/host_kind.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/output_file.h"
#include "host/lib/progress.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"
#include "core/report/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void put_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	text_markup(f, text);
	fprintf(f, "</%s>", name);
}

/* A text as a paragraph of the page, which is a FILE. */
static void put_paragraph(void *page, const char *text)
{
	put_element(page, "p", text);
	fputc('\n', page);
}

static void open_page(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
	      "style-src &#39;unsafe-inline&#39;\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
	      f);
	put_element(f, "title", title);
	fprintf(f, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	put_element(f, "h1", title);
	fputc('\n', f);
}

/* No run has causes of both AArch64 and x86-64, so these share colours and shapes. */
static const struct {
	const char *class, *shape;
} causes[CAUSES] = {
	/* Causes without a row of their own are drawn as unknown ones. */
	[CAUSE_SMI] = { "k-red", "m0-3l3 6h-6z" },                        /* triangle */
	[CAUSE_NMI] = { "k-blue", "m-3-3h6v6h-6z" },                      /* square */
	[CAUSE_MCE] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" }, /* star */
	[CAUSE_EL3] = { "k-red", "m0-3l3 6h-6z" },
	[CAUSE_HYPERVISOR] = { "k-blue", "m-3-3h6v6h-6z" },
	[CAUSE_SERROR] = { "k-pink", "m0-4l1 3h3v2h-3l-1 3l-1-3h-3v-2h3z" },
	[CAUSE_STEAL] = { "k-steal", "m0-4l4 4l-4 4l-4-4z" }, /* diamond */
	[CAUSE_STOPPED] = { "k-stopped", "m0 3l3-6h-6z" },    /* triangle, upside down */
	[CAUSE_STALL] = { "k-stall", "m-4-1h8v2h-8z" },       /* bar */
	[CAUSE_UNKNOWN] = { "k-unknown", "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0" }, /* disc */
};

const char *html_cause_class(enum cause cause)
{
	return causes[causes[cause].class ? cause : CAUSE_UNKNOWN].class;
}

const char *html_cause_shape(enum cause cause)
{
	return causes[causes[cause].shape ? cause : CAUSE_UNKNOWN].shape;
}

const char *html_duration(uint64_t ns, char buf[24])
{
	struct text t;

	text_init(&t, buf, 24);
	text_duration(&t, ns);
	return buf;
}

/* ---- A run: its parts before and after its stages ---- */

#define LONG_LINE_MAX 32768

/* ---- Verdict ---- */

/* For each exit code, its class, and its sign and word. */
static const struct {
	const char *class, *word;
} banners[] = {
	[EXIT_PASS] = { "pass", "\xe2\x9c\x93 pass" },
	[EXIT_FAIL] = { "fail", "\xe2\x9c\x97 fail" },
	[EXIT_ERROR] = { "error", "! error" },
	[EXIT_INCOMPLETE] = { "incomplete", "\xe2\x80\xa6 incomplete" },
};

#define NO_LIMIT "\xe2\x80\x93 no limit was set"
#define SHORT    "\xe2\x80\xa6 pass, but short"

static bool has_no_limit(const struct result *run, const struct result_verdict *v, int code)
{
	if (code != EXIT_PASS || !run->has_end || strcmp(run->end.verdict, "none") != 0)
		return false;
	return !v->asked || v->reasons.verdict == VERDICT_NONE;
}

static void put_reasons(FILE *f, const struct result *run, const struct result_verdict *v)
{
	static char sentence[LONG_LINE_MAX];
	struct text t;

	for (size_t i = 0; run->has_end && i < RECORD_STRINGS && run->end.reasons[i]; i++)
		put_paragraph(f, run->end.reasons[i]);
	text_init(&t, sentence, sizeof(sentence));
	result_verdict_sentence(v, &t);
	if (t.len)
		put_paragraph(f, sentence);
	text_reset(&t);
	if (run->has_end && run->end.watched_ppm.known) {
		summary_print_watched(&t, &run->end);
		put_paragraph(f, sentence);
		text_reset(&t);
	}
	if (run->has_begin) {
		summary_print_platform(&t, &run->begin);
		put_paragraph(f, sentence);
	}
}

/* Return the exit code of the run's verdict, and the words for it in *word. */
static int html_judge(const struct result *run, const struct preset *preset,
		      struct result_verdict *v, const char **word)
{
	int code = result_exit_code(run);

	result_verdict_read(v, run, preset);
	code = exit_worst(code, result_verdict_exit_code(v));
	*word = has_no_limit(run, v, code)                  ? NO_LIMIT
		: code == EXIT_PASS && v->reasons.remark[0] ? SHORT
							    : banners[code].word;
	return code;
}

/* "Acme X, 2025-01-31T12:34:56Z" */
static void add_identity(const struct result *run, struct text *t)
{
	struct result_identity id;

	result_identify(run, &id);
	text_add(t, "%s", id.machine[0] ? id.machine : "unknown machine");
	if (run->has_begin && run->begin.began)
		text_add(t, ", %s", run->begin.began);
}

static void put_verdict(FILE *f, const struct result *run, const struct result_verdict *v, int code,
			const char *word)
{
	const char *class = strcmp(word, NO_LIMIT) == 0 ? "none"
			    : strcmp(word, SHORT) == 0  ? "short"
							: banners[code].class;

	fprintf(f, "<div class=\"verdict %s\"><b>%s</b>\n", class, word);
	put_reasons(f, run, v);
	result_flaws(run, put_paragraph, f);
	fputs("</div>\n", f);
}

/* ---- What text has, too ---- */

#define LINES_OPEN 64 /* more are folded */

/* Put the output of print() as <pre> under a title, or nothing if it prints no line. */
static void put_printed(FILE *f, const char *heading, const char *title,
			void (*print)(const void *ctx), const void *ctx)
{
	FILE *terminal = stdout;
	char *lines = NULL, *rest;
	size_t bytes, count = 0;

	/* The C library lets a program replace it. */
	stdout = memory_need(open_memstream(&lines, &bytes));
	print(ctx);
	if (fclose(stdout) != 0)
		memory_exhausted();
	stdout = terminal;
	for (const char *at = lines; (at = strchr(at, '\n')); at++)
		count++;
	if (bytes) {
		put_element(f, heading, title);
		if (count > LINES_OPEN)
			fprintf(f, "<details><summary>%zu lines</summary>\n", count);
		fputs("<pre tabindex=\"0\">", f);
		for (char *line = strtok_r(lines, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			text_markup(f, line);
			fputc('\n', f);
		}
		fputs(count > LINES_OPEN ? "</pre>\n</details>\n" : "</pre>\n", f);
	}
	free(lines);
}

/* A kind's part of a stage. */
struct part {
	const struct host_kind *kind;
	const struct result *run;
	struct result_stage *stage;
};

static void print_part(const void *ctx)
{
	static char room[LINES_MAX];
	const struct part *p = ctx;
	struct text t;

	text_init(&t, room, sizeof(room));
	p->kind->text(p->run, p->stage, &t);
}

static void put_stage(FILE *f, const struct result *run, struct result_stage *stage,
		      const struct config *limits)
{
	const struct host_kind *kind;

	fputs("<h3>Stage ", f);
	text_markup(f, stage->name);
	fputs("</h3>\n", f);
	for (size_t n = 0; (kind = host_kind_at(n)); n++) {
		if (kind->title)
			put_printed(f, "h4", kind->title, print_part,
				    &(struct part){ kind, run, stage });
		if (kind->page)
			kind->page(f, run, stage, limits);
	}
}

/*
 * Write the next run, and to *title "Acme X, 2025-01-31T12:34:56Z: fail", less what is not known.
 * Returns the exit code.
 */
static int put_run(FILE *f, const struct show_options *o, const char *file,
		   const struct result *run, struct text *title)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(run);
	static struct result_verdict v;
	const char *word;
	int code = html_judge(run, o->preset, &v, &word);

	add_identity(run, title);
	put_element(f, "h2", title->buf);
	/* Skip the sign in front of the words. */
	text_add(title, ": %s", strchr(word, ' ') + 1);
	fputs("<p class=\"dim\">", f);
	text_markup(f, file);
	fprintf(f, ": run %016" PRIx64 ", noisefloor ", run->sid);
	text_markup(f, run->begin.version);
	fputs("</p>\n", f);
	put_verdict(f, run, &v, code, word);
	put_printed(f, "h3", "When the clock itself was wrong, or the probe", show_text_troubles,
		    run);
	put_printed(f, "h3", "Ladder: what each step removed or added", host_kind_ladder_print,
		    &ladder);
	for (size_t i = 0; i < run->stages; i++) {
		if (result_stage_is_measured(&run->stage[i]))
			put_stage(f, run, &run->stage[i], &v.limits);
	}
	if (!result_is_measured(run))
		put_paragraph(f, "Nothing was measured, or it is lost.");
	put_printed(f, "h3", "Machine and configuration", show_text_machine, run);
	put_printed(f, "h3", "Messages of the run", show_text_messages, run);
	return code;
}

/* ---- The page, which is written after all captures are read ---- */

#define PAGE_TITLE_MAX 400

static struct page {
	FILE *f; /* NULL: nothing was read yet */
	char *text;
	size_t bytes;
	size_t runs;
	int code;                   /* the worst run's */
	char title[PAGE_TITLE_MAX]; /* title of the worst run */
	FILE *list;                 /* the list of all runs */
	char *listed;
	size_t list_bytes;
	const char *out; /* NULL: standard output */
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

static bool add_capture(const struct show_options *o, const struct capture *c)
{
	struct page *p = &page;

	if (!p->f) {
		p->out = o->output;
		p->f = memory_need(open_memstream(&p->text, &p->bytes));
		p->list = memory_need(open_memstream(&p->listed, &p->list_bytes));
	}
	for (size_t n = 0; n < c->runs; n++) {
		TEXT_DEFINE(title, PAGE_TITLE_MAX);
		int code;

		progress_start("drawing", c->name, 0);
		fprintf(p->f, "<section id=\"run-%zu\">\n", p->runs + 1);
		code = put_run(p->f, o, c->name, c->run[n], &title);
		fputs("</section>\n", p->f);
		progress_stop();
		add_title(p, title.buf, code);
	}
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
	open_page(p->f, p->runs > 1 ? title : p->title);
	if (p->runs > 1)
		fprintf(p->f, "<ol>\n%s</ol>\n", p->listed);
	fwrite(body, 1, bytes, p->f);
	if (fclose(p->f) != 0)
		memory_exhausted();
	free(body);
	free(p->listed);
}

static int html_finish(void)
{
	struct page *p = &page;
	bool written;

	fputs("</main>\n</body>\n</html>\n", p->f);
	put_head(p);
	written = !p->runs || write_page(p, p->out);
	free(p->text);
	*p = (struct page){ .f = NULL };
	return written ? EXIT_PASS : EXIT_ERROR;
}

const struct show_form show_form_html = {
	.keep = RESULT_ALL,
	.capture = add_capture,
	.finish = html_finish,
	.has_flaws = true,
	.output = SHOW_OUTPUT_FILE,
};
