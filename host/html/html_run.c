/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run's report before and after its stages. */
#include "html_run.h"

#include "host/lib/exit.h"
#include "host/capture/result_verdict.h"
#include "host/kinds/host_kind.h"
#include "host/lib/markup.h"
#include "html.h"
#include "plot.h"

#include "core/report/summary.h"

#include <inttypes.h>
#include <string.h>

#define LONG_LINE_MAX 32768
#define TITLE_MAX     400
#define PAUSES_MAX    20 /* listed individually */

/* ---- Verdict ---- */

/* Sign, class and word for an exit code, the worst known. */
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

/* The exit code, and the words for it. */
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

int html_run_title(const struct result *run, const struct preset *preset, struct text *t)
{
	static struct result_verdict v;
	const char *word;
	int code = judge(run, preset, &v, &word);

	text_reset(t);
	add_identity(run, t);
	/* A sign is in front of the words. */
	text_add(t, ": %s", strchr(word, ' ') + 1);
	return code;
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

/* ---- Machine ---- */

struct machine_rows {
	FILE *f;
	bool open; /* a row whose text may be continued */
};

static void end_machine_row(struct machine_rows *r)
{
	if (!r->open)
		return;
	fputs("</td>", r->f);
	html_row_end(r->f);
	r->open = false;
}

/* "machine: Acme X" becomes a row of a table; a line that begins with blanks continues it. */
static void put_machine_line(void *ctx, const char *line, size_t bytes)
{
	struct machine_rows *r = ctx;
	const char *colon = *line == ' ' ? NULL : strchr(line, ':');
	char name[32] = "";

	(void)bytes;
	if (r->open && *line == ' ') {
		fputc(' ', r->f);
		markup_text(r->f, line + strspn(line, " "));
		return;
	}
	end_machine_row(r);
	if (colon && colon - line < (long)sizeof(name)) {
		snprintf(name, sizeof(name), "%.*s", (int)(colon - line), line);
		line = colon + 1 + strspn(colon + 1, " ");
	}
	fputs("<tr>", r->f);
	html_cell(r->f, name);
	fputs("<td>", r->f);
	markup_text(r->f, line);
	r->open = true;
}

static void put_machine(FILE *f, const struct result *run)
{
	struct machine_rows rows = { .f = f };

	fputs("<h3>Machine and configuration</h3>\n", f);
	if (!run->has_begin) {
		html_paragraph(f,
			       "There is no begin record: machine, clock and configuration are not "
			       "known.");
		return;
	}
	fputs("<table class=\"facts\"><tbody>\n", f);
	result_record_text(run, RECORD_BEGIN, &run->begin, put_machine_line, &rows);
	end_machine_row(&rows);
	fputs("<tr><td>config</td>", f);
	html_cell(f, run->begin.config);
	html_row_end(f);
	fputs("<tr><td>noisefloor</td>", f);
	html_cell(f, run->begin.version);
	html_row_end(f);
	fputs("</tbody></table>\n", f);
}

/* ---- Ladder ---- */

static void put_ladder_line(void *ctx, const char *line, size_t bytes)
{
	(void)bytes;
	markup_text(ctx, line);
	fputc('\n', ctx);
}

static void put_ladder(FILE *f, const struct result *run)
{
	if (run->ladder.count < 2)
		return;
	fputs("<h3>Ladder: what each step removed or added</h3>\n<figure tabindex=\"0\">\n", f);
	plot_ladder(f, &run->ladder);
	fputs("</figure>\n<pre>", f);
	ladder_print(&run->ladder, put_ladder_line, f);
	fputs("</pre>\n", f);
}

/* ---- Clock ---- */

static void put_line(void *f, const char *line, size_t bytes)
{
	(void)bytes;
	html_paragraph(f, line);
}

static void put_pauses(FILE *f, const struct result *run)
{
	TEXT_DEFINE(t, 80);

	if (run->pauses)
		fputs("<h3>When the clock itself was wrong</h3>\n", f);
	for (size_t i = 0; i < run->pauses && i < PAUSES_MAX; i++)
		result_record_text(run, RECORD_PAUSE, &run->pause[i], put_line, f);
	if (run->pauses > PAUSES_MAX) {
		text_add(&t, "%zu more are not shown here.", run->pauses - PAUSES_MAX);
		html_paragraph(f, t.buf);
	}
}

/* ---- Faults ---- */

static void put_faults(FILE *f, const struct result *run)
{
	if (run->faults)
		fputs("<h3>Faults of the probe</h3>\n", f);
	for (size_t i = 0; i < run->faults; i++)
		result_record_text(run, RECORD_FAULT, &run->fault[i], put_line, f);
}

/* ---- Attestation ---- */

static void put_attest(FILE *f, const struct result *run)
{
	if (!run->has_attest)
		return;
	fputs("<h3>Attestation</h3>\n", f);
	result_record_text(run, RECORD_ATTEST, &run->attest, put_line, f);
}

/* ---- Log ---- */

static void put_logs(FILE *f, const struct result *run)
{
	bool any = false;

	for (size_t i = 0; i < run->logs; i++) {
		const struct record_log *log = &run->log[i];

		if (!any)
			fputs("<h3>Other messages of the run</h3>\n", f);
		any = true;
		fputs("<p>", f);
		markup_text(f, log->level ? log->level : "n/a");
		fputs(": ", f);
		markup_text(f, log->text);
		fputs("</p>\n", f);
	}
}

void html_stage(FILE *f, const struct result *run, struct result_stage *stage,
		const struct config *limits)
{
	const struct host_kind *kind;

	fputs("<h3>Stage ", f);
	markup_text(f, stage->name);
	fputs("</h3>\n", f);
	for (size_t n = 0; (kind = host_kind_at(n)); n++)
		if (kind->page)
			kind->page(f, run, stage, limits);
}

void html_run(FILE *f, const char *file, const struct result *run, const struct html_options *o)
{
	static struct result_verdict v;
	const char *word;
	TEXT_DEFINE(title, TITLE_MAX);
	int code = judge(run, o->preset, &v, &word);

	add_identity(run, &title);
	fprintf(f, "<section id=\"run-%zu\">\n", o->number);
	html_element(f, "h2", title.buf);
	fputs("<p class=\"dim\">", f);
	markup_text(f, file);
	fprintf(f, ": run %016" PRIx64 "</p>\n", run->sid);
	put_verdict(f, run, &v, code, word);
	put_pauses(f, run);
	put_faults(f, run);
	html_split(f, o->split, o->splits);
	put_ladder(f, run);
	for (size_t i = 0; i < run->stages; i++) {
		if (result_stage_is_measured(&run->stage[i]))
			html_stage(f, run, &run->stage[i], &v.limits);
	}
	if (!result_is_measured(run))
		html_paragraph(f, "There is no cpu record: nothing was measured, or it is lost.");
	put_machine(f, run);
	put_attest(f, run);
	put_logs(f, run);
	fputs("</section>\n", f);
}
