/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor report`: captures to one page, which is written when all of them are read. */
#include "report.h"

#include "exit.h"
#include "intake.h"
#include "judged.h"
#include "page.h"
#include "page_run.h"
#include "shown.h"

#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: noisefloor report [OPTION...] FILE... -o OUT.html\n"
	"\n"
	"One page with all runs of the captures: verdict, machine, ladder, events across\n"
	"cores, histograms, sources, a row per core. It needs nothing from elsewhere and\n"
	"runs nothing; it is made for light and dark screens and for print.\n"
	"\n"
	"  -o, --output OUT  the page; - is standard output\n"
	"  --preset NAME     judge by published limits, as `show` does\n"
	"  --help            this text\n"
	"\n"
	"Exit code, the worst of all runs, as `show` has it; 2 too where the page could not\n"
	"be written. Nothing is written where no run could be read.\n";

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

static int judge_by_preset(const struct page_options *o, struct reader_run *run)
{
	static struct judged j;

	judged_read(&j, shown_of(run), o->preset);
	return judged_exit_code(&j);
}

static int add_capture(struct page *p, const struct page_options *o, const char *path)
{
	const struct reader_hooks hooks = { .wanted = UINT32_MAX, .record = keep };
	struct reader_run *run;
	struct intake in;
	int code;

	intake_read(&in, path, &hooks);
	code = intake_judge(&in, false);
	for (size_t n = 0; (run = reader_run(in.reader, n)); n++) {
		page_run(p->f, in.name, run, o);
		code = shown_worst(code, judge_by_preset(o, run));
		p->runs++;
	}
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

static int report(const struct page_options *o, const char *out, int count, char **paths)
{
	struct page p = { .runs = 0 };
	int code = EXIT_PASS;

	p.f = open_memstream(&p.text, &p.bytes);
	if (!p.f)
		err(EXIT_ERROR, "memory");
	page_open(p.f, "Noise floor");
	for (int i = 0; i < count; i++)
		code = shown_worst(code, add_capture(&p, o, paths[i]));
	page_close(p.f);
	if (fclose(p.f) != 0)
		err(EXIT_ERROR, "memory");
	if (p.runs && !write_page(&p, out))
		code = EXIT_ERROR;
	free(p.text);
	return code;
}

static bool read_preset(struct page_options *o, const char *name)
{
	o->preset = preset_find(name, strlen(name));
	if (!o->preset)
		fprintf(stderr, "report: no preset \"%s\"\n", name);
	return o->preset;
}

int report_main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "preset", required_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct page_options o = { .preset = NULL };
	const char *out = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(usage, stdout);
			return EXIT_PASS;
		}
		if (option == '?') {
			fputs(usage, stderr);
			return EXIT_ERROR;
		}
		if (option == 'p' && !read_preset(&o, optarg))
			return EXIT_ERROR;
		if (option == 'o')
			out = optarg;
	}
	if (optind == argc || !out) {
		fprintf(stderr, "report: %s\n%s", out ? "no file named" : "no page named with -o",
			usage);
		return EXIT_ERROR;
	}
	return report(&o, out, argc - optind, argv + optind);
}
