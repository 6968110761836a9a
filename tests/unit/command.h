/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Run a subcommand of the host tool in a child process on captures in files, and keep its output.
 * Included once per test program, before other headers that use cmocka.h.
 */
#pragma once

#include "host/program/options.h"
#include "capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/common/test.h"
#include "tests/unit/rounds.h"

#define COMMAND_FILES 3
#define COMMAND_ARGS  16
#define OUTPUT_MAX    ((size_t)8 << 20)
#define SID           UINT64_C(0x0123456789abcdef)
#define LEAKS_EACH    32

/* Captures as files, and what the command printed of them. */
static char folder[64];
static char path[COMMAND_FILES][80], out_path[80], err_path[80];
static char *out, *err; /* OUTPUT_MAX bytes each */
static struct capture capture;
static unsigned command_runs; /* in this program; with all rounds, in this test */

/*
 * A mapped text of OUTPUT_MAX bytes. LeakSanitizer scans all variables at each process exit, and a
 * test starts many processes; it does not scan mapped memory.
 */
static inline char *output_map(void)
{
	char *text = mmap(NULL, OUTPUT_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);

	return text == MAP_FAILED ? NULL : text;
}

static inline void make_folder(void)
{
	snprintf(folder, sizeof(folder), "/tmp/noisefloor.XXXXXX");
	out = output_map();
	err = output_map();
	assert_true(out && err && mkdtemp(folder));
	for (unsigned i = 0; i < COMMAND_FILES; i++)
		snprintf(path[i], sizeof(path[i]), "%s/%u.log", folder, i);
	snprintf(out_path, sizeof(out_path), "%s/out", folder);
	snprintf(err_path, sizeof(err_path), "%s/err", folder);
}

static inline void remove_folder(void)
{
	for (unsigned i = 0; i < COMMAND_FILES; i++)
		unlink(path[i]);
	unlink(out_path);
	unlink(err_path);
	assert_int_equal(rmdir(folder), 0);
}

/* Each test gets a new capture. */
static inline void start(void)
{
	if (rounds_all())
		command_runs = 0;
	capture_start(&capture, SID);
}

static inline void teardown(void)
{
	capture_free(&capture);
}

/* Start a new capture within a test. */
static inline void start_again(void)
{
	teardown();
	capture_start(&capture, SID);
}

static inline void write_file(const char *name, const void *bytes, size_t count)
{
	FILE *f = fopen(name, "wb");

	assert_non_null(f);
	if (count)
		assert_int_equal(fwrite(bytes, 1, count, f), count);
	assert_int_equal(fclose(f), 0);
}

static inline void save_text(const char *to, const char *text)
{
	write_file(to, text, strlen(text));
}

static inline void save(unsigned file)
{
	write_file(path[file], capture.bytes, capture.count);
}

static inline int empty_folder(void)
{
	char command[sizeof(folder) + 20];

	snprintf(command, sizeof(command), "rm -rf '%s'/*", folder);
	return system(command);
}

/* Also remove the files that a test has left in the folder. */
static inline void remove_folder_and_rest(void)
{
	assert_int_equal(empty_folder(), 0);
	remove_folder();
}

/* Create the folder, and an empty file as standard input. */
static inline void make_folder_and_input(void)
{
	make_folder();
	save(0);
}

/* Send a record of these members to the capture: SEND_CPU(.stage = "bare", .cpu = 1). */
#define SEND(TYPE, type, ...) \
	record_send(&capture.link, RECORD_##TYPE, &(const struct record_##type){ __VA_ARGS__ })

#define SEND_BEGIN(...)   SEND(BEGIN, begin, __VA_ARGS__)
#define SEND_STAGE(...)   SEND(STAGE, stage, __VA_ARGS__)
#define SEND_WINDOW(...)  SEND(WINDOW, window, __VA_ARGS__)
#define SEND_GAP(...)     SEND(GAP, gap, __VA_ARGS__)
#define SEND_EVENT(...)   SEND(EVENT, event, __VA_ARGS__)
#define SEND_CPU(...)     SEND(CPU, cpu, __VA_ARGS__)
#define SEND_SOURCE(...)  SEND(SOURCE, source, __VA_ARGS__)
#define SEND_PAUSE(...)   SEND(PAUSE, pause, __VA_ARGS__)
#define SEND_SERVICE(...) SEND(SERVICE, service, __VA_ARGS__)
#define SEND_STRETCH(...) SEND(STRETCH, stretch, __VA_ARGS__)
#define SEND_LOG(...)     SEND(LOG, log, __VA_ARGS__)
#define SEND_END(...)     SEND(END, end, __VA_ARGS__)

/* End a run without limits, and save it. */
static inline void save_run(unsigned file)
{
	SEND_END(.verdict = "none");
	save(file);
}

/* Returns the number of bytes. */
static inline size_t load(const char *name, char *text)
{
	FILE *f = fopen(name, "rb");
	size_t count;

	assert_non_null(f);
	count = fread(text, 1, OUTPUT_MAX - 1, f);
	text[count] = '\0';
	fclose(f);
	return count;
}

/*
 * A check for leaks takes as long as fifteen runs, so it is done for the first run of a program and
 * for every LEAKS_EACH-th one after it; with all rounds, also for each test's first LEAKS_EACH
 * runs.
 */
static inline bool looks_for_leaks(unsigned runs)
{
	return runs % LEAKS_EACH == 0 || (rounds_all() && runs < LEAKS_EACH);
}

/* Run a subcommand with these arguments, the first of which is its name; returns its exit code. */
static inline int run_by(int (*run)(const struct options_subcommand *s, int argc, char **argv),
			 const struct options_subcommand *command, const char *const *args)
{
	char *argv[COMMAND_ARGS + 1] = { NULL };
	int argc = 0, status;
	pid_t child;

	for (; args[argc]; argc++) {
		assert_true(argc < COMMAND_ARGS);
		argv[argc] = (char *)args[argc];
	}
	fflush(NULL);
	leaks_unchecked = !looks_for_leaks(command_runs++);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (!freopen(out_path, "wb", stdout) || !freopen(err_path, "wb", stderr) ||
		    !freopen(access(path[0], R_OK) ? "/dev/null" : path[0], "rb", stdin))
			_exit(99);
		exit(run(command, argc, argv));
	}
	leaks_unchecked = false;
	assert_int_equal(waitpid(child, &status, 0), child);
	load(out_path, out);
	load(err_path, err);
	if (!WIFEXITED(status))
		fail_msg("it did not exit, but printed %s", err);
	return WEXITSTATUS(status);
}

static inline int run_command(const struct options_subcommand *command, const char *const *args)
{
	return run_by(options_run, command, args);
}

#define RUN(command, ...) run_command(command, (const char *const[]){ __VA_ARGS__, NULL })

/* Like assert_int_equal(), but also prints the run's verdict. */
static inline void assert_exit(int code, int wanted)
{
	const char *reason = strstr(out, "verdict:");

	if (code != wanted)
		fail_msg("exit code %d is not %d: %s%s", code, wanted, reason ? reason : "", err);
}

static inline void assert_in(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no `%s` in\n%s", part, text);
}

static inline void assert_not_in(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("`%s` in\n%s", part, text);
}
