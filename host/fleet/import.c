/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet import`: runs from captures into a collector's store. */
#include "fleet.h"
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

static struct options {
	const char *dir;
} options;

/* Runs are imported one at a time. A run that appears again later is continued. */
static struct importing {
	struct run_import to;
	bool has_run;
	int error;
	uint64_t when_s;
	uint64_t damaged; /* damaged lines of all captures */
} importing;

/* The transaction is committed or rolled back at the capture's end. */
static void end_run(void)
{
	int error = importing.has_run ? run_import_end(&importing.to) : 0;

	importing.has_run = false;
	importing.error = importing.error ? importing.error : error;
}

static void begin_run(uint64_t sid)
{
	const struct store_run as = { .sid = sid,
				      .begun_s = importing.when_s,
				      .heard_s = importing.when_s };

	end_run();
	run_import_begin(&importing.to, &as);
	importing.has_run = true;
}

static void take_line(const char *text, size_t bytes)
{
	struct line line;
	char *whole;

	if (!run_line_read_any(text, bytes, &line)) {
		importing.damaged++;
		return;
	}
	if (!importing.has_run || importing.to.run.sid != line.sid)
		begin_run(line.sid);
	whole = memory_new(bytes + 1, 1);
	memcpy(whole, text, bytes);
	whole[bytes] = '\n';
	run_import_line(&importing.to, &line, whole, bytes + 1);
	free(whole);
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
	int error = store_begin(importing.to.runs.store);

	if (error)
		return runs_fail(&importing.to.runs, error);
	importing.to.from = path;
	importing.when_s = time_of(path);
	importing.error = 0;
	capture_open(&c, path, &want);
	is_read = !c.error && c.runs;
	if (!is_read)
		capture_judge(&c, false);
	capture_close(&c);
	end_run();
	if (!is_read) {
		store_rollback(importing.to.runs.store);
		return false;
	}
	error = store_end(importing.to.runs.store, importing.error);
	return !error || runs_fail(&importing.to.runs, error);
}

/* ---- A folder with a file for each run, in the order of their times ---- */

struct file {
	char *path;
	uint64_t when_s;
};

static ORDER_BY(by_when, struct file, when_s);

static int is_run_file(const struct dirent *entry)
{
	const char *name = entry->d_name;
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
	struct dirent **entry = NULL;
	int count = scandir(path, &entry, is_run_file, NULL);
	struct file *file = NULL;
	size_t files = 0;
	char name[4096];

	if (count < 0)
		fprintf(stderr, "fleet import: %s: %s\n", text_sanitize_name(path),
			strerror(errno));
	if (count < 0)
		return false;
	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
		if (input_is_file(name))
			*MEMORY_ADD(file, files) = (struct file){ memory_text(name),
								  time_of(name) };
		free(entry[i]);
	}
	free(entry);
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

static bool import_all(int count, char **paths, uint64_t *incomplete)
{
	const struct run_import *to = &importing.to;
	bool is_read = true;
	uint64_t runs = 0;

	for (int i = 0; i < count; i++)
		is_read = (is_folder(paths[i]) ? import_folder(paths[i])
					       : import_capture(paths[i])) &&
			  is_read;
	is_read = run_import_count(&importing.to, &runs, incomplete) && is_read;
	printf("%" PRIu64 " runs, %" PRIu64 " incomplete; %" PRIu64 " lines stored, %" PRIu64
	       " more than once, %" PRIu64 " conflicts, %" PRIu64 " not printable\n",
	       runs, *incomplete, to->stored, to->again, to->conflicts, importing.damaged);
	return is_read;
}

static int run(int count, char **paths)
{
	uint64_t incomplete = 0;
	int code = EXIT_ERROR;

	importing = (struct importing){ .has_run = false };
	if (capture_check("fleet import", count, (const char *const *)paths) &&
	    run_import_open(&importing.to, "fleet import", options.dir) &&
	    import_all(count, paths, &incomplete))
		code = run_import_code(&importing.to, incomplete);
	run_import_close(&importing.to);
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
	.reads_input = true,
	.most = OPTIONS_MANY,
	.about = "Stores the runs of captures, or of folders with a file <sid>.jsonl for each run, "
		 "as if a collector had received them. Lines that the store has are left alone; "
		 "reports "
		 "those that differ from them.",
	.exit_code = "0 every run is complete, 1 a line differs from the stored one, 2 error, 3 a "
		     "run is incomplete.",
	.rows = rows,
	.options = &options,
};
