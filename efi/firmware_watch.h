/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of the firmware that go wrong: its timer, which goes on in them (UEFI 2.10, 7.1), and its
 * exceptions (PI 1.8 vol. 2, 12.9, EFI_CPU_ARCH_PROTOCOL).
 */
#pragma once

/* As the functions of struct door. */
void firmware_watch(void (*tick)(void));
void firmware_watch_end(void);
void firmware_watch_faults(void);
void firmware_watch_no_faults(void);
