/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's services that the application uses. */
#pragma once

#include <efi.h>

#include "probe/door.h"
#include "probe/memory_map.h"
#include "drivers/framebuffer.h"

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

/* The first handle with the protocol for which is_it() is true, of all there are; NULL: none. */
EFI_HANDLE firmware_find(EFI_GUID *protocol, bool (*is_it)(EFI_HANDLE handle, void *ctx),
			 void *ctx);

/* The protocol of the nearest device on the handle's path that has it; NULL: there is none. */
void *firmware_protocol_above(EFI_HANDLE handle, EFI_GUID *protocol);

/* The loaded image of this program; NULL: the firmware does not report it. */
EFI_LOADED_IMAGE *firmware_loaded_image(void);

/* EFI_USB_IO_PROTOCOL, as far as it is called. Source: UEFI 2.10, 17.2.4. */
#define FIRMWARE_USB_GUID                                              \
	{                                                              \
		0x2b2f68d6, 0x0cd2, 0x44cf,                            \
		{                                                      \
			0x8e, 0x8b, 0xbb, 0xa2, 0x0b, 0x1b, 0x5b, 0x75 \
		}                                                      \
	}

struct firmware_usb {
	VOID *transfers[6]; /* control, bulk, interrupt, and isochronous ones */
	EFI_STATUS(EFIAPI *device_descriptor)(struct firmware_usb *usb, VOID *descriptor);
};

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

/* Implement functions of the door, which are as in probe/door.h. */
void firmware_print(const char *line);
void firmware_clear_screen(void);
bool firmware_read_key(char *key);
void *firmware_pages(size_t bytes, uint64_t limit);
void *firmware_pages_at(uint64_t address, size_t bytes);
bool firmware_is_gone(void);

/* Parts of the door that have a file of their own. */
extern const struct door_files firmware_files;
extern const struct door_variables firmware_variables;
extern const struct door_network firmware_network;
extern const struct door_loan firmware_loan;
extern const struct door_services firmware_services;

/*
 * Call GetMemoryMap and ExitBootServices, with no call between them: the key is valid only until
 * the map changes, and firmware may change it in a last notification, once or more. Returns false
 * if the firmware refuses.
 */
bool firmware_exit(struct memory_map *map);

/*
 * Implements door.read_map(). *key is the one that ExitBootServices requires; NULL: not wanted.
 * Source: UEFI 2.10, 7.2 (GetMemoryMap).
 */
bool firmware_map_read(struct memory_map *m, UINTN *key);

/*
 * door_files.open() for a name that need not be ASCII. EFI_NOT_FOUND: there is no such file, or the
 * image came from no volume.
 */
EFI_STATUS firmware_file_open(EFI_FILE_HANDLE in, CHAR16 *name, enum door_mode mode, void **file);

/* Implements door.read_options(): from noisefloor.conf, the boot server and load options. */
void firmware_options_read(struct options *o);

/* Implement door.reset_problem() and door.reset(). Source: UEFI 2.10, 8.5.1 (ResetSystem). */
const char *firmware_reset_problem(void);
void firmware_reset(bool off);

/*
 * Implement door.find_screen() and door.paint(). Source: UEFI 2.10, 12.9 (Graphics Output
 * Protocol).
 */
bool firmware_screen_find(struct framebuffer *f, bool *paints);
void firmware_screen_paint(const struct framebuffer_area *a, const uint32_t *pixels,
			   bool one_colour);

/*
 * Implement door.watch() and door.unwatch(), by a timer that runs on in the firmware's calls (UEFI
 * 2.10, 7.1), and door.take_faults() and door.give_faults() (PI 1.8 vol. 2, 12.9,
 * EFI_CPU_ARCH_PROTOCOL).
 */
void firmware_watch(void (*tick)(void));
void firmware_watch_end(void);
void firmware_watch_faults(void);
void firmware_watch_no_faults(void);
