/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet export`: runs as JSON lines, which all other subcommands read. */
#include "fleet.h"
#include "runs.h"

#include "host/lib/exit.h"
#include "host/lib/order.h"
#include "host/lib/output_file.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct options {
	const char *run, *output;
} options;

static void put_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	(void)line;
	fwrite(text, 1, bytes, ctx);
}

static bool put_lines(struct runs *r, const struct runs_one *one, FILE *to)
{
	struct runs_sink sink = { .line = put_line, .ctx = to };

	return runs_lines(r, one, &sink);
}

static bool put_file(struct runs *r, const struct runs_one *one)
{
	char path[4096];
	struct output_file file;
	bool is_read;
	int error;

	snprintf(path, sizeof(path), "%s/%016" PRIx64 ".jsonl", options.output, one->run.sid);
	error = output_file_open(&file, path, 0644);
	if (!error) {
		is_read = put_lines(r, one, file.to);
		error = output_file_close(&file, 0);
		if (!error)
			return is_read;
	}
	fprintf(stderr, "fleet export: %s: %s\n", text_sanitize_name(path), strerror(error));
	return false;
}

static ORDER_BY(by_rank, struct runs_one, rank);

/* What can be read is, whatever is damaged. */
static bool put_runs(struct runs *r)
{
	bool is_put = true;

	ORDER_SORT(r->one, r->count, by_rank);
	for (size_t i = 0; i < r->count; i++)
		is_put = (options.output ? put_file(r, &r->one[i])
					 : put_lines(r, &r->one[i], stdout)) &&
			 is_put;
	return is_put && !r->damaged;
}

static bool make_folder(void)
{
	if (!options.output || mkdir(options.output, 0777) == 0 || errno == EEXIST)
		return true;
	fprintf(stderr, "fleet export: %s: %s\n", text_sanitize_name(options.output),
		strerror(errno));
	return false;
}

static int run(int count, char **paths)
{
	struct runs r;
	int code = EXIT_ERROR;

	if (runs_open(&r, "fleet export", (size_t)count, (const char *const *)paths, NULL) &&
	    runs_read(&r, options.run ? "WHERE sid=?1" : "", options.run) && make_folder()) {
		if (!r.count)
			fprintf(stderr, "fleet export: no %s there\n",
				options.run ? "run with that sid" : "runs");
		else if (put_runs(&r))
			code = EXIT_PASS;
	}
	runs_close(&r);
	return code;
}

static const struct options_row rows[] = {
	OPTIONS_RUN(struct options, run, "run", "only the run with this sid"),
	{ "output", "DIR", "write a file DIR/<sid>.jsonl for each run, instead of standard output",
	  options_text, offsetof(struct options, output), .letter = 'o' },
	{ 0 },
};

const struct options_subcommand fleet_export = {
	.name = "export",
	.command = "noisefloor fleet export",
	.run = run,
	.summary = "runs of a collector's store as JSON lines",
	.arguments = "DIR...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Prints the record lines of the runs in collectors' stores, byte by byte as the "
		 "nodes sent them, in the order in which the runs were begun.",
	.exit_code = "0 printed, 2 error, no such run, or a part of the store is damaged.",
	.rows = rows,
	.options = &options,
};
