/* SPDX-License-Identifier: BSD-2-Clause */
/* Order between memory that a device reads and writes, and its registers. */
#pragma once

/*
 * What is written to memory before is seen by devices before what is written after, to
 * memory or to a register; what is read after is not older than what was read before. Not
 * ordered are a write and a later read. The processor does all of that by itself, for
 * memory that is cached and registers that are not (SDM vol. 3, memory ordering): the
 * compiler has to know.
 */
static inline void dma_fence(void)
{
	__asm__ volatile("" : : : "memory");
}
