/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtime services whose calls do what is known: GetTime takes HOOKED_TICKS on its own core,
 * QueryVariableInfo sends an SMI to every core, QueryCapsuleCapabilities one to the core with the
 * APIC id 1. Their handler is that of spare.h; the cores have one SMRAM, and take turns.
 */
#pragma once

#include <efi.h>

#define HOOKED_TICKS 5000 /* 50 us of Bochs' 100 MHz */

/* Cores have the APIC ids 0 to cores - 1. */
EFI_STATUS hooked_start(unsigned cores);
