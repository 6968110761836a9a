/* SPDX-License-Identifier: BSD-2-Clause */
/* The tests of a program, by file. */
#include "test.h"

#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAILED     1 /* exit status; a sanitizer's may be the same */
#define FILES_MAX  64
#define TESTS_MAX  256
#define NAME_BYTES 512

struct test_file {
	const char *name;
	struct CMUnitTest tests[TESTS_MAX];
	unsigned lines[TESTS_MAX];
	size_t count;
	struct test around; /* before and behind all of them */
};

/* Tests of one file that run in one process. */
struct wanted {
	const struct test_file *file;
	struct CMUnitTest tests[TESTS_MAX];
	size_t count;
};

static struct test_file files[FILES_MAX];
static size_t file_count;

static struct test_file *file_of(const char *name)
{
	for (size_t i = 0; i < file_count; i++)
		if (strcmp(files[i].name, name) == 0)
			return &files[i];
	if (file_count == FILES_MAX) {
		fprintf(stderr, "%s: more than %d files\n", name, FILES_MAX);
		abort();
	}
	files[file_count].name = name;
	return &files[file_count++];
}

/* The order of constructors is up to the compiler. */
void tests_register(const struct CMUnitTest *test, const char *file, unsigned line)
{
	struct test_file *f = file_of(file);
	size_t at = f->count;

	if (f->count == TESTS_MAX) {
		fprintf(stderr, "%s: more than %d tests\n", file, TESTS_MAX);
		abort();
	}
	for (; at && f->lines[at - 1] > line; at--) {
		f->tests[at] = f->tests[at - 1];
		f->lines[at] = f->lines[at - 1];
	}
	f->tests[at] = *test;
	f->lines[at] = line;
	f->count++;
}

static void call_test(void **state)
{
	((const struct test *)*state)->run();
}

static int set_up(void **state)
{
	const struct test *test = *state;

	if (test->setup)
		test->setup();
	return 0;
}

static int tear_down(void **state)
{
	const struct test *test = *state;

	if (test->teardown)
		test->teardown();
	return 0;
}

void tests_add(const struct test *test, const char *name, const char *file, unsigned line)
{
	tests_register(
		&(const struct CMUnitTest){ name, call_test, set_up, tear_down, (void *)test },
		file, line);
}

void tests_group(const char *file, void (*setup)(void), void (*teardown)(void))
{
	file_of(file)->around = (struct test){ .setup = setup, .teardown = teardown };
}

/* The file whose tests this process runs. */
static const struct test_file *running;

static int set_up_file(void **state)
{
	(void)state;
	return set_up(&(void *){ (void *)&running->around });
}

static int tear_down_file(void **state)
{
	(void)state;
	return tear_down(&(void *){ (void *)&running->around });
}

static void name_test(char name[NAME_BYTES], const struct test_file *f, const char *test)
{
	snprintf(name, NAME_BYTES, "%s::%s", f->name, test);
}

static bool is_wanted(const struct test_file *f, const char *test, int argc, char **argv)
{
	char name[NAME_BYTES];

	name_test(name, f, test);
	for (int i = 1; i < argc; i++)
		if (fnmatch(argv[i], strchr(argv[i], ':') ? name : test, 0) == 0)
			return true;
	return argc < 2;
}

/* ---- A process of its own: what it changes, leaks or breaks is not the next one's ---- */

/* State that a process reports when it has run to its end. */
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

static void run_child(const struct wanted *w, struct outcome *o)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	running = w->file;
	o->failures = _cmocka_run_group_tests(w->file->name, w->tests, w->count, set_up_file,
					      tear_down_file);
	o->ended = true;
	exit(o->failures ? FAILED : 0);
}

/* True if it ended well, with so many failures. */
static bool run_apart(const char *name, const struct wanted *w, int *failures)
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
		run_child(w, o);
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		perror("fork");
		abort();
	}
	well = print_end(name, status, o);
	*failures = o->failures;
	munmap(o, sizeof(*o));
	return well;
}

static bool run_each(const struct wanted *all)
{
	struct wanted one = { .file = all->file, .count = 1 };
	char name[NAME_BYTES];
	int failures;

	for (size_t i = 0; i < all->count; i++) {
		one.tests[0] = all->tests[i];
		name_test(name, all->file, one.tests[0].name);
		run_apart(name, &one, &failures);
	}
	return false;
}

static bool run_file(const struct wanted *w)
{
	int failures;

	if (!run_apart(w->file->name, w, &failures))
		return run_each(w);
	return !failures;
}

int tests_main(int argc, char **argv)
{
	static struct wanted w;
	bool good = true;
	size_t ran = 0;

	for (size_t i = 0; i < file_count; i++) {
		w.file = &files[i];
		w.count = 0;
		for (size_t n = 0; n < files[i].count; n++)
			if (is_wanted(w.file, files[i].tests[n].name, argc, argv))
				w.tests[w.count++] = files[i].tests[n];
		if (w.count)
			good &= run_file(&w);
		ran += w.count;
	}
	if (!ran) {
		fprintf(stderr, "no test fits %s\n", argc > 1 ? argv[1] : "");
		return 2;
	}
	return good ? 0 : 1;
}

bool leaks_unchecked;

/* LeakSanitizer asks for it by this name. */
int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return leaks_unchecked;
}
