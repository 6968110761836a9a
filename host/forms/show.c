/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show`: each capture is read once, record by record, and printed in one form. */
#include "host/lib/exit.h"
#include "host/capture/capture.h"
#include "host/capture/result.h"
#include "host/subcommands.h"
#include "host/lib/output_file.h"
#include "host/lib/progress.h"
#include "show_form.h"

#include "core/lib/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct asked {
	struct form_choice form;
	const char *share;
	const char *code; /* read from a screen; NULL: there are files */
	struct show_options options;
} asked;

static void put_line(const char *line, size_t bytes)
{
	fwrite(line, 1, bytes, stdout);
	putchar('\n');
}

static const struct show_form jsonl = { .line = put_line, .of_summary = true };

static const struct show_form *const forms[FORMS] = {
	[FORM_TEXT] = &show_form_text, [FORM_JSON] = &show_form_json,
	[FORM_JSONL] = &jsonl,         [FORM_JUNIT] = &show_form_junit,
	[FORM_HTML] = &show_form_html, [FORM_INFLUX] = &show_form_influx,
	[FORM_CTF] = &show_form_ctf,
};

const struct show_form *show_form_at(unsigned form)
{
	return form < FORMS ? forms[form] : NULL;
}

/* The preset's verdict on each run. */
static int judge_by_preset(const struct show_form *form, const struct show_options *o,
			   const struct capture *c)
{
	static struct result_verdict v;
	int code = EXIT_PASS;
	TEXT_DEFINE(sentence, 4096);

	for (size_t n = 0; o->preset && n < c->runs; n++) {
		result_verdict_read(&v, c->run[n], o->preset);
		code = exit_worst(code, result_verdict_exit_code(&v));
		if (form->has_flaws)
			continue;
		text_reset(&sentence);
		result_verdict_sentence(&v, &sentence);
		fprintf(stderr, "%s: %s\n", c->name, sentence.buf);
	}
	return code;
}

/* A file; NULL: the code. */
static int show_capture(const struct show_form *form, const struct show_options *o,
			const char *path)
{
	const struct capture_want want = {
		.keep = form->keep | (o->preset ? RESULT_FEW : 0),
		.run = o->run,
		.line = form->line,
	};
	struct capture c;
	int code;

	if (path)
		capture_open(&c, path, &want);
	else if (!capture_open_code(&c, asked.code, &want))
		return EXIT_ERROR;
	if (!show_form_capture(form, o, &c)) {
		fprintf(stderr, "%s: %s: %s\n", c.name, o->output, strerror(errno));
		code = EXIT_ERROR;
	} else {
		code = capture_judge(&c, !form->has_flaws);
		code = exit_worst(code, judge_by_preset(form, o, &c));
	}
	capture_close(&c);
	return code;
}

static int show_all(const struct show_form *form, const struct show_options *o, int count,
		    char **paths)
{
	int code = EXIT_PASS;

	if (form == &jsonl && isatty(STDOUT_FILENO))
		progress_forbid();
	if (form->start)
		form->start();
	if (asked.code)
		code = show_capture(form, o, NULL);
	for (int i = 0; i < count; i++)
		code = exit_worst(code, show_capture(form, o, paths[i]));
	if (form->finish)
		code = exit_worst(code, form->finish());
	return code;
}

static bool read_began(const struct options_given *given)
{
	struct show_options *o = given->field;
	char seconds[64];
	int bytes = snprintf(seconds, sizeof(seconds), "%ss", given->value);

	o->has_began = true;
	return (bytes < (int)sizeof(seconds) &&
		!units_parse_ns(seconds, (size_t)bytes, &o->began_ns)) ||
	       options_refuse(given, "seconds since 1970, as 1700000000.5");
}

/* Others would be empty, as of a machine without gaps, or have no time. */
static bool check_code(const struct show_form *form)
{
	if (!asked.code || (form->of_summary && !asked.share))
		return true;
	fprintf(stderr, "show: --qr has no more than a summary; accepted with it: --format");
	for (unsigned n = 0; n < FORMS; n++)
		if (forms[n] && forms[n]->of_summary)
			fprintf(stderr, " %s", form_name(n));
	fputc('\n', stderr);
	return false;
}

/* Check that the form can print to `output`, or to standard output. */
static bool check_output(const struct show_form *form, const char *output)
{
	if (form->output == SHOW_OUTPUT_FOLDER && !output)
		fprintf(stderr, "show: --format %s requires --output, a new folder\n",
			form_name(asked.form.form));
	else if (form->output == SHOW_OUTPUT_NONE && output)
		fprintf(stderr,
			"show: --format %s prints on standard output, and takes no --output\n",
			form_name(asked.form.form));
	else
		return true;
	return false;
}

/* The files, which a page must not overwrite; their time, where the form has times. */
static bool check_files(const struct show_form *form, int count, char **paths)
{
	const struct show_options *o = &asked.options;
	const char *const *names = (const char *const *)paths;

	if (!capture_check("show", count, names))
		return false;
	if (form->output == SHOW_OUTPUT_FILE && o->output &&
	    !output_file_check("show", o->output, count, names))
		return false;
	for (int i = 0; i < count; i++) {
		if (!form->wants_began || o->has_began || strcmp(paths[i], "-") != 0)
			continue;
		fprintf(stderr,
			"show: standard input has no file time; --format %s requires --began\n",
			form_name(asked.form.form));
		return false;
	}
	return true;
}

static int show_run(int count, char **paths)
{
	const struct show_form *form = show_form_at(asked.form.form);

	if (asked.code && count) {
		fputs("show: --qr TEXT takes no FILE\n", stderr);
		return options_see_help(&show_subcommand);
	}
	if (asked.share && asked.form.chosen) {
		fprintf(stderr, "show: --share writes records, and takes no --format\n");
		return EXIT_ERROR;
	}
	if (!check_files(form, count, paths) || !check_code(form) ||
	    !check_output(form, asked.options.output))
		return EXIT_ERROR;
	if (asked.share) {
		form = &show_share_form;
		if (!show_share_create(asked.share))
			return EXIT_ERROR;
	}
	return show_all(form, &asked.options, count, paths);
}

static const struct options_row rows[] = {
	{ "format", "FORM", "output format; text, if none is given", options_form,
	  offsetof(struct asked, form), .letter = 'f', .word = form_name },
	{ "json", NULL, "the same as --format json", options_form, offsetof(struct asked, form),
	  .alias = "json", .word = form_name },
	{ "jsonl", NULL, "the same as --format jsonl", options_form, offsetof(struct asked, form),
	  .alias = "jsonl", .word = form_name },
	OPTIONS_RUN(struct asked, options.run, "only this run, if a file has several"),
	OPTIONS_PRESET(struct asked, options.preset),
	{ "began", "SECONDS",
	  "wall time of the runs' begin, s since 1970, for forms with times; influx takes "
	  "that of the begin record if none is given, else the file's own time",
	  read_began, .offset = offsetof(struct asked, options) },
	OPTIONS_OUTPUT(struct asked, options.output, false,
		       "the page of --format html; by default standard output; or the new folder "
		       "for --format ctf"),
	{ "share", "FILE",
	  "write the records to this new file, without UUIDs, addresses, keys and file paths",
	  options_text, .offset = offsetof(struct asked, share) },
	{ "qr", "TEXT",
	  "instead of files: the code on the probe's screen, as zbarimg prints it; - is standard "
	  "input",
	  options_text, .offset = offsetof(struct asked, code), .for_file = true },
	OPTIONS_PROGRESS,
	{ 0 },
};

const struct options_subcommand show_subcommand = {
	.name = "show",
	.run = show_run,
	.summary = "the runs in serial captures or record files",
	.arguments = "FILE...",
	.least = 1,
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "Picks the records of runs out of raw serial captures or record files (- is "
		 "standard input), verifies them, and shows each run. Damage is reported on "
		 "standard error. --format html is one page with all runs, for a browser or a "
		 "printer, self-contained and without scripts: verdict, what text has, drawings "
		 "of events across cores, histograms.",
	.exit_code = "that of the worst run: 0 pass or no limit set, 1 fail, 2 error, or no record "
		     "found, 3 incomplete, or records lost.",
	.rows = rows,
	.options = &asked,
};
