/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door that the program came in by: what it asks of whatever has started it. efi/ is one, a
 * test has another; nothing in probe/ asks which.
 *
 * The boot core calls it, and within a lent stage by platform_firmware_call(). All needs a
 * firmware that is alive, but for is_gone(), resets and, by runtime_call(), variables. Addresses
 * are physical, and mapped at themselves.
 */
#pragma once

#include "probe/memory_map.h"

#include "core/firmware/boot_path.h"
#include "core/lib/date.h"
#include "drivers/framebuffer.h"
#include "drivers/nic/nics.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOOR_PATH_MAX 512u /* bytes of a device path: one without an end has so many */

struct options;
struct service_room; /* core/modes/services/service_room.h */

enum door_table {
	DOOR_ACPI_2, /* the RSDP; of ACPI 2.0 and later */
	DOOR_ACPI_1,
	DOOR_SMBIOS_3, /* the entry point; 64-bit */
	DOOR_SMBIOS,
	DOOR_DEVICE_TREE,
	DOOR_TABLES
};

enum door_key_kind {
	DOOR_KEY_NONE,
	DOOR_KEY_OTHER,
	DOOR_KEY_CHARACTER, /* printable ASCII */
	DOOR_KEY_ENTER,
	DOOR_KEY_BACKSPACE,
	DOOR_KEY_ESC,
};

struct door_key {
	enum door_key_kind kind;
	char character;
};

/* What became of an access to a file or a variable. */
enum door_status {
	DOOR_OK,
	DOOR_NONE,      /* there is none of that name */
	DOOR_FULL,      /* no room is left */
	DOOR_PROTECTED, /* the volume cannot be written to */
	DOOR_UNSUPPORTED,
	DOOR_REFUSED, /* any other reason */
};

enum door_mode { DOOR_READ, DOOR_WRITE, DOOR_CREATE, DOOR_FOLDER };

/* Files on the volume that the image came from. A name is ASCII, `\` between its parts. */
struct door_files {
	/* Is there such a volume? Where it is, and whether it refuses all writes. */
	bool (*find)(enum boot_path_medium *medium, bool *read_only);
	/* DOOR_FOLDER makes what is not there, as DOOR_CREATE does. `in` NULL: the root. */
	enum door_status (*open)(void *in, const char *name, enum door_mode mode, void **file);
	/* *bytes: the most, then how many they were. */
	enum door_status (*read)(void *file, void *to, size_t *bytes);
	/* *bytes: as for read; more than was given is the firmware's mistake. */
	enum door_status (*write)(void *file, const void *from, size_t *bytes);
	enum door_status (*flush)(void *file);
	enum door_status (*seek)(void *file, uint64_t at);
	/* Give it this name, and cut it behind `bytes`. */
	enum door_status (*rename)(void *file, const char *name, uint64_t bytes);
	void (*close)(void *file);
	/* Closes it in any case. DOOR_PROTECTED: it is still there. */
	enum door_status (*remove)(void *file);
};

enum door_owner { DOOR_OURS, DOOR_FIRMWARES };

/* How long a variable lasts, and who sees it: until a reset, we; for good, we; an OS as well. */
enum door_lasting { DOOR_VOLATILE, DOOR_BOOT, DOOR_PERSISTENT };

#define DOOR_NAME_MAX 23

/* The firmware's variables, by an ASCII name of at most DOOR_NAME_MAX letters. */
struct door_variables {
	/* *bytes: the most, then how many they are. */
	enum door_status (*get)(enum door_owner owner, const char *name, void *value,
				size_t *bytes);
	/* 0 bytes: remove it. */
	enum door_status (*set)(enum door_owner owner, const char *name, enum door_lasting lasting,
				const void *value, size_t bytes);
	/* Bytes of the store, of it free, and of the largest variable; false: not known. */
	bool (*room)(uint64_t *store, uint64_t *left, uint64_t *most);
};

/* The firmware's own drivers of network cards. */
struct door_network {
	/* All cards of the machine, in the firmware's order, whether it has drivers or not. */
	void (*cards)(struct nics *cards);
	/* The card that the image came through; false: it came from elsewhere. */
	bool (*booted)(struct pci_address *at);
	/* Once, before open(): start the drivers of all cards. */
	void (*connect)(void);
	/*
	 * Take the card at s->at from the firmware's own network stack. False: n->problem is the
	 * reason; without one it is not the card that s->mac wants.
	 */
	bool (*open)(struct nic *n, const struct nic_setup *s);
};

struct door {
	/* ---- Memory and tables ---- */

	/* Zeroed pages that stay ours, below `limit` (0: anywhere), or at that address, a page's.
	 * NULL: none left. */
	void *(*pages)(size_t bytes, uint64_t limit);
	void *(*pages_at)(uint64_t address, size_t bytes);
	/* False: the firmware refuses. */
	bool (*read_map)(struct memory_map *map);
	/* Address of a table; 0: none. */
	uint64_t (*table)(enum door_table table);
	/* The firmware's log of what it has extended PCRs with: its first and its last event. */
	bool (*event_log)(uint64_t *first, uint64_t *last);

	/* ---- The person, and time ---- */

	/* One line on the firmware's console, ASCII. */
	void (*print)(const char *line);
	void (*clear_screen)(void);
	/* A key that was pressed; false: none. */
	bool (*read_key)(struct door_key *key);
	/* Halts where no key can come. */
	void (*wait_key)(void);
	void (*stall)(uint32_t us);
	/* False: there is no clock that works. */
	bool (*time)(struct date *date);

	/*
	 * The screen: where it is. *paints: its pixels cannot be written to, but paint() shows
	 * them, a rectangle of them or, all of one colour, `pixels[0]` in the whole of it.
	 */
	bool (*find_screen)(struct framebuffer *f, bool *paints);
	void (*paint)(const struct framebuffer_area *a, const uint32_t *pixels, bool one_colour);

	/* ---- What was asked for, and where it is kept ---- */

	/* Apply what is configured for this start; mistakes are complaints, and counted. */
	void (*read_options)(struct options *o);
	struct door_files file;
	struct door_variables variable;
	/* The path that a boot entry has of this image; the bytes, 0: not known. *by_shim: or of
	 * the shim that has loaded it. */
	size_t (*image_path)(uint8_t path[DOOR_PATH_MAX], bool *by_shim);
	struct door_network network;

	/* ---- Cores ---- */

	/*
	 * Have the firmware run procedure() on all processors but this, once, and go on meanwhile.
	 * *others: how many it can start. False: it will not.
	 */
	bool (*lend)(void (*procedure)(void), uint32_t *others);
	/* Has the firmware not noticed yet that all have returned? */
	bool (*is_lent)(void);
	void (*end_loan)(void);
	/* Fill in the functions of mode=services. ctx is the struct app. */
	void (*services)(void *ctx, struct service_room *room);

	/* ---- Calls that go wrong ---- */

	/* After a fault in the firmware: let its timer and its events go on. */
	void (*recover)(void);
	/* Call tick() each second, even while a call goes on; until unwatch(). */
	void (*watch)(void (*tick)(void));
	void (*unwatch)(void);
	/* Have the firmware's exceptions handled by arch_firmware_fault(); give them back. */
	void (*take_faults)(void);
	void (*give_faults)(void);

	/* ---- The firmware's end, and the machine's ---- */

	/* Reads the map, which is the last word on memory. False: the firmware stays. */
	bool (*leave)(struct memory_map *map);
	bool (*is_gone)(void);
	/* Why the firmware cannot reset the machine ("is missing"); NULL: call reset(). */
	const char *(*reset_problem)(void);
	/* Within runtime_call_for(), after reset_problem(). */
	void (*reset)(bool off);
};

/* By whoever has started the program. */
extern const struct door door;
