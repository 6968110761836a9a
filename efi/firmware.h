/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's services, as far as the application uses them. */
#pragma once

#include <efi.h>

#include "probe/door.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What each EFI program defines. efi/start.c, where the firmware enters, has relocated the image,
 * and the calling convention is ours.
 */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

/* Keep image handle and system table; switch off the 5-minute watchdog. */
void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_HANDLE firmware_image(void);

/* NULL: the handle has none, or is NULL. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);

extern EFI_GUID firmware_path_guid; /* of device paths */

/* The protocol of the nearest device on the handle's path that has it; NULL: there is none. */
void *firmware_protocol_above(EFI_HANDLE handle, EFI_GUID *protocol);

/* How the image was loaded; NULL: the firmware does not report it. */
EFI_LOADED_IMAGE *firmware_loaded_image(void);

/* What the image was loaded from; NULL: the firmware does not report it. */
EFI_HANDLE firmware_boot_device(void);

/* Where the firmware's console is shown; NULL: nowhere. */
EFI_HANDLE firmware_console(void);

/* Does the handle have a device path, whose last node is of this type? */
bool firmware_path_ends(EFI_HANDLE handle, uint8_t type, uint8_t subtype);

/* For one call: that one is asked for counts as going on (core/lib/steps.h). */
EFI_BOOT_SERVICES *firmware_boot(void);
EFI_RUNTIME_SERVICES *firmware_runtime(void);

/* Address of the configuration table with this GUID; 0: none. */
uint64_t firmware_table(const EFI_GUID *guid);

/* After a fault in one of its services, which may have raised it: TPL_APPLICATION again. */
void firmware_lower_priority(void);

/* One line on the firmware's console, ASCII. */
void firmware_print(const char *line);

/* Wait for a key on the firmware's console; halts where there is none. */
void firmware_wait_key(void);

void firmware_clear_screen(void);

/* A key pressed on the firmware's console; false: none. */
bool firmware_read_key(struct door_key *key);

/* Zeroed pages that stay ours after ExitBootServices, below `limit` (0: anywhere). NULL: none left.
 */
void *firmware_pages(size_t bytes, uint64_t limit);

/* The same at that address, a page's, where the memory map has them as free; NULL: not so. */
void *firmware_pages_at(uint64_t address, size_t bytes);
