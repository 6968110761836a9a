/* SPDX-License-Identifier: BSD-2-Clause */
/* The HPET, as clock to calibrate the TSC with and as source of SMIs and NMIs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define HPET_ADDRESS UINT64_C(0xfed00000) /* where q35 has it */

/*
 * Start the main counter if it stands still. False, with a line on the console,
 * when there is no HPET or its comparators cannot send messages (QEMU wants
 * -global hpet.msi=on).
 */
bool hpet_start(void);

/* Length of one HPET tick, femtoseconds (at most 100,000,000 by the specification). */
uint32_t hpet_period_fs(void);

uint64_t hpet_now(void);

/* ns to HPET ticks, rounded down. */
uint64_t hpet_ticks(uint64_t ns);

/* TSC ticks per second, measured over 50 ms. Interrupts should be off. */
uint64_t hpet_tsc_hz(void);

/* Have timer HPET_SMI raise one SMI on `apic_id` (0xff: all cores) when the counter reaches `at`.
 */
void hpet_arm_smi(uint8_t apic_id, uint64_t at);

/*
 * Prepare timer HPET_NMI to raise an NMI on `apic_id` every `period_ns`, the
 * first at `at`. The handler enables it.
 */
void hpet_prepare_nmi(uint8_t apic_id, uint64_t at, uint32_t period_ns);
