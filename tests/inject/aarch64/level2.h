/* SPDX-License-Identifier: BSD-2-Clause */
/* A hypervisor of one handler: what runs at level 2 goes on at level 1, and an FIQ comes here. */
#pragma once

/* struct level1, by offset: for the assembly. */
#define LEVEL1_STACK   0
#define LEVEL1_VECTORS 8

#ifndef __ASSEMBLER__

#include <stdint.h>

struct level1 {
	uint64_t stack;   /* end of the stack, from now on level 2's */
	uint64_t vectors; /* from now on level 2's */
};

extern const char level2_vectors[];

/* Returns at level 1, with the stack and the interrupt masks that its caller had. */
void level2_drop(const struct level1 *l);

/* From level 1: have its timer interrupt when the counter is `at`. */
void level2_arm(uint64_t at);

#endif
