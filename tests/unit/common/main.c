/* SPDX-License-Identifier: BSD-2-Clause */
/* Of each test program that has no main() of its own. */
#include "test.h"

int main(int argc, char **argv)
{
	int failed = argc < 2 ? tests_run(NULL) : 0;

	for (int i = 1; i < argc; i++)
		failed += tests_run(argv[i]);
	return failed;
}
