/* SPDX-License-Identifier: BSD-2-Clause */
/* Model-specific registers that may not exist: a #GP is caught by the fix-up table. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Read or write an MSR; false when the processor refuses it. Only once our own
 * IDT is loaded (arch_borrow(), arch_take_over()). Note that QEMU's TCG refuses nothing: unknown
 * registers read as 0 there.
 */
bool msr_read(uint32_t msr, uint64_t *value);
bool msr_write(uint32_t msr, uint64_t value);
