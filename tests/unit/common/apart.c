/* SPDX-License-Identifier: BSD-2-Clause */
#include "apart.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED 1 /* exit status; a sanitizer's may be the same */

/* What the process leaves when it has run to its end. */
struct outcome {
	bool ended;
	int failures;
};

static void print_line(const char *name, const char *what)
{
	fprintf(stdout, "## %s: %s\n", name, what);
	fprintf(stderr, "## %s: %s\n", name, what);
	fflush(NULL);
}

static bool print_end(const char *name, int status, const struct outcome *o)
{
	bool well = o->ended && WIFEXITED(status) &&
		    WEXITSTATUS(status) == (o->failures ? FAILED : 0);
	char how[40] = "ends: well";

	if (WIFSIGNALED(status))
		snprintf(how, sizeof(how), "ends: signal %d", WTERMSIG(status));
	else if (!well)
		snprintf(how, sizeof(how), "ends: status %d", WEXITSTATUS(status));
	/* The process may have ended within a line. */
	fputc('\n', stdout);
	fputc('\n', stderr);
	print_line(name, how);
	return well;
}

static void run_child(int (*run)(void *arg), void *arg, struct outcome *o)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	o->failures = run(arg);
	o->ended = true;
	exit(o->failures ? FAILED : 0);
}

bool apart_run(const char *name, int (*run)(void *arg), void *arg, int *failures)
{
	struct outcome *o = mmap(NULL, sizeof(*o), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;
	pid_t pid;
	bool well;

	if (o == MAP_FAILED) {
		perror("mmap");
		abort();
	}
	print_line(name, "begins");
	pid = fork();
	if (pid == 0)
		run_child(run, arg, o);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("fork");
		abort();
	}
	well = print_end(name, status, o);
	if (failures)
		*failures += o->failures;
	munmap(o, sizeof(*o));
	return well;
}
