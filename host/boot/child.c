/* SPDX-License-Identifier: BSD-2-Clause */
/* fork(), exec() and wait(), with their errors printed. */
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_STARTED 127

pid_t child_start(const char *const *argv, const char *needs, int out)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child != 0)
		return child;
	dup2(out < 0 ? STDERR_FILENO : out, STDOUT_FILENO);
	/* The cast is safe: execvp() does not change its arguments. */
	execvp(argv[0], (char *const *)argv);
	fprintf(stderr, "%s: %s; %s\n", argv[0], strerror(errno), needs);
	fflush(stderr);
	_exit(NOT_STARTED);
}

bool child_finish(const char *name, pid_t child)
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

bool child_run(const char *const *argv, const char *needs)
{
	pid_t child = child_start(argv, needs, -1);

	if (child < 0) {
		perror(argv[0]);
		return false;
	}
	return child_finish(argv[0], child);
}
