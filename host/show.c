/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor show`: each capture is read once, record by record, and told in one of three forms.
 */
#include "show.h"

#include "exit.h"
#include "intake.h"
#include "reader.h"
#include "show_json.h"
#include "show_text.h"
#include "shown.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
	"usage: noisefloor show [--json | --jsonl] FILE...\n"
	"\n"
	"Picks the records of noisefloor's runs out of raw serial captures (or clean\n"
	"record files; - is standard input), verifies them, and shows each run.\n"
	"\n"
	"  --json    one JSON document with all records of each run\n"
	"  --jsonl   the verified record lines as they were, one per line\n"
	"  --help    this text\n"
	"\n"
	"A run is told apart by its sid, per file; join the pieces of a rotated capture\n"
	"with cat. What is damaged is said on standard error.\n"
	"Exit code, the worst of all runs: 0 pass or no limit set, 1 fail, 2 error (also:\n"
	"no record found, or a format this program does not read), 3 incomplete (also: no\n"
	"end record, or records lost).\n";

/* One form of output. */
struct form {
	uint32_t wanted;
	void (*start)(void);
	void (*line)(void *ctx, struct reader_run *run, const char *line, size_t bytes);
	void (*record)(void *ctx, struct reader_run *run, const struct reader_record *record);
	bool (*capture)(const char *file, struct reader *r);
	void (*finish)(void);
	bool flaws_apart; /* they are no part of the output: say them on standard error */
};

static void text_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	shown_keep(run, record);
	shown_climb(run, record);
}

static bool text_capture(const char *file, struct reader *r)
{
	const struct reader_totals *totals = reader_totals(r);
	struct reader_run *run;

	for (size_t n = 0; (run = reader_run(r, n)); n++) {
		if (n)
			putchar('\n');
		show_text(file, run);
	}
	if (totals->damaged)
		printf("%s: damaged records: %llu\n", file, (unsigned long long)totals->damaged);
	return true;
}

static void json_record(void *ctx, struct reader_run *run, const struct reader_record *record)
{
	(void)ctx;
	show_json_record(run, record);
	shown_keep(run, record);
	shown_climb(run, record);
}

static void jsonl_line(void *ctx, struct reader_run *run, const char *line, size_t bytes)
{
	(void)ctx, (void)run;
	fwrite(line, 1, bytes, stdout);
	putchar('\n');
}

static const struct form form_text = {
	.wanted = SHOW_TEXT_WANTED,
	.record = text_record,
	.capture = text_capture,
};

static const struct form form_json = {
	.wanted = UINT32_MAX,
	.start = show_json_start,
	.record = json_record,
	.capture = show_json_capture,
	.finish = show_json_finish,
	.flaws_apart = true,
};

static const struct form form_jsonl = {
	.wanted = 1u << RECORD_END,
	.line = jsonl_line,
	.record = text_record,
	.flaws_apart = true,
};

static int show_capture(const struct form *form, const char *path)
{
	const struct reader_hooks hooks = { .wanted = form->wanted,
					    .line = form->line,
					    .record = form->record };
	struct intake in;
	int code;

	intake_read(&in, path, &hooks);
	if (form->capture && !form->capture(in.name, in.reader)) {
		fprintf(stderr, "%s: temporary file: %s\n", in.name, strerror(errno));
		code = EXIT_ERROR;
	} else {
		code = intake_judge(&in, form->flaws_apart);
	}
	intake_free(&in);
	return code;
}

static int show_all(const struct form *form, int count, char **paths)
{
	int code = EXIT_PASS;

	if (form->start)
		form->start();
	for (int i = 0; i < count; i++) {
		if (i && form == &form_text)
			putchar('\n');
		code = shown_worst(code, show_capture(form, paths[i]));
	}
	if (form->finish)
		form->finish();
	if (fflush(stdout) != 0 || ferror(stdout)) {
		perror("standard output");
		return EXIT_ERROR;
	}
	return code;
}

int show_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "jsonl", no_argument, NULL, 'l' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const struct form *form = &form_text;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return EXIT_PASS;
		}
		if (option == '?' || form != &form_text) {
			fputs(usage, stderr);
			return EXIT_ERROR;
		}
		form = option == 'j' ? &form_json : &form_jsonl;
	}
	if (optind == argc) {
		fprintf(stderr, "show: no file named\n%s", usage);
		return EXIT_ERROR;
	}
	return show_all(form, argc - optind, argv + optind);
}
