/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show`: each capture is read once, record by record, and told in one form. */
#include "show.h"

#include "host/lib/exit.h"
#include "host/capture/intake.h"
#include "host/capture/judged.h"
#include "host/lib/options.h"
#include "host/lib/progress.h"
#include "show_form.h"
#include "host/capture/shown.h"

#include "core/lib/units.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
	"usage: noisefloor show [OPTION...] FILE...\n"
	"\n"
	"Picks the records of noisefloor's runs out of raw serial captures (or clean\n"
	"record files; - is standard input), verifies them, and shows each run.\n"
	"\n"
	"  --format FORM    text (the default); json, one document with all records of each\n"
	"                   run; jsonl, the verified record lines as they were; junit, tap,\n"
	"                   influx, prom; hwlatdetect, sysjitter: as those tools print\n"
	"  --json, --jsonl  the same as --format json, --format jsonl\n"
	"  --preset NAME    judge by published limits: openshift, rhel-rt, rhel-rt-virt,\n"
	"                   bits, hft\n"
	"  --began SECONDS  wall time of the runs' begin, s since 1970, for influx and\n"
	"                   hwlatdetect; influx takes the file's own time where it is not given\n"
	"  --progress       say on standard error how far it is, even if that is no terminal\n"
	"  --help           this text\n"
	"\n"
	"A run is told apart by its sid, per file; join the pieces of a rotated capture\n"
	"with cat. What is damaged is said on standard error.\n"
	"Exit code, the worst of all runs: 0 pass or no limit set, 1 fail, 2 error (also:\n"
	"no record found, or a format this program does not read), 3 incomplete (also: no\n"
	"end record, or records lost).\n";

/* What the preset makes of each run. */
static int judge_by_preset(const struct show_form *form, const struct show_options *o,
			   const struct intake *in)
{
	static struct judged j;
	char sentence[4096];
	struct reader_run *run;
	int code = EXIT_PASS;
	struct text t;

	for (size_t n = 0; o->preset && (run = reader_run(in->reader, n)); n++) {
		judged_read(&j, shown_of(run), o->preset);
		code = shown_worst(code, judged_exit_code(&j));
		if (!form->flaws_apart)
			continue;
		text_init(&t, sentence, sizeof(sentence));
		judged_sentence(&j, &t);
		fprintf(stderr, "%s: %s\n", in->name, sentence);
	}
	return code;
}

static int show_capture(const struct show_form *form, const struct show_options *o,
			const char *path)
{
	const struct reader_hooks hooks = { .wanted = form->wanted,
					    .bare = form->bare,
					    .line = form->line,
					    .record = form->record };
	struct intake in;
	int code;

	intake_read(&in, path, &hooks);
	if (form->capture && !form->capture(o, &in)) {
		fprintf(stderr, "%s: temporary file: %s\n", in.name, strerror(errno));
		code = EXIT_ERROR;
	} else {
		code = intake_judge(&in, form->flaws_apart);
		code = shown_worst(code, judge_by_preset(form, o, &in));
	}
	intake_free(&in);
	return code;
}

static int show_all(const struct show_form *form, const struct show_options *o, int count,
		    char **paths)
{
	int code = EXIT_PASS;

	if (form->line && isatty(STDOUT_FILENO))
		progress_forbid();
	if (form->start)
		form->start();
	for (int i = 0; i < count; i++)
		code = shown_worst(code, show_capture(form, o, paths[i]));
	if (form->finish)
		form->finish();
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("standard output");
		return EXIT_ERROR;
	}
	return code;
}

/* The words that are accepted, for a message. */
static bool bad_format(const char *name)
{
	fprintf(stderr, "show: no format \"%s\", but these:", name);
	for (size_t n = 0; show_form_at(n); n++)
		fprintf(stderr, " %s", show_form_at(n)->name);
	fputc('\n', stderr);
	return false;
}

static bool bad_preset(const char *name)
{
	fprintf(stderr, "show: no preset \"%s\", but these:", name);
	for (size_t n = 0; preset_at(n); n++)
		fprintf(stderr, " %s", preset_at(n)->name);
	fputc('\n', stderr);
	return false;
}

/* One form is enough. */
static bool read_format(const struct show_form **form, const char *name)
{
	if (*form) {
		fputs(usage, stderr);
		return false;
	}
	*form = show_form_find(name);
	return *form || bad_format(name);
}

static bool read_preset(struct show_options *o, const char *name)
{
	o->preset = preset_find(name, strlen(name));
	return o->preset || bad_preset(name);
}

static bool read_began(struct show_options *o, const char *value)
{
	char seconds[64];
	int bytes = snprintf(seconds, sizeof(seconds), "%ss", value);

	o->has_began = true;
	if (bytes < (int)sizeof(seconds) &&
	    units_parse_ns(seconds, (size_t)bytes, &o->began_ns) == UNITS_OK)
		return true;
	fprintf(stderr, "show: --began %s: seconds since 1970 are accepted, as 1700000000.5\n",
		value);
	return false;
}

struct asked {
	const struct show_form *form; /* NULL: none was named */
	struct show_options options;
};

static bool read_option(void *ctx, int option, const char *value)
{
	struct asked *a = ctx;

	switch (option) {
	case 'f':
		return read_format(&a->form, value);
	case 'j':
		return read_format(&a->form, "json");
	case 'l':
		return read_format(&a->form, "jsonl");
	case 'p':
		return read_preset(&a->options, value);
	case 'b':
		return read_began(&a->options, value);
	case 'P':
		progress_ask();
		return true;
	default:
		return false;
	}
}

/* Files, and times for them where the form has times. */
static bool check_files(const struct show_form *form, const struct show_options *o, int count,
			char **paths)
{
	if (!count) {
		fprintf(stderr, "show: no file named\n%s", usage);
		return false;
	}
	if (!intake_check("show", count, (const char *const *)(paths)))
		return false;
	for (int i = 0; i < count; i++) {
		if (!form->wants_began || o->has_began || strcmp(paths[i], "-") != 0)
			continue;
		fprintf(stderr,
			"show: standard input has no time of its own; --format %s wants "
			"--began with it\n",
			form->name);
		return false;
	}
	return true;
}

int show_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "json", no_argument, NULL, 'j' },
		{ "jsonl", no_argument, NULL, 'l' },
		{ "preset", required_argument, NULL, 'p' },
		{ "began", required_argument, NULL, 'b' },
		{ "progress", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct asked asked = { .form = NULL };
	const struct options_set set = { usage, "", options, read_option, &asked };
	int code = options_read(&set, argc, argv);

	if (code != OPTIONS_READ)
		return code;
	if (!asked.form)
		asked.form = show_form_at(0);
	if (!check_files(asked.form, &asked.options, argc - optind, argv + optind))
		return EXIT_ERROR;
	return show_all(asked.form, &asked.options, argc - optind, argv + optind);
}
