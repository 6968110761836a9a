/* SPDX-License-Identifier: BSD-2-Clause */
/* Small differences between architectures, for code that is independent of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ISA_NAME   "aarch64"
#define ISA_NO_SMI true
#define ISA_PORTS  false

/* The machine's description for its OS: EBBR asks for either, BBR for the first. */
#define DESCRIBED_BY "ACPI tables or device tree"

static const bool isa_described_by_tree = true;

/* The address of a TPM's FIFO differs by platform: the TPM's device names it. */
static const uint64_t isa_tpm_fifo = UINT64_C(0);

/*
 * Order memory accesses for DMA: writes before the fence reach devices before later writes to
 * memory or registers, and later reads are not older than earlier ones. Devices are in the outer
 * shareable domain at the furthest (Arm ARM, B2.3.12).
 */
static inline void isa_dma_fence(void)
{
	__asm__ volatile("dmb osh" : : : "memory");
}

/* Firmware state of a borrowed core. */
struct arch_borrowed {
	uint64_t vectors, thread, interrupts;
};

/*
 * The physical counter. The virtual one is less by the hypervisor's offset (Arm ARM, D11.1.2:
 * CNTVOFF_EL2): if the offset changes, time was hidden. arch_first_look() finds whether it can be
 * read, as software at level 2 may reserve it.
 */
extern const char *isa_other_clock; /* its name; NULL: there is none */
uint64_t isa_other_clock_now(void);
