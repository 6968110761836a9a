/* SPDX-License-Identifier: BSD-2-Clause */
/* The frame of a page: head and foot, tables and their cells; and the sections of a run. */
#include "html.h"

#include "host/capture/result.h"
#include "host/forms/show_form.h"
#include "host/kinds/host_kind.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"
#include "core/report/summary.h"
#include "core/report/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void html_open(FILE *f, const char *title)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src &#39;none&#39;; "
	      "style-src &#39;unsafe-inline&#39;\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width\"/>\n",
	      f);
	html_element(f, "title", title);
	fprintf(f, "\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", html_style);
	html_element(f, "h1", title);
	fputc('\n', f);
}

void html_close(FILE *f)
{
	fputs("</main>\n</body>\n</html>\n", f);
}

void html_element(FILE *f, const char *name, const char *text)
{
	fprintf(f, "<%s>", name);
	text_markup(f, text);
	fprintf(f, "</%s>", name);
}

void html_paragraph(void *page, const char *text)
{
	html_element(page, "p", text);
	fputc('\n', page);
}

void html_cell(FILE *f, const char *text)
{
	html_element(f, "td", text);
}

void html_cell_format(FILE *f, const char *format, ...)
{
	va_list args;

	fputs("<td class=\"n\">", f);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fputs("</td>", f);
}

void html_cell_number(FILE *f, uint64_t value)
{
	html_cell_format(f, "%" PRIu64, value);
}

void html_cell_maybe(FILE *f, struct maybe m)
{
	if (m.known)
		html_cell_number(f, m.value);
	else
		html_cell_format(f, "n/a");
}

void html_cell_duration(FILE *f, uint64_t ns)
{
	char buf[24];

	html_cell_format(f, "%s", ns ? html_duration(ns, buf) : "\xe2\x80\x93");
}

void html_table_open(FILE *f)
{
	fputs("<div class=\"wide\" tabindex=\"0\"><table><thead><tr>", f);
}

void html_head(FILE *f, const char *name, bool number)
{
	size_t bytes = strcspn(name, "(");
	char *label = memory_text(name);

	/* In a narrow table, the unit is on a line below. */
	label[bytes] = '\0';
	fputs(number ? "<th class=\"n\">" : "<th>", f);
	text_markup(f, label);
	fputs(name[bytes] ? "<wbr/>" : "", f);
	text_markup(f, name + bytes);
	fputs("</th>", f);
	free(label);
}

void html_table_rows(FILE *f)
{
	fputs("</tr></thead><tbody>\n", f);
}

void html_table_end(FILE *f)
{
	fputs("</tbody></table></div>\n", f);
}

void html_row(FILE *f, const char *class)
{
	if (class)
		fprintf(f, "<tr class=\"%s\">", class);
	else
		fputs("<tr>", f);
}

void html_row_end(FILE *f)
{
	fputs("</tr>\n", f);
}

/* No run has causes of both AArch64 and x86-64, so these share colours and shapes. */
static const struct {
	const char *class, *shape;
} causes[CAUSES] = {
	/* Those without a row of their own look like unknown ones. */
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

const char *html_ppm(double value, char buf[24])
{
	snprintf(buf, 24, value >= 1000 ? "%.0f" : "%.4g", value);
	return buf;
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
		html_paragraph(f, run->end.reasons[i]);
	text_init(&t, sentence, sizeof(sentence));
	result_verdict_sentence(v, &t);
	if (t.len)
		html_paragraph(f, sentence);
	text_reset(&t);
	if (run->has_end && run->end.watched_ppm.known) {
		summary_print_watched(&t, &run->end);
		html_paragraph(f, sentence);
		text_reset(&t);
	}
	if (run->has_begin) {
		summary_print_platform(&t, &run->begin);
		html_paragraph(f, sentence);
	}
}

/* Return the exit code of the run's verdict, and the words for it in *word. */
static int judge(const struct result *run, const struct preset *preset, struct result_verdict *v,
		 const char **word)
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
	result_flaws(run, html_paragraph, f);
	fputs("</div>\n", f);
}

/* ---- What text has, too ---- */

void html_printed(FILE *f, const char *heading, const char *title, void (*print)(const void *ctx),
		  const void *ctx)
{
	FILE *terminal = stdout;
	char *lines = NULL, *rest;
	size_t bytes;

	/* The C library lets a program replace it. */
	stdout = memory_need(open_memstream(&lines, &bytes));
	print(ctx);
	if (fclose(stdout) != 0)
		memory_exhausted();
	stdout = terminal;
	if (bytes) {
		if (*title)
			html_element(f, heading, title);
		fputs("<pre tabindex=\"0\">", f);
		for (char *line = strtok_r(lines, "\n", &rest); line;
		     line = strtok_r(NULL, "\n", &rest)) {
			text_markup(f, line);
			fputc('\n', f);
		}
		fputs("</pre>\n", f);
	}
	free(lines);
}

/* What a kind has of a stage. */
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
			html_printed(f, "h4", kind->title, print_part,
				     &(struct part){ kind, run, stage });
		if (kind->page)
			kind->page(f, run, stage, limits);
	}
}

int html_run(FILE *f, const char *file, const struct result *run, const struct html_options *o,
	     struct text *title)
{
	const struct host_kind_ladder ladder = host_kind_ladder_of(run);
	static struct result_verdict v;
	const char *word;
	int code = judge(run, o->preset, &v, &word);

	text_reset(title);
	add_identity(run, title);
	fprintf(f, "<section id=\"run-%zu\">\n", o->number);
	html_element(f, "h2", title->buf);
	/* Skip the sign in front of the words. */
	text_add(title, ": %s", strchr(word, ' ') + 1);
	fputs("<p class=\"dim\">", f);
	text_markup(f, file);
	fprintf(f, ": run %016" PRIx64 ", noisefloor ", run->sid);
	text_markup(f, run->begin.version);
	fputs("</p>\n", f);
	put_verdict(f, run, &v, code, word);
	html_printed(f, "h3", "When the clock itself was wrong, or the probe", show_text_troubles,
		     run);
	html_split(f, o->split, o->splits);
	html_printed(f, "h3", "Ladder: what each step removed or added", host_kind_ladder_print,
		     &ladder);
	for (size_t i = 0; i < run->stages; i++) {
		if (result_stage_is_measured(&run->stage[i]))
			put_stage(f, run, &run->stage[i], &v.limits);
	}
	if (!result_is_measured(run))
		html_paragraph(f, "There is no cpu record: nothing was measured, or it is lost.");
	html_printed(f, "h3", "Machine and configuration", show_text_machine, run);
	html_printed(f, "h3", "Messages of the run", show_text_messages, run);
	fputs("</section>\n", f);
	return code;
}
