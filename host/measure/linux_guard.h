/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A bound for system calls of one thread that Linux may not come back from. What can be
 * interrupted is, by a signal, once its time is over. What cannot is given up when as much time
 * again is over: a thread that waits in the kernel cannot be ended, so another one does what is
 * left to do, and ends the process.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum linux_guard_state {
	LINUX_GUARD_IDLE,
	LINUX_GUARD_CALLING,
	LINUX_GUARD_INTERRUPTED,
	LINUX_GUARD_GIVEN_UP, /* for good */
};

struct linux_guard {
	uint64_t limit_ns;
	/* On a thread of its own, while the guarded one waits in the kernel. */
	void (*give_up)(void *ctx);
	void *ctx;

	pthread_t guarded, thread;
	int timer; /* a file descriptor */
	_Atomic bool ends;
	_Atomic unsigned state;    /* enum linux_guard_state */
	_Atomic uint64_t began_ns; /* of the call */
};

/* Guard the calling thread. False, with errno: it cannot be guarded; nothing is left open. */
bool linux_guard_open(struct linux_guard *g, uint64_t limit_ns, void (*give_up)(void *ctx),
		      void *ctx);
void linux_guard_close(struct linux_guard *g);

/* Right before and after a call. linux_guard_end() returns whether it had to be interrupted. */
void linux_guard_begin(struct linux_guard *g);
bool linux_guard_end(struct linux_guard *g);
