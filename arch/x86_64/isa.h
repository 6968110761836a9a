/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between architectures in a word or two, for code that knows none. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_NAME   "x86_64"
#define ISA_NO_SMI false
#define ISA_PORTS  true /* of devices that firmware may emulate */

/* What describes such a machine to its OS. */
#define DESCRIBED_BY "ACPI tables"

static const bool isa_described_by_tree = false;

/* Where a TPM's FIFO is if the table TPM2 does not have it, on all PCs: TCG, PC Client Platform TPM
 * Profile 1.05, 6.2. */
static const uint64_t isa_tpm_fifo = UINT64_C(0xfed40000);

/*
 * What is written to memory before is seen by devices before what is written after, to
 * memory or to a register; what is read after is not older than what was read before. Not
 * ordered are a write and a later read. The processor does all of that by itself, for
 * memory that is cached and registers that are not (SDM vol. 3, memory ordering): the
 * compiler has to know.
 */
static inline void isa_dma_fence(void)
{
	__asm__ volatile("" : : : "memory");
}

/* What belongs to the firmware on a core that we borrow. */
struct arch_borrowed {
	uint8_t gdtr[10], idtr[10];
	uint16_t cs, ss;
	uint64_t gs_base, cr4;
	uint32_t lint[2];
	uint64_t interrupts; /* 0: masked */
};

/* The processor has no clock but the TSC. */
#define OTHER_CLOCK NULL

static inline bool isa_other_clock_there(void)
{
	return false;
}

static inline uint64_t isa_other_clock_now(void)
{
	return 0;
}

/* Nothing is to be remarked of such a machine that its gaps cannot show. */
static inline const char *isa_remarks_next(unsigned *from)
{
	(void)from;
	return NULL;
}
