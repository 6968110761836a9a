/* SPDX-License-Identifier: BSD-2-Clause */
/* The test programs' main(), but for those that have their own. */
#include "test.h"

int main(int argc, char **argv)
{
	return tests_main(argc, argv);
}
