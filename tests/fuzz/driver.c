/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs fuzz targets on nothing and on their seeds, without libFuzzer: what a fuzzer once found
 * stays a test on machines that have no clang. The arguments are names of targets; none: all.
 */
#include "tests/unit/common/apart.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS       "tests/fuzz/seeds"
#define SEED_MAX    ((size_t)16 << 20)
#define TARGETS_MAX 64

struct target {
	const char *name;
	int (*run)(const uint8_t *data, size_t bytes);
};

void registered_add(const char *name, int (*run)(const uint8_t *data, size_t bytes));

static struct target targets[TARGETS_MAX];
static size_t target_count;

void registered_add(const char *name, int (*run)(const uint8_t *data, size_t bytes))
{
	if (target_count == TARGETS_MAX)
		abort();
	targets[target_count++] = (struct target){ name, run };
}

/* The seed goes to a block of its exact size, so that one byte too far is seen. */
static void run_file(const struct target *t, const char *path, uint8_t *buffer)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t bytes;

	if (!f) {
		perror(path);
		exit(1);
	}
	bytes = fread(buffer, 1, SEED_MAX, f);
	fclose(f);
	data = malloc(bytes ? bytes : 1);
	if (!data)
		abort();
	memcpy(data, buffer, bytes);
	fprintf(stderr, "%s: %zu bytes\n", path, bytes);
	t->run(data, bytes);
	free(data);
}

static int is_seed(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int run_target(void *arg)
{
	const struct target *t = arg;
	uint8_t *buffer = malloc(SEED_MAX);
	struct dirent **seeds = NULL;
	char path[1024];
	int count;

	if (!buffer)
		abort();
	t->run(NULL, 0);
	snprintf(path, sizeof(path), "%s/%s", SEEDS, t->name);
	count = scandir(path, &seeds, is_seed, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", SEEDS, t->name, seeds[i]->d_name);
		run_file(t, path, buffer);
		free(seeds[i]);
	}
	free(seeds);
	free(buffer);
	printf("%s: %d seeds\n", t->name, count > 0 ? count : 0);
	return 0;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], name) == 0)
			return true;
	return argc < 2;
}

int main(int argc, char **argv)
{
	bool good = true;
	size_t ran = 0;

	for (size_t i = 0; i < target_count; i++)
		if (is_wanted(targets[i].name, argc, argv)) {
			good &= apart_run(targets[i].name, run_target, &targets[i], NULL);
			ran++;
		}
	return good && ran ? 0 : 1;
}
