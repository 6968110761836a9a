/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`, in the order of its help. */
#define _GNU_SOURCE /* pipe2 */
#include "boot.h"

#include "host/subcommands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
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

/* ---- Other programs: fork(), exec() and wait(), with their errors printed ---- */

#define NOT_STARTED 127

/* The child's standard output is the file descriptor `out`. -1, with errno: fork() failed. */
static pid_t start(const char *const *argv, const char *needs, int out)
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

static bool finish(const char *name, pid_t child)
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
	pid_t child = start(argv, needs, STDERR_FILENO);

	if (child >= 0)
		return finish(argv[0], child);
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
	*child = start(argv, needs, ends[1]);
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
	return child > 0 && finish(name, child) && from;
}
