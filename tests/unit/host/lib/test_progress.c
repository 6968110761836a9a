/* SPDX-License-Identifier: BSD-2-Clause */
/* Output during long steps, with the clock's ticks sent by hand. */
#define _GNU_SOURCE /* pseudo-terminals */

#include "host/lib/progress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/unit/common/test.h"

#define MB ((size_t)1000000)

static char printed[4096];

/* Run `steps` in a process of its own whose standard error is `fd`; its output from `from`. */
static void run(void (*steps)(void), int fd, int from)
{
	size_t bytes = 0;
	ssize_t count;
	int status;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		dup2(fd, STDERR_FILENO);
		steps();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(fd);
	while (bytes < sizeof(printed) - 1 &&
	       (count = read(from, printed + bytes, sizeof(printed) - 1 - bytes)) > 0)
		bytes += (size_t)count;
	printed[bytes] = '\0';
	close(from);
}

static void run_in_terminal(void (*steps)(void))
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;
	struct termios raw;

	assert_true(master >= 0);
	assert_int_equal(grantpt(master), 0);
	assert_int_equal(unlockpt(master), 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(tcgetattr(slave, &raw), 0);
	cfmakeraw(&raw);
	assert_int_equal(tcsetattr(slave, TCSANOW, &raw), 0);
	run(steps, slave, master);
}

static void read_half(void)
{
	progress_start("reading", "a\nb", 100 * MB);
	progress_add(20 * MB);
	progress_add(30 * MB);
	raise(SIGALRM);
	progress_add(500 * MB);
	raise(SIGALRM);
	progress_stop();
}

static void asked(void)
{
	progress_ask();
	read_half();
}

static void not_asked(void)
{
	struct sigaction action;

	progress_start("reading", "x", 100 * MB);
	/* No clock was started: a tick would end the program. */
	if (sigaction(SIGALRM, NULL, &action) != 0 || action.sa_handler != SIG_DFL)
		_exit(1);
	progress_add(MB);
	progress_hide();
	progress_stop();
}

static void forbidden(void)
{
	progress_forbid();
	not_asked();
}

/* Print a complaint, which must have its own line. */
static void complain(void)
{
	progress_start("reading", "x", 0);
	progress_add(7 * MB);
	raise(SIGALRM);
	progress_hide();
	fputs("x:1: damaged\n", stderr);
	progress_hide();
	progress_stop();
}

static void quick(void)
{
	progress_start("looking for sources in stage", "bare", 0);
	progress_stop();
}

/* On a terminal without being asked for, on one line, which is gone at the end. */
TEST(test_terminal)
{
	static const struct {
		void (*steps)(void);
		const char *printed;
	} cases[] = {
		{ read_half, "\r\x1b[Knoisefloor: reading a?b: 50 of 100 MB, 50 %, 1 s"
			     "\r\x1b[Knoisefloor: reading a?b: 100 of 100 MB, 100 %, 2 s\r\x1b[K" },
		{ complain, "\r\x1b[Knoisefloor: reading x: 7 MB, 1 s\r\x1b[Kx:1: damaged\n" },
		{ forbidden, "" },
		{ quick, "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_in_terminal(cases[i].steps);
		assert_string_equal(printed, cases[i].printed);
	}
}

TEST(test_pipe)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	run(asked, ends[1], ends[0]);
	assert_string_equal(printed, "noisefloor: reading a?b: 50 of 100 MB, 50 %, 1 s\n"
				     "noisefloor: reading a?b: 100 of 100 MB, 100 %, 2 s\n");
	assert_int_equal(pipe(ends), 0);
	run(not_asked, ends[1], ends[0]);
	assert_string_equal(printed, "");
}
