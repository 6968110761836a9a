/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Include this in a test program that occupies all cores with SCHED_FIFO threads. Two such programs
 * at a time would starve each other for longer than a run waits for a core. A lock on the tree
 * makes them run one after the other; each takes it before its first test.
 */
#pragma once

#include <fcntl.h>
#include <sys/file.h>

__attribute__((constructor)) static void all_cores_alone(void)
{
	int tree = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	/*
	 * Without the lock, only other tests may be disturbed. It is released when the program
	 * exits.
	 */
	if (tree >= 0)
		flock(tree, LOCK_EX);
}
