/* SPDX-License-Identifier: BSD-2-Clause */
#include "fiber.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

static struct fiber *left, *entered; /* by the last switch */

static void leave_stack(bool over)
{
#if defined(__SANITIZE_ADDRESS__)
	__sanitizer_start_switch_fiber(over ? NULL : &left->fake_stack, entered->bottom,
				       entered->bytes);
#else
	(void)over;
#endif
}

/* The sanitizer reports the program's own stack when it is left. */
static void enter_stack(void)
{
#if defined(__SANITIZE_ADDRESS__)
	const void *bottom;
	size_t bytes;

	__sanitizer_finish_switch_fiber(entered->fake_stack, &bottom, &bytes);
	if (!left->bytes) {
		left->bottom = bottom;
		left->bytes = bytes;
	}
#endif
}

static void begin(void)
{
	enter_stack();
	entered->enter();
}

void fiber_make(struct fiber *f, void *stack, size_t bytes, void (*enter)(void))
{
	*f = (struct fiber){ .enter = enter, .begins = true, .bottom = stack, .bytes = bytes };
	getcontext(&f->context);
	f->context.uc_stack.ss_sp = stack;
	f->context.uc_stack.ss_size = bytes;
	makecontext(&f->context, begin, 0);
}

static __attribute__((noinline, noreturn, no_sanitize("address"))) void jump(struct fiber *to)
{
	if (to->begins) {
		to->begins = false;
		setcontext(&to->context);
	}
	__builtin_longjmp(to->here, 1);
}

/* Without instrumentation, which would clear the shadow of a whole stack before a jump. */
static __attribute__((noinline, no_sanitize("address"))) void change(struct fiber *from,
								     struct fiber *to)
{
	if (!__builtin_setjmp(from->here))
		jump(to);
}

void fiber_switch(struct fiber *from, struct fiber *to, bool over)
{
	left = from;
	entered = to;
	leave_stack(over);
	change(from, to);
	enter_stack();
}
