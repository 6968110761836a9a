/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * For a test program whose threads take all cores with SCHED_FIFO. Beside another such, one that
 * lets a call hang, its threads get no processor for longer than a run waits for a core:
 * so one goes after the other. They wait for each other before their first test.
 */
#pragma once

#include <fcntl.h>
#include <sys/file.h>

__attribute__((constructor)) static void all_cores_alone(void)
{
	int tree = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/* Where that is refused, only other tests may suffer. It ends with the program. */
	if (tree >= 0)
		flock(tree, LOCK_EX);
}
