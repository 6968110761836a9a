/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between architectures in a word or two, for code that knows none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ISA_NAME   "aarch64"
#define ISA_NO_SMI true
#define ISA_PORTS  false

/* What describes such a machine to its OS: EBBR asks for either, BBR for the first. */
#define DESCRIBED_BY "ACPI tables or device tree"

static const bool isa_described_by_tree = true;

/* Each platform has a TPM's FIFO at a place of its own: its device names it. */
static const uint64_t isa_tpm_fifo = UINT64_C(0);

/*
 * What is written to memory before is seen by devices before what is written after, to
 * memory or to a register; what is read after is not older than what was read before.
 * Devices are in the outer shareable domain at the furthest (Arm ARM, B2.3.12).
 */
static inline void isa_dma_fence(void)
{
	__asm__ volatile("dmb osh" : : : "memory");
}

/* What belongs to the firmware on a core that we borrow. */
struct arch_borrowed {
	uint64_t vectors, thread, interrupts;
};

/*
 * The physical counter, which the virtual one is less than by an offset of the hypervisor's (Arm
 * ARM, D11.1.2: CNTVOFF_EL2): where that moves, time was hidden. It is there as arch_first_look()
 * found: who is at level 2 may keep it for himself.
 */
#define OTHER_CLOCK "cntpct"
bool isa_other_clock_there(void);
uint64_t isa_other_clock_now(void);

/*
 * What a run logs once of this machine, since its gaps cannot show it, after arch_first_look(): the
 * next text that holds, from row *from on, which steps past it; NULL: no more.
 */
const char *isa_remarks_next(unsigned *from);
