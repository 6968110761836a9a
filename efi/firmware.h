/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's services that the application uses. */
#pragma once

#include <efi.h>

#include "probe/door.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Each EFI program defines this. efi/start.c, which the firmware enters, has relocated the image;
 * the calling convention is the compiler's own.
 */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

/* Store the image handle and the system table; disable the 5-minute watchdog. */
void firmware_init(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_HANDLE firmware_image(void);

/* The protocol on a handle. NULL: the handle has none, or is NULL. */
void *firmware_protocol(EFI_HANDLE handle, EFI_GUID *protocol);

extern EFI_GUID firmware_path_guid; /* GUID of EFI_DEVICE_PATH_PROTOCOL */
extern EFI_GUID firmware_own_guid;  /* GUID of our variables */

/* The attributes of a variable that an OS sees, too. */
#define FIRMWARE_PERSISTENT \
	(EFI_VARIABLE_NON_VOLATILE | EFI_VARIABLE_BOOTSERVICE_ACCESS | EFI_VARIABLE_RUNTIME_ACCESS)
#define FIRMWARE_UEFI_2_0 (2u << 16) /* Revision in a table's header */

/* Copy an ASCII name to `chars` characters, of which the last is 0; a longer name is cut. */
void firmware_widen(CHAR16 *wide, size_t chars, const char *name);

/* The protocol of the nearest device on the handle's path that has it; NULL: there is none. */
void *firmware_protocol_above(EFI_HANDLE handle, EFI_GUID *protocol);

/* How the image was loaded; NULL: the firmware does not report it. */
EFI_LOADED_IMAGE *firmware_loaded_image(void);

/* The device that the image was loaded from; NULL: the firmware does not report it. */
EFI_HANDLE firmware_boot_device(void);

/* The handle of the firmware's console output; NULL: it has none. */
EFI_HANDLE firmware_console(void);

/* True if the handle has a device path, and its last node is of this type. */
bool firmware_path_ends(EFI_HANDLE handle, uint8_t type, uint8_t subtype);

/*
 * The table of services, to be used for one call only: fetching it counts as progress
 * (core/lib/steps.h).
 */
EFI_BOOT_SERVICES *firmware_boot(void);
EFI_RUNTIME_SERVICES *firmware_runtime(void);

/* Address of the configuration table with this GUID; 0: none. */
uint64_t firmware_table(const EFI_GUID *guid);

/*
 * Go back to TPL_APPLICATION after a fault in one of the firmware's services, which may have raised
 * it.
 */
void firmware_lower_priority(void);

/* Print one line of ASCII on the firmware's console. */
void firmware_print(const char *line);

/* Wait for a key on the firmware's console. Halts if it has none. */
void firmware_wait_key(void);

void firmware_clear_screen(void);

/* Fetch a key pressed on the firmware's console. False: there is none. */
bool firmware_read_key(struct door_key *key);

/*
 * Allocate zeroed pages, which stay ours after ExitBootServices, below `limit` (0: anywhere). NULL:
 * none are left.
 */
void *firmware_pages(size_t bytes, uint64_t limit);

/*
 * Allocate zeroed pages at a page-aligned address. NULL: the memory map does not have them as free.
 */
void *firmware_pages_at(uint64_t address, size_t bytes);
