/* SPDX-License-Identifier: BSD-2-Clause */
/* What real machines do. */
#pragma once

#include <efi.h>

#include <stdbool.h>

/* Set up once, before the probe starts; false: not on this machine. */
struct quirk {
	const char *name;
	bool (*set_up)(void);
};

/* Those that only machines with this processor have, up to a NULL. */
extern const struct quirk quirks_of_processor[];

/* ResetSystem reads the BIOS data area's reset flag, or a device far up, or takes an exception. */
bool quirk_reset_reads_page_0(void);
bool quirk_reset_reads_high(void);
bool quirk_reset_faults(void);

/* ResetSystem never returns; the second one masks interrupts first. */
bool quirk_reset_spins(void);
bool quirk_reset_spins_masked(void);

/* There is no ResetSystem; it takes an exception, and EFI_RT_PROPERTIES_TABLE does not list it. */
bool quirk_reset_missing(void);
bool quirk_reset_unsupported(void);

/* No page below 640 KiB is free. */
bool quirk_no_low_page(void);

/* A reserved range ends at 1 TiB, and nothing is between it and the memory. */
bool quirk_hole_below_1_tib(void);

/* GetTime spins on its core; so it does, and longer by a step each time, and then from the first
 * again; QueryCapsuleCapabilities takes an exception. */
bool quirk_get_time_spins(void);
bool quirk_get_time_climbs(void);
bool quirk_query_capsule_hangs(void);
bool quirk_query_capsule_faults(void);

/* The USB stick that the probe is started from is a virtual one, by its ids. */
bool quirk_virtual_stick(void);

/* A key=value for the probe. */
void quirk_option(const char *text);

/* One more range in the firmware's map. */
void quirk_map(EFI_MEMORY_DESCRIPTOR range);
