/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading and changing boot entries by efibootmgr. */
#include "boot_entry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ARGUMENTS_MAX 12
#define NOT_STARTED   127

/* Run it, with its output to `out`, -1: to standard error. */
static pid_t start(const char *const *argv, int out)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child != 0)
		return child;
	dup2(out < 0 ? STDERR_FILENO : out, STDOUT_FILENO);
	/* What is executed does not change its arguments. */
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s\n", argv[0], strerror(errno));
	fflush(stderr);
	_exit(NOT_STARTED);
}

static bool finish(const char *program, pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != NOT_STARTED)
		fprintf(stderr, "%s failed\n", program);
	return false;
}

static bool run(const char *const *argv)
{
	pid_t child = start(argv, -1);

	if (child < 0) {
		perror(argv[0]);
		return false;
	}
	return finish(argv[0], child);
}

int boot_entry_parse(const char *line)
{
	static const char label[] = BOOT_ENTRY_LABEL;
	unsigned number;
	int used = 0;

	/* "Boot0003* noisefloor", from version 18 on with a tab and the device path behind it. */
	if (sscanf(line, "Boot%4x%n", &number, &used) != 1 || used != 8)
		return BOOT_ENTRY_NONE;
	line += used;
	if ((*line != '*' && *line != ' ') || line[1] != ' ' ||
	    strncmp(line + 2, label, sizeof(label) - 1) != 0)
		return BOOT_ENTRY_NONE;
	line += 2 + sizeof(label) - 1;
	return *line == '\0' || *line == '\n' || *line == '\t' ? (int)number : BOOT_ENTRY_NONE;
}

bool boot_entry_find(const char *program, int *number)
{
	const char *const argv[] = { program, NULL };
	char *line = NULL;
	size_t room = 0;
	pid_t child;
	FILE *from;
	int ends[2];

	*number = BOOT_ENTRY_NONE;
	if (pipe(ends) != 0) {
		perror("pipe");
		return false;
	}
	child = start(argv, ends[1]);
	close(ends[1]);
	from = fdopen(ends[0], "r");
	while (from && getline(&line, &room, from) > 0)
		if (*number == BOOT_ENTRY_NONE)
			*number = boot_entry_parse(line);
	free(line);
	if (from)
		fclose(from);
	return child > 0 && from && finish(program, child);
}

bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader)
{
	const char *const argv[ARGUMENTS_MAX] = { program,    "--quiet", "--create-only",
						  "--disk",   disk,      "--part",
						  part,       "--label", BOOT_ENTRY_LABEL,
						  "--loader", loader,    NULL };

	return run(argv);
}

static const char *digits(char text[8], int number)
{
	snprintf(text, 8, "%04X", (unsigned)number & 0xffff);
	return text;
}

bool boot_entry_remove(const char *program, int number)
{
	char text[8];
	const char *const argv[] = {
		program, "--quiet", "--bootnum", digits(text, number), "--delete-bootnum", NULL
	};

	return run(argv);
}

bool boot_entry_next(const char *program, int number)
{
	char text[8];
	const char *const argv[] = { program, "--quiet", "--bootnext", digits(text, number), NULL };

	return run(argv);
}
