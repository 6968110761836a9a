/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet export`: runs as JSON lines, which all other subcommands read. */
#include "fleet.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/output_file.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static struct options {
	const char *run, *output;
} options;

struct exporting {
	struct runs runs;
	size_t count;
	bool has_failed;
};

static void put_chunk(void *ctx, const char *text, size_t bytes)
{
	fwrite(text, 1, bytes, ctx);
}

static bool put_file(struct runs *r, const struct store_run *run)
{
	char path[4096];
	struct output_file file;
	bool is_read;
	int error;

	snprintf(path, sizeof(path), "%s/%016" PRIx64 ".jsonl", options.output, run->sid);
	error = output_file_open(&file, path, 0644);
	if (!error) {
		is_read = runs_lines(r, run, put_chunk, file.to);
		error = output_file_close(&file, 0);
		if (!error)
			return is_read;
	}
	fprintf(stderr, "fleet export: %s: %s\n", text_sanitize_name(path), strerror(error));
	return false;
}

/* A damaged run does not end the export. */
static int put_run(void *ctx, const struct store_run *run)
{
	struct exporting *e = ctx;

	e->count++;
	if (!(options.output ? put_file(&e->runs, run)
			     : runs_lines(&e->runs, run, put_chunk, stdout)))
		e->has_failed = true;
	return 0;
}

static bool make_folder(void)
{
	if (!options.output || mkdir(options.output, 0777) == 0 || errno == EEXIST)
		return true;
	fprintf(stderr, "fleet export: %s: %s\n", text_sanitize_name(options.output),
		strerror(errno));
	return false;
}

static int export_run(int count, char **paths)
{
	struct exporting e = { .count = 0 };
	int error;

	(void)count;
	if (!runs_open(&e.runs, "fleet export", paths[0], STORE_READ))
		return EXIT_ERROR;
	error = !make_folder()
			? -1
			: store_each(e.runs.store, options.run ? "WHERE sid=?1" : "ORDER BY id",
				     options.run, put_run, &e);
	if (error > 0)
		runs_fail(&e.runs, error);
	else if (!error && !e.count)
		fprintf(stderr, "fleet export: no %s there\n",
			options.run ? "run with that sid" : "runs");
	store_close(e.runs.store);
	return error || !e.count || e.has_failed || e.runs.damaged ? EXIT_ERROR : EXIT_PASS;
}

static const struct options_row rows[] = {
	OPTIONS_RUN(struct options, run, "only the run with this sid"),
	{ "output", "DIR", "write a file DIR/<sid>.jsonl for each run, instead of standard output",
	  options_text, offsetof(struct options, output), .letter = 'o' },
	{ 0 },
};

const struct options_subcommand fleet_export = {
	.name = "export",
	.command = "noisefloor fleet export",
	.run = export_run,
	.summary = "runs of a collector's store as JSON lines",
	.arguments = "DIR",
	.least = 1,
	.most = 1,
	.about = "Prints the record lines of the runs in a collector's store, byte by byte as the "
		 "nodes sent them, in the order in which the runs were begun.",
	.exit_code = "0 printed, 2 error, no such run, or a part of the store is damaged.",
	.rows = rows,
	.options = &options,
};
