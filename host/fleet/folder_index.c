/* SPDX-License-Identifier: BSD-2-Clause */
/* Its lines come through a pipe, and count only when it has printed them all. */
#define _GNU_SOURCE /* pipe2 */
#include "folder_index.h"

#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROGRAM "noisefloor-collect"

extern char **environ;

/* Beside this program, else where PATH has it. */
static void find_program(char name[4096 + sizeof(PROGRAM) + 1])
{
	char own[4096];
	ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n > 0) {
		own[n] = '\0';
		sprintf(name, "%s/" PROGRAM, dirname(own));
		if (access(name, X_OK) == 0)
			return;
	}
	strcpy(name, PROGRAM);
}

/* With its output to a pipe. 0 or an errno. */
static int spawn(const char *path, int out, pid_t *child)
{
	char name[4096 + sizeof(PROGRAM) + 1];
	char *folder = strdup(path);
	char *argv[] = { (char[]){ PROGRAM }, (char[]){ FOLDER_INDEX_COMMAND }, folder, NULL };
	posix_spawn_file_actions_t actions;
	int error = folder ? 0 : ENOMEM;

	if (error)
		return error;
	find_program(name);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawnp(child, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(folder);
	return error;
}

static bool has_ended_well(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int read_lines(int fd, struct index_table *t)
{
	FILE *f = fdopen(fd, "r");
	int error;

	if (!f) {
		close(fd);
		return ENOMEM;
	}
	error = index_read_lines(f, t);
	fclose(f);
	return error;
}

/* ECHILD: it has printed why not. */
static int read_of_child(const char *path, struct index_table *t)
{
	int end[2], error;
	pid_t child;

	if (pipe2(end, O_CLOEXEC) != 0)
		return errno;
	error = spawn(path, end[1], &child);
	close(end[1]);
	if (error) {
		close(end[0]);
		return error;
	}
	error = read_lines(end[0], t);
	return has_ended_well(child) || error ? error : ECHILD;
}

int folder_index_read(int dir, const char *path, const char *subcommand, struct index_table *t)
{
	struct stat status;
	int error;

	*t = (struct index_table){ .entry = NULL };
	if (fstatat(dir, INDEX_NAME, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return index_read(dir, t);
	error = read_of_child(path, t);
	if (!error || error == ENOMEM)
		return error;
	index_free(t);
	fprintf(stderr, "%s: %s/" INDEX_NAME ": ", subcommand, text_sanitize_name(path));
	fputs(error == ENOENT   ? PROGRAM ", which reads it, is not installed"
	      : error == ECHILD ? "not read"
				: strerror(error),
	      stderr);
	fputs("; the runs' files are read\n", stderr);
	if (index_read(dir, t) != 0)
		index_free(t);
	return 0;
}
