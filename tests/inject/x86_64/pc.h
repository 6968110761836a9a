/* SPDX-License-Identifier: BSD-2-Clause */
/* Events that take a PC's cores away, and its devices. */
#pragma once

#include "drivers/pci.h"
#include "tests/inject/source.h"

#include <efi.h>

#include <stdbool.h>
#include <stdint.h>

static const struct pci pci_by_ports = { .ports = true };

/* Pass some time without a device access, which is slow to emulate. */
static inline void spin(uint32_t counts)
{
	__asm__ volatile("1: decl %0; jnz 1b" : "+r"(counts) : : "cc", "memory");
}

/* ---- Cores ---- */

/* EFI_MP_SERVICES_PROTOCOL, as far as it is called or replaced: UEFI PI 1.8, vol. 2, 13.4. */
#define MP_SERVICES_GUID                                               \
	{                                                              \
		0x3fdda605, 0xa76e, 0x4f46,                            \
		{                                                      \
			0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 \
		}                                                      \
	}

struct mp_cpu {
	UINT64 apic_id;
	UINT32 flags;
	UINT32 location[9];
};

struct mp_services {
	EFI_STATUS(EFIAPI *count)(struct mp_services *mp, UINTN *cpus, UINTN *enabled);
	EFI_STATUS(EFIAPI *info)(struct mp_services *mp, UINTN cpu, struct mp_cpu *info);
	EFI_STATUS(EFIAPI *startup_all)
	(struct mp_services *mp, VOID *procedure, BOOLEAN single_thread, EFI_EVENT wait,
	 UINTN timeout_us, VOID *argument, UINTN **failed);
};

/*
 * APIC ids of the enabled cores, the boot core first, then in MP Services' order.
 * Returns how many; 0 when there are more than `max`, when one has an APIC id of
 * 255 or more, or when the boot core is in x2APIC mode: the injector only speaks
 * xAPIC.
 */
uint32_t cores_list(uint8_t *apic_id, uint32_t max);

/* Send an SMI to one core. Returns before it is taken. */
void cores_send_smi(uint8_t apic_id);

/*
 * Our own SMM handlers, where the firmware left SMRAM open: reserve the SMM region and give each
 * of `cores` cores (1..SMM_CORES) a handler of its own that works from header->core[i]; apic_id
 * must be set there. Otherwise prints on the console what failed.
 */
EFI_STATUS smm_install(struct header *header, uint32_t cores);

/* ---- The HPET, as clock to calibrate the TSC with and as source of SMIs and NMIs ---- */

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

/* ---- The chipset's timers as sources of SMIs that the firmware's own handler takes ---- */

/*
 * Each starts a timer and returns its period in ns; 0, with a line on the console,
 * where this is not an ICH9 or it does not take what is written.
 */

/* The TCO watchdog at its shortest. QEMU reloads it and never resets (strap "noreboot"). */
uint64_t tco_start(void);

/* The software SMI timer. rate: below PLAN_SWSMI_RATES, for 1.5, 16, 32, 64 ms. QEMU 10 has it. */
uint64_t swsmi_start(uint32_t rate);

/*
 * The platform as a BIOS with legacy support leaves it, which OVMF is not. On q35: ACPI mode off
 * by SMI_CMD, EHCI's owner the BIOS with its SMIs enabled, UHCI's traps on. QEMU keeps what is
 * written and does nothing with it, so nobody lets go when asked. Otherwise prints on the console
 * what failed.
 */
bool legacy_pose(void);
