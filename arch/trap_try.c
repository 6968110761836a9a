/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that an exception may cut short. */
#include "arch.h"

#include "percpu.h"

/* By traps_entry.S: true when fn(arg) returned, false when a handler went on at *e. */
bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e);

bool arch_try(void (*fn)(void *), void *arg)
{
	struct percpu *p = percpu_self();
	struct trap_escape *outer = p->escape;
	struct trap_escape e;

	p->escape = &e;

	bool returned = trap_try(fn, arg, &e);

	p->escape = outer;
	return returned;
}
