/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * `noisefloor boot fetch`: read the report, write it as records, then remove it. In this order,
 * nothing is lost.
 */
#include "boot.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/output_file.h"
#include "host/lib/whole_file.h"

#include "core/firmware/linux_boot.h"
#include "core/keep/saved_run.h"
#include "core/report/verdict.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* ---- The variable as a file ---- */

#define PATH_MAX_BYTES  4096
#define ATTRIBUTE_BYTES 4
#define VARIABLE_MAX    65540u /* with its attributes; the kernel's own limit is 64 KiB */
#define GLOBAL_GUID     "8be4df61-93ca-11d2-aa0d-00e098032b8c" /* UEFI 2.10, 3.3 */

static bool path_of(char path[PATH_MAX_BYTES], const char *folder)
{
	int bytes = snprintf(path, PATH_MAX_BYTES, "%s/" SAVED_NAME "-" SAVED_GUID, folder);

	return bytes > 0 && bytes < PATH_MAX_BYTES;
}

bool boot_efivars_any(const char *folder)
{
	char path[PATH_MAX_BYTES];

	return path_of(path, folder) && access(path, F_OK) == 0;
}

bool boot_efivars_secure_boot(const char *folder)
{
	char path[PATH_MAX_BYTES];
	size_t bytes = 0;
	uint8_t *file;
	bool on;

	snprintf(path, sizeof(path), "%s/SecureBoot-" GLOBAL_GUID, folder);
	file = whole_file_read(path, VARIABLE_MAX, &bytes);
	on = file && bytes == ATTRIBUTE_BYTES + 1 && file[ATTRIBUTE_BYTES] == 1;
	free(file);
	return on;
}

/* The file of the report, to be freed. NULL, with errno; ENOENT: there is none. */
static uint8_t *efivars_read(const char *folder, size_t *bytes)
{
	char path[PATH_MAX_BYTES];

	errno = ENAMETOOLONG;
	return path_of(path, folder) ? whole_file_read(path, VARIABLE_MAX, bytes) : NULL;
}

/* If the file system lacks this flag, nothing has to be cleared. */
static void make_mutable(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), flags;

	if (fd < 0)
		return;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && flags & FS_IMMUTABLE_FL) {
		flags &= ~FS_IMMUTABLE_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	close(fd);
}

/* Remove the file of the report. 0, or an errno. */
static int efivars_remove(const char *folder)
{
	char path[PATH_MAX_BYTES];

	if (!path_of(path, folder))
		return ENAMETOOLONG;
	make_mutable(path);
	return unlink(path) != 0 && errno != ENOENT ? errno : 0;
}

/* ---- A node of Linux's setup_data, by which the probe leaves a report after kexec ---- */

#define SETUP_DATA_FOLDER "/sys/kernel/boot_params/setup_data"

/* The data of the node with our type, to be freed. NULL, with errno; ENOENT: there is none. */
static uint8_t *setup_data_read(const char *folder, size_t *bytes)
{
	DIR *nodes = opendir(folder);
	struct dirent *node;
	uint8_t *data = NULL;
	int error = nodes ? ENOENT : errno;

	while (nodes && !data && (node = readdir(nodes))) {
		char path[PATH_MAX_BYTES];
		unsigned type = 0;
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s/type", folder, node->d_name);
		file = fopen(path, "r");
		if (!file) {
			error = errno == ENOENT ? error : errno;
			continue;
		}
		if (fscanf(file, "%x", &type) != 1) {
			error = ferror(file) ? errno : error;
			type = 0;
		}
		fclose(file);
		snprintf(path, sizeof(path), "%s/%s/data", folder, node->d_name);
		if (type == LINUX_NODE_REPORT &&
		    !(data = whole_file_read(path, VARIABLE_MAX, bytes)))
			error = errno;
	}
	if (nodes)
		closedir(nodes);
	errno = error;
	return data;
}

/* ---- The report ---- */

static struct fetch {
	const char *output, *efivars, *setup_data; /* output NULL: standard output */
	bool remove, by_kexec;
	struct saved_contents contents;
} fetch = { .efivars = BOOT_EFIVARS_FOLDER, .setup_data = SETUP_DATA_FOLDER };

static enum saved_state inflate(struct saved_contents *c)
{
	static uint8_t work[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	void *out = memory_new(c->head.page_bytes + c->head.lines_bytes + 1, 1);

	return saved_run_inflate(c, out, work) ? SAVED_STATE_OK : SAVED_STATE_DAMAGED;
}

/*
 * Open the report behind `skip` bytes of a file, which is freed. Complain in the name of `folder`,
 * where it was.
 */
static bool open_report(struct fetch *h, const char *folder, uint8_t *file, size_t skip,
			size_t bytes)
{
	enum saved_state state = SAVED_STATE_CUT;

	if (bytes > skip)
		state = saved_run_open(&h->contents, file + skip, bytes - skip);
	if (state == SAVED_STATE_OK)
		state = inflate(&h->contents);
	if (state != SAVED_STATE_OK)
		boot_complain("fetch", "the report in %s %s", folder, saved_state_text(state));
	free(file);
	return state == SAVED_STATE_OK;
}

static bool complain_none(const char *efivars, int error)
{
	if (error != ENOENT)
		return boot_complain("fetch", "%s/" SAVED_NAME "-" SAVED_GUID ": %s", efivars,
				     strerror(error));
	if (access(efivars, F_OK) == 0)
		return boot_complain("fetch", "no report is in %s", efivars);
	return boot_complain(
		"fetch", "there is no %s: Linux was not booted by UEFI, or efivarfs is not mounted",
		efivars);
}

static bool read_report(struct fetch *h)
{
	size_t bytes = 0;
	uint8_t *file = setup_data_read(h->setup_data, &bytes);

	h->by_kexec = file != NULL;
	if (file)
		return open_report(h, h->setup_data, file, 0, bytes);
	if (errno != ENOENT)
		return boot_complain("fetch", "a node of %s: %s", h->setup_data, strerror(errno));
	file = efivars_read(h->efivars, &bytes);
	return file ? open_report(h, h->efivars, file, ATTRIBUTE_BYTES, bytes)
		    : complain_none(h->efivars, errno);
}

static int write_records(const struct fetch *h, FILE *to)
{
	struct saved_line line;

	errno = 0;
	for (size_t at = 0; saved_run_line(&h->contents, &at, &line);)
		if (line.is_record)
			fwrite(line.at, 1, line.bytes, to);
	if (fflush(to) != 0 || ferror(to))
		return errno ? errno : EIO;
	return 0;
}

static int write_file(struct fetch *h)
{
	struct output_file file;
	int error = output_file_open_any(&file, h->output, 0600);

	return error ? error : output_file_close(&file, write_records(h, file.to));
}

/* Anyone may have written the report: the number may be out of range. */
static enum verdict verdict_in(const struct saved_contents *c)
{
	return c->head.verdict < VERDICTS ? (enum verdict)c->head.verdict : VERDICT_ERROR;
}

/* Write the records, and then remove the variable. */
static bool fetch_report(struct fetch *h)
{
	int error;

	if (h->output && output_file_is_in(h->output, h->efivars))
		return boot_complain("fetch", "%s is read: the output cannot be in it", h->efivars);
	if (!read_report(h))
		return false;
	error = h->output ? write_file(h) : write_records(h, stdout);
	if (error)
		return boot_complain("fetch", "%s: %s", h->output ? h->output : "standard output",
				     strerror(error));
	fprintf(stderr, "fetch: run %016" PRIx64 "\n", h->contents.head.sid);
	/* A report that kexec left is gone with the next boot. */
	error = h->remove && !h->by_kexec ? efivars_remove(h->efivars) : 0;
	return !error || boot_complain("fetch", "the records are written, but %s: %s", h->efivars,
				       strerror(error));
}

static int fetch_run(int count, char **arguments)
{
	(void)count, (void)arguments;
	return fetch_report(&fetch) ? (int)verdict_exit_code(verdict_in(&fetch.contents))
				    : EXIT_ERROR;
}

static const struct options_row rows[] = {
	OPTIONS_OUTPUT(struct fetch, output, false,
		       "write to FILE, which then is whole or not there; by default to standard "
		       "output"),
	{ "delete", NULL, "remove the variable once the records are written", options_flag,
	  .offset = offsetof(struct fetch, remove) },
	BOOT_EFIVARS_OPTION(struct fetch, efivars),
	{ "setup-data", "DIR",
	  "where a report of `boot once --kexec` is, which comes first; by "
	  "default " SETUP_DATA_FOLDER,
	  options_text, .offset = offsetof(struct fetch, setup_data) },
	{ 0 },
};

const struct options_subcommand boot_fetch = {
	.name = "fetch",
	.command = "noisefloor boot fetch",
	.run = fetch_run,
	.summary = "the report that a run left in the firmware's variables",
	.about = "Writes the records of a run that ended in the firmware's variables, as with "
		 "save=nvram and `noisefloor boot once`, or in Linux's boot parameters, as with "
		 "`noisefloor boot once --kexec`. The other subcommands read them.",
	.exit_code = "that of the run: 0 pass or no limit set, 1 fail, 3 incomplete; 2 error, or "
		     "no report.",
	.rows = rows,
	.options = &fetch,
};
