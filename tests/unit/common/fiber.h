/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Coroutines of one thread, each with a stack of its own. AddressSanitizer knows of each switch,
 * and a switch is no system call: swapcontext() would be one, and take most of the time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <ucontext.h>

/* Zeroed: that of the stack on which the program began. */
struct fiber {
	void (*enter)(void);
	ucontext_t context; /* where it begins */
	bool begins;
	void *here[5]; /* where it continues */
	void *fake_stack;
	const void *bottom;
	size_t bytes;
};

/* The first switch to it calls enter(), which never returns. */
void fiber_make(struct fiber *f, void *stack, size_t bytes, void (*enter)(void));

/*
 * Switch to another fiber. Returns when somebody switches to `from`; never if that one has ended.
 */
void fiber_switch(struct fiber *from, struct fiber *to, bool over);
