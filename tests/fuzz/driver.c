/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target on nothing and on the files named, without libFuzzer: what
 * a fuzzer once found stays a test on machines that have no clang.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define SEED_MAX ((size_t)16 << 20)

/* The seed goes to a block of its exact size, so that one byte too far is seen. */
static int run_file(const char *path, uint8_t *buffer)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	size_t bytes;

	if (!f) {
		perror(path);
		return 1;
	}
	bytes = fread(buffer, 1, SEED_MAX, f);
	fclose(f);
	data = malloc(bytes ? bytes : 1);
	if (!data)
		return 1;
	for (size_t i = 0; i < bytes; i++)
		data[i] = buffer[i];
	fprintf(stderr, "%s: %zu bytes\n", path, bytes);
	LLVMFuzzerTestOneInput(data, bytes);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	uint8_t *buffer = malloc(SEED_MAX);
	int failed = !buffer;

	LLVMFuzzerTestOneInput(NULL, 0);
	for (int i = 1; i < argc && !failed; i++)
		failed = run_file(argv[i], buffer);
	free(buffer);
	return failed;
}
