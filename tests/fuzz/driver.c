/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs fuzz targets on nothing and on their seeds, without libFuzzer: what a fuzzer once found
 * stays a test on machines that have no clang. Each is the test `seeds` of its file.
 */
#include "tests/unit/common/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SEEDS       "tests/fuzz/seeds"
#define SEED_MAX    ((size_t)16 << 20)
#define TARGETS_MAX 64

struct target {
	const char *name;
	int (*run)(const uint8_t *data, size_t bytes);
};

void registered_add(const char *file, const char *name,
		    int (*run)(const uint8_t *data, size_t bytes));

/* The seed goes to a block of its exact size, so that one byte too far is seen. */
static void run_file(const struct target *t, const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = malloc(SEED_MAX);
	size_t bytes;

	if (!f || !data) {
		perror(path);
		abort();
	}
	bytes = fread(data, 1, SEED_MAX, f);
	fclose(f);
	data = realloc(data, bytes ? bytes : 1);
	fprintf(stderr, "%s: %zu bytes\n", path, bytes);
	t->run(data, bytes);
	free(data);
}

static int is_seed(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int own_stdout; /* a target may close it */

static int restore_stdout(void **state)
{
	(void)state;
	fflush(stdout);
	return dup2(own_stdout, STDOUT_FILENO) < 0;
}

static void run_target(void **state)
{
	const struct target *t = *state;
	struct dirent **seeds = NULL;
	char path[1024];
	int count;

	own_stdout = dup(STDOUT_FILENO);
	t->run(NULL, 0);
	snprintf(path, sizeof(path), "%s/%s", SEEDS, t->name);
	count = scandir(path, &seeds, is_seed, alphasort);
	assert_true(count > 0);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", SEEDS, t->name, seeds[i]->d_name);
		run_file(t, path);
		free(seeds[i]);
	}
	free(seeds);
}

void registered_add(const char *file, const char *name,
		    int (*run)(const uint8_t *data, size_t bytes))
{
	static struct target targets[TARGETS_MAX];
	static size_t count;

	if (count == TARGETS_MAX)
		abort();
	targets[count] = (struct target){ name, run };
	tests_register(&(const struct CMUnitTest){ .name = "seeds",
						   .test_func = run_target,
						   .teardown_func = restore_stdout,
						   .initial_state = &targets[count++] },
		       file, __LINE__);
}
