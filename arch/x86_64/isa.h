/* SPDX-License-Identifier: BSD-2-Clause */
/* Small differences between architectures, for code that is independent of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ISA_NAME   "x86_64"
#define ISA_NO_SMI false
#define ISA_PORTS  true /* I/O ports exist, some of devices that firmware may emulate */

/* The machine's description for its OS. */
#define DESCRIBED_BY "ACPI tables"

static const bool isa_described_by_tree = false;

/*
 * Address of a TPM's FIFO, on all PCs, if the table TPM2 lacks it: TCG, PC Client Platform TPM
 * Profile 1.05, 6.2.
 */
static const uint64_t isa_tpm_fifo = UINT64_C(0xfed40000);

/*
 * Order memory accesses for DMA: writes before the fence reach devices before later writes to
 * memory or registers, and later reads are not older than earlier ones. A write and a later read
 * are not ordered. The processor does all of that by itself, for memory that is cached and
 * registers that are not (SDM vol. 3, memory ordering): only the compiler needs the fence.
 */
static inline void isa_dma_fence(void)
{
	__asm__ volatile("" : : : "memory");
}

/* Firmware state of a borrowed core. */
struct arch_borrowed {
	uint8_t gdtr[10], idtr[10];
	uint16_t cs, ss;
	uint64_t gs_base, cr4;
	uint32_t lint[2];
	uint64_t interrupts; /* 0: masked */
};

/* The processor has no clock but the TSC. */
static const char *const isa_other_clock = NULL;

static inline uint64_t isa_other_clock_now(void)
{
	return 0;
}
