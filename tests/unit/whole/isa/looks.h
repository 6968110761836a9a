/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Included before each source of the program: a look at what another core may change takes a
 * moment, in which the others go on. Without that a loop that waits for another core would never
 * end, as all cores are coroutines of one thread.
 */
#pragma once

#include <stdatomic.h>

void mocked_look(void);

#undef atomic_load
#define atomic_load(at) (mocked_look(), atomic_load_explicit(at, memory_order_seq_cst))
