/* SPDX-License-Identifier: BSD-2-Clause */
/* Files QEMU hands to the guest with -fw_cfg name=...,file=... */
#pragma once

#include <stdint.h>

/*
 * Read the file `name` into at most `max` bytes. Returns its length, which may be
 * more than `max`; 0 when there is no such file, or no QEMU.
 */
uint32_t fwcfg_read(const char *name, void *buffer, uint32_t max);

/* Defined for each machine: select an item, and read its next bytes. */
void fwcfg_select(uint16_t item);
void fwcfg_bytes(void *buffer, uint32_t bytes);
