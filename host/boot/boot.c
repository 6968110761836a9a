/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`, in the order of its help. */
#define _GNU_SOURCE /* pipe2, strcasestr */
#include "boot.h"

#include "host/subcommands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct options_subcommand *const subcommands[] = {
	&boot_stick, &boot_install, &boot_once, &boot_fetch, &boot_remove,
};

const struct options_subcommand *boot_subcommands_at(size_t n)
{
	return n < sizeof(subcommands) / sizeof(subcommands[0]) ? subcommands[n] : NULL;
}

static const struct options_row none[] = { { 0 } };

const struct options_subcommand boot_subcommand = {
	.name = "boot",
	.summary = "start the probe: stick, install, once; fetch its report; remove",
	.rows = none,
	.group = boot_subcommands_at,
};

bool boot_complain(const char *subcommand, const char *format, ...)
{
	va_list args;

	fprintf(stderr, "%s: ", subcommand);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return false;
}

/* ---- Other programs: fork(), exec() and wait(), with their errors printed ---- */

#define NOT_STARTED 127

/* The child's standard output is the file descriptor `out`. -1, with errno: fork() failed. */
static pid_t boot_start(const char *const *argv, const char *needs, int out)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child != 0)
		return child;
	dup2(out, STDOUT_FILENO);
	/* The cast is safe: execvp() does not change its arguments. */
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s; %s\n", argv[0], strerror(errno), needs);
	fflush(stderr);
	_exit(NOT_STARTED);
}

static bool boot_finish(const char *name, pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != NOT_STARTED)
		fprintf(stderr, "%s failed\n", name);
	return false;
}

bool boot_child_run(const char *const *argv, const char *needs)
{
	pid_t child = boot_start(argv, needs, STDERR_FILENO);

	if (child >= 0)
		return boot_finish(argv[0], child);
	perror(argv[0]);
	return false;
}

FILE *boot_child_open(const char *const *argv, const char *needs, pid_t *child)
{
	FILE *from;
	int ends[2];

	*child = -1;
	if (pipe2(ends, O_CLOEXEC) != 0) {
		perror("pipe");
		return NULL;
	}
	*child = boot_start(argv, needs, ends[1]);
	close(ends[1]);
	from = *child < 0 ? NULL : fdopen(ends[0], "r");
	if (!from) {
		perror(argv[0]);
		close(ends[0]);
	}
	return from;
}

bool boot_child_close(const char *name, FILE *from, pid_t child)
{
	if (from)
		fclose(from);
	return child > 0 && boot_finish(name, child) && from;
}

/* ---- Reading and changing boot entries by efibootmgr ---- */

#define ARGUMENTS_MAX 12
#define NEEDS         "boot entries take efibootmgr, of the package of that name"

static bool boot_run(const char *const *argv)
{
	return boot_child_run(argv, NEEDS);
}

/* The number in a line of efibootmgr, if it is an entry with our label; else BOOT_ENTRY_NONE. */
static int boot_entry_parse(const char *line)
{
	static const char label[] = BOOT_ENTRY_LABEL;
	unsigned number;
	int used = 0;

	/* "Boot0003* noisefloor", with a tab and the device path behind it. */
	if (sscanf(line, "Boot%4x%n", &number, &used) != 1 || used != 8)
		return BOOT_ENTRY_NONE;
	line += used;
	if ((*line != '*' && *line != ' ') || line[1] != ' ' ||
	    strncmp(line + 2, label, sizeof(label) - 1) != 0)
		return BOOT_ENTRY_NONE;
	line += 2 + sizeof(label) - 1;
	return *line == '\0' || *line == '\n' || *line == '\t' ? (int)number : BOOT_ENTRY_NONE;
}

/*
 * True for a line with "HD(1,GPT,GUID,0x800,0x32000)/File(\EFI\...\x.efi)", or without "File(" and
 * its ")", as efibootmgr prints it from version 18 on. Optional data may follow.
 */
static bool leads_here(const char *line, const char *partition)
{
	static const char loader[] = BOOT_ENTRY_FILE, gpt[] = ",GPT,";
	const char *disk = strstr(line, gpt), *file = disk ? strcasestr(disk, loader) : NULL;

	return file && strchr("(/", file[-1]) && strchr(")\n", file[sizeof(loader) - 1]) &&
	       strncasecmp(disk + sizeof(gpt) - 1, partition, strlen(partition)) == 0;
}

bool boot_entry_find(const char *program, const char *partition, int *number)
{
	const char *const argv[] = { program, "--verbose", NULL };
	char *line = NULL;
	size_t room = 0;
	pid_t child;
	FILE *from;

	*number = BOOT_ENTRY_NONE;
	from = boot_child_open(argv, NEEDS, &child);
	while (from && getline(&line, &room, from) > 0)
		if (*number == BOOT_ENTRY_NONE && leads_here(line, partition))
			*number = boot_entry_parse(line);
	free(line);
	return boot_child_close(program, from, child);
}

bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader)
{
	const char *const argv[ARGUMENTS_MAX] = { program,    "--quiet", "--create-only",
						  "--disk",   disk,      "--part",
						  part,       "--label", BOOT_ENTRY_LABEL,
						  "--loader", loader,    NULL };

	return boot_run(argv);
}

/* Run it for the entry of that number, with `action`. */
static bool boot_entry_change(const char *program, const char *number_option, int number,
			      const char *action)
{
	char text[8];
	const char *const argv[] = { program, "--quiet", number_option, text, action, NULL };

	snprintf(text, sizeof(text), "%04X", (unsigned)number & 0xffff);
	return boot_run(argv);
}

bool boot_entry_remove(const char *program, int number)
{
	return boot_entry_change(program, "--bootnum", number, "--delete-bootnum");
}

bool boot_entry_next(const char *program, int number)
{
	return boot_entry_change(program, "--bootnext", number, NULL);
}
