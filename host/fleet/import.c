/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet import`: runs from captures into a collector's store. */
#include "fleet.h"
#include "run_figures.h"
#include "run_import.h"
#include "store/run_line.h"

#include "host/capture/capture.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SUFFIX ".jsonl"
#define MANY   256

static struct options {
	const char *dir;
} options;

/* Of a capture, which may have any number of runs: each has an import of its own. */
static struct importing {
	struct store *store;
	struct policy *policy;
	struct run_import *run;
	size_t runs; /* at most MANY: a run that is met again later is stored further */
	int error;
	uint64_t when_s;
	uint64_t lines, again, damaged; /* of all captures */
	size_t incomplete, all_runs;
} importing;

/* What becomes of the transaction is decided at the capture's end. */
static void end_runs(void)
{
	for (size_t n = 0; n < importing.runs; n++) {
		struct run_import *i = &importing.run[n];

		importing.error = importing.error ? importing.error : run_import_end(i);
		importing.lines += i->stored;
		importing.again += i->again;
		importing.incomplete += !summary_complete(&i->run.summary);
		free(i->text);
	}
	importing.all_runs += importing.runs;
	free(importing.run);
	importing.run = NULL;
	importing.runs = 0;
}

static struct run_import *import_of(uint64_t sid)
{
	struct store_run as = { .sid = sid };
	struct run_import *i;

	for (size_t n = importing.runs; n; n--)
		if (importing.run[n - 1].run.sid == sid)
			return &importing.run[n - 1];
	if (importing.runs == MANY)
		end_runs();
	as.begun_s = as.heard_s = importing.when_s;
	i = MEMORY_ADD(importing.run, importing.runs);
	*i = (struct run_import){ .store = importing.store, .policy = importing.policy };
	run_import_begin(i, &as);
	i->run.sid = sid;
	return i;
}

static void take_line(const char *text, size_t bytes)
{
	struct line line;
	char *whole;

	if (!run_line_read_any(text, bytes, &line)) {
		importing.damaged++;
		return;
	}
	whole = memory_new(bytes + 1, 1);
	memcpy(whole, text, bytes);
	whole[bytes] = '\n';
	run_import_line(import_of(line.sid), &line, whole, bytes + 1);
	free(whole);
}

static bool fail(const char *path, int error)
{
	fprintf(stderr, "fleet import: %s: %s\n", text_sanitize_name(path), store_why(error));
	return false;
}

static uint64_t time_of(const char *path)
{
	struct stat status;

	if (strcmp(path, "-") == 0 || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return (uint64_t)time(NULL);
	return status.st_mtime > 0 ? (uint64_t)status.st_mtime : 0;
}

/* All of it, or nothing. */
static bool import_capture(const char *path)
{
	const struct capture_want want = { .line = take_line, .forgets = true };
	struct capture c;
	bool is_read;
	int error = store_begin(importing.store);

	if (error)
		return fail(options.dir, error);
	importing.when_s = time_of(path);
	importing.error = 0;
	capture_open(&c, path, &want);
	is_read = !c.error && c.runs;
	if (!is_read)
		capture_judge(&c, false);
	capture_close(&c);
	end_runs();
	if (importing.error || !is_read) {
		store_rollback(importing.store);
		return importing.error ? fail(options.dir, importing.error) : false;
	}
	error = store_commit(importing.store);
	return !error || fail(options.dir, error);
}

/* ---- A folder with a file for each run, in the order of their times ---- */

struct file {
	char *path;
	uint64_t when_s;
};

static ORDER_BY(by_when, struct file, when_s);

static bool is_run_file(const char *name)
{
	size_t bytes = strlen(name), suffix = strlen(SUFFIX);

	return bytes > suffix && strcmp(name + bytes - suffix, SUFFIX) == 0 &&
	       strspn(name, "0123456789abcdef") == bytes - suffix;
}

static bool import_files(struct file *file, size_t files)
{
	bool is_read = true;

	ORDER_SORT(file, files, by_when);
	for (size_t i = 0; i < files; i++) {
		is_read = import_capture(file[i].path) && is_read;
		free(file[i].path);
	}
	free(file);
	return is_read;
}

static bool import_folder(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *entry;
	struct file *file = NULL;
	size_t files = 0;
	char name[4096];

	if (!d)
		return fail(path, errno);
	while ((entry = readdir(d))) {
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		if (is_run_file(entry->d_name) && input_is_file(name))
			*MEMORY_ADD(file, files) = (struct file){ memory_text(name),
								  time_of(name) };
	}
	closedir(d);
	if (!files)
		fprintf(stderr, "fleet import: %s: no files <sid>" SUFFIX " there\n",
			text_sanitize_name(path));
	return files && import_files(file, files);
}

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool open_output(void)
{
	char why[STORE_WHY], *policy;

	importing.store = store_open(options.dir, STORE_HOLD, why);
	if (!importing.store) {
		fprintf(stderr, "fleet import: %s\n", text_sanitize_name(why));
		return false;
	}
	policy = store_setting(importing.store, "policy");
	if (policy)
		importing.policy = policy_parse("fleet import", options.dir, policy);
	free(policy);
	return !policy || importing.policy;
}

static bool import_all(int count, char **paths)
{
	unsigned filled = 1;
	bool is_read = true;
	int error = 0;

	for (int i = 0; i < count; i++)
		is_read = (is_folder(paths[i]) ? import_folder(paths[i])
					       : import_capture(paths[i])) &&
			  is_read;
	while (filled && !error)
		error = run_figures_fill(importing.store, MANY, &filled);
	printf("%zu runs, %zu incomplete; %" PRIu64 " lines stored, %" PRIu64
	       " of them not new, or out of order, %" PRIu64 " not printable\n",
	       importing.all_runs, importing.incomplete, importing.lines, importing.again,
	       importing.damaged);
	return is_read && (!error || fail(options.dir, error));
}

static int run(int count, char **paths)
{
	int code = EXIT_ERROR;

	if (capture_check("fleet import", count, (const char *const *)paths) && open_output() &&
	    import_all(count, paths))
		code = importing.incomplete ? EXIT_INCOMPLETE : EXIT_PASS;
	policy_free(importing.policy);
	store_close(importing.store);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder, created if missing; no collector may use it",
	  options_text, .offset = offsetof(struct options, dir), .required = true },
	{ 0 },
};

const struct options_subcommand fleet_import = {
	.name = "import",
	.command = "noisefloor fleet import",
	.run = run,
	.summary = "runs from captures into a collector's store",
	.arguments = "CAPTURE|FOLDER...",
	.least = 1,
	.most = OPTIONS_MANY,
	.about = "Stores the runs of captures, or of folders with a file <sid>.jsonl for each run, "
		 "as if a collector had received them. Lines that the store has are left alone.",
	.exit_code = "0 every run is complete, 2 error, 3 a run is incomplete.",
	.rows = rows,
	.options = &options,
};
