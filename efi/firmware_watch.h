/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Watches the firmware's calls for one that does not return, by a timer that runs on in them (UEFI
 * 2.10, 7.1), and for exceptions (PI 1.8 vol. 2, 12.9, EFI_CPU_ARCH_PROTOCOL).
 */
#pragma once

/* Implement door.watch(), door.unwatch(), door.take_faults() and door.give_faults(). */
void firmware_watch(void (*tick)(void));
void firmware_watch_end(void);
void firmware_watch_faults(void);
void firmware_watch_no_faults(void);
