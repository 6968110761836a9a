/* SPDX-License-Identifier: BSD-2-Clause */
/* Its lines come through a pipe, and count only when it has printed them all. */
#define _GNU_SOURCE /* pipe2 */
#include "folder_index.h"

#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

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
static int spawn(const char *path, const char *uuid, int out, pid_t *child)
{
	char name[4096 + sizeof(PROGRAM) + 1];
	/* posix_spawn() changes none of them. */
	char *argv[] = { (char *)PROGRAM, (char *)FOLDER_INDEX_COMMAND, (char *)path, (char *)uuid,
			 NULL };
	posix_spawn_file_actions_t actions;
	int error;

	find_program(name);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	/* Whoever asks for all reports it. */
	if (uuid)
		posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawnp(child, name, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
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

static void add_peers(struct folder_index_machine *m, const char *line)
{
	char digits[2 * SHA256_BYTES + 1], uuid[SUMMARY_TEXT];
	uint8_t digest[SHA256_BYTES];
	size_t nodes;

	if (sscanf(line, INDEX_PEERS "%64s %zu %47[^\n]", digits, &nodes, uuid) != 3 ||
	    text_unhex(digits, digest, SHA256_BYTES) != SHA256_BYTES)
		return;
	*MEMORY_ADD(m->peer, m->count) = memory_text(uuid);
	configs_add_many(&m->peers, digest, nodes, m->peer[m->count - 1]);
}

/* What else there is beside entries. */
struct others {
	struct folder_index_machine *machine;
	struct folder_index_latest *latest;
	bool is_whole;
};

static bool begins(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

static bool add_forward(struct folder_index_forward *f, const char *line)
{
	struct index_forward run;

	if (!index_forward_parse(line, &run))
		return false;
	*MEMORY_ADD(f->run, f->count) = run;
	return true;
}

static bool take_other(struct others *o, char *line)
{
	if (o->machine && begins(line, INDEX_PEERS))
		add_peers(o->machine, line);
	else if (o->latest && begins(line, INDEX_FIGURES))
		o->latest->figures(o->latest->ctx, line + strlen(INDEX_FIGURES));
	else if (o->latest && begins(line, INDEX_RUNS))
		o->latest->runs = strtoul(line + strlen(INDEX_RUNS), NULL, 10);
	else if (strcmp(line, INDEX_WHOLE "\n") == 0)
		o->is_whole = true;
	else
		return o->machine && add_forward(&o->machine->forward, line);
	return true;
}

/* With a machine, or the latest runs: ESTALE, unless nothing is missing. */
static int read_lines(FILE *f, struct others *o, struct index_table *t)
{
	struct index_entry e;
	char *line = NULL;
	size_t room = 0;
	int error = 0;

	while (!error && getline(&line, &room, f) > 0) {
		if (!take_other(o, line) && index_parse(line, &e))
			error = index_put(t, &e);
	}
	free(line);
	index_sort(t);
	return !error && !o->is_whole && (o->machine || o->latest) ? ESTALE : error;
}

/* ECHILD: it has printed why not. */
static int read_of_child(const char *path, struct others *o, struct index_table *t)
{
	int end[2], error;
	pid_t child;
	FILE *f;

	if (pipe2(end, O_CLOEXEC) != 0)
		return errno;
	error = spawn(path, o->machine ? o->machine->uuid : o->latest ? "" : NULL, end[1], &child);
	close(end[1]);
	if (error) {
		close(end[0]);
		return error;
	}
	f = fdopen(end[0], "r");
	error = f ? read_lines(f, o, t) : ENOMEM;
	if (f)
		fclose(f);
	else
		close(end[0]);
	return has_ended_well(child) || error ? error : ECHILD;
}

static bool is_there(int dir)
{
	struct stat status;

	return fstatat(dir, INDEX_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool read_some(int dir, const char *path, struct others *o, struct index_table *t)
{
	*t = (struct index_table){ .entry = NULL };
	if (is_there(dir) && read_of_child(path, o, t) == 0)
		return true;
	index_free(t);
	return false;
}

bool folder_index_read_machine(int dir, const char *path, struct folder_index_machine *m,
			       struct index_table *t)
{
	return read_some(dir, path, &(struct others){ .machine = m }, t);
}

bool folder_index_read_latest(int dir, const char *path, struct folder_index_latest *l,
			      struct index_table *t)
{
	return read_some(dir, path, &(struct others){ .latest = l }, t);
}

void folder_index_free_machine(struct folder_index_machine *m)
{
	for (size_t i = 0; i < m->count; i++)
		free(m->peer[i]);
	free(m->peer);
	free(m->forward.run);
	configs_free(&m->peers);
}

int folder_index_read(int dir, const char *path, const char *subcommand, struct index_table *t)
{
	int error;

	*t = (struct index_table){ .entry = NULL };
	if (!is_there(dir))
		return index_read(dir, t);
	error = read_of_child(path, &(struct others){ .machine = NULL }, t);
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

static bool forwards(int dir)
{
	struct stat status;

	return is_there(dir) && fstatat(dir, INDEX_FORWARDED, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

void folder_index_read_forward(int dir, const char *path, const char *uuid,
			       struct folder_index_forward *f)
{
	struct folder_index_machine m = { .uuid = uuid };
	struct index_table t = { .entry = NULL };

	if (forwards(dir))
		folder_index_read_machine(dir, path, &m, &t);
	for (size_t i = 0; i < m.forward.count; i++)
		*MEMORY_ADD(f->run, f->count) = m.forward.run[i];
	index_free(&t);
	folder_index_free_machine(&m);
}
