/* SPDX-License-Identifier: BSD-2-Clause */
/* Order between memory that a device reads and writes, and its registers. */
#pragma once

/*
 * What is written to memory before is seen by devices before what is written after, to
 * memory or to a register; what is read after is not older than what was read before.
 * Devices are in the outer shareable domain at the furthest (Arm ARM, B2.3.12).
 */
static inline void dma_fence(void)
{
	__asm__ volatile("dmb osh" : : : "memory");
}
