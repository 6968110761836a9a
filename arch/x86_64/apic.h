/* SPDX-License-Identifier: BSD-2-Clause */
/* The local APIC, xAPIC and x2APIC alike. Source: Intel SDM vol. 3, chapter 10. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* One way to reach the registers. Register numbers are the xAPIC offsets (0x20, 0x30, ...). */
struct apic_ops {
	uint32_t (*read)(uint32_t reg);
	void (*write)(uint32_t reg, uint32_t value);
	/* Send an interprocessor interrupt; false when it was not accepted in time. */
	bool (*send)(uint32_t apic_id, uint32_t command);
};

#define APIC_EOI         0xb0 /* a register: writing 0 acknowledges an interrupt */
#define APIC_WAKE_VECTOR 0xf0 /* ends arch_sleep() */

/* Commands. APIC_STARTUP is with the number of a page below 1 MiB. */
#define APIC_ASSERT  (1u << 14)
#define APIC_NMI     (4u << 8 | APIC_ASSERT)
#define APIC_INIT    (5u << 8 | APIC_ASSERT)
#define APIC_STARTUP (6u << 8 | APIC_ASSERT)
#define APIC_WAKE    (APIC_WAKE_VECTOR | APIC_ASSERT)

/* True if xAPIC mode reaches this core: id 255 addresses all cores (SDM vol. 3, 11.6.2.1). */
static inline bool apic_is_xapic_id(uint32_t apic_id)
{
	return apic_id < 0xff;
}

/* The APIC mode that the core was in, which is kept. Valid after apic_init(). */
extern const struct apic_ops *apic;

/* msr: MSR_APIC_BASE. */
void apic_init(uint64_t msr, uint64_t hz);

/* Enable the calling core's APIC, which is off after INIT, and mask its timer. */
void apic_enable(void);

/*
 * Firmware may have thermal interrupts, and those of performance counters and of corrected machine
 * checks, delivered as SMIs, on all cores alike. INIT masks them (SDM vol. 3, 11.4.7.2). An OS
 * copies the boot core's value to each core on which its mode is not fixed (Linux, therm_throt.c),
 * so an OS inherits those SMIs.
 */
#define APIC_FIRMWARES 3
void apic_save_firmwares(uint32_t lvt[APIC_FIRMWARES]);       /* on the boot core */
void apic_copy_firmwares(const uint32_t lvt[APIC_FIRMWARES]); /* on a started core */

/* LINT pins by which external NMIs reach a core. */
struct apic_nmi {
	bool on[2];
	bool known;      /* false: it cannot be known, and none is wired */
	const char *why; /* a clause; NULL: as the MADT has it, or masked as on all other cores */
};

/*
 * `named`: the pins that the MADT names for the core; `left`: the boot core's LVT entries as the
 * firmware left them. Under an OS, LINT1 of the boot core is NMI whatever the MADT has (Linux,
 * setup_local_APIC()), and many MADTs have no entry for it, or none at all. LINT0 belongs to the
 * 8259 on most machines, so an entry alone does not change it.
 */
struct apic_nmi apic_choose_nmi(const bool named[2], const uint32_t left[2], bool boot);

/* Wire NMI to the calling core's LINT pins where `nmi` is set for them, and mask the others. */
void apic_wire_nmi(const bool nmi[2]);

/* Save the calling core's LINT0 and LINT1 entries, or restore them. */
void apic_save_lints(uint32_t lint[2]);
void apic_restore_lints(const uint32_t lint[2]);

/*
 * Send INIT to all other cores; nothing before apic_init(). Only the BSP may: another core's INIT
 * would have the BSP begin at the reset vector (SDM vol. 3, 9.4.2). False: apic_init() was not
 * called on the BSP, and nothing is sent.
 */
bool apic_stop_others(void);
