/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The door: the functions through which the program uses whatever has started it. efi/main.c
 * defines the door of UEFI, pvh/ those of PVH, kexec and AArch64's -kernel; tests define one of
 * their own. Nothing in probe/ depends on which one it is.
 *
 * The boot core calls these functions; within a lent stage it does so by platform_firmware_call().
 * They need the firmware's boot services, except is_gone(), reset_problem() and reset(), and
 * variables and services by runtime_call(). A pointer is NULL where the door has nothing to do or
 * nothing to give, which is what false or 0 would mean. Addresses are physical, and
 * identity-mapped.
 */
#pragma once

#include "probe/memory_map.h"

#include "core/config/config.h"
#include "core/firmware/boot_path.h"
#include "core/lib/date.h"
#include "drivers/framebuffer.h"
#include "drivers/nic/nic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOOR_PATH_MAX 512u /* bytes of a device path; one without an end is cut here */

struct options;
struct saved_memory; /* core/keep/saved_run.h */

enum door_table {
	DOOR_ACPI_2, /* the RSDP of ACPI 2.0 or later */
	DOOR_ACPI_1,
	DOOR_SMBIOS_3, /* the 64-bit entry point */
	DOOR_SMBIOS,
	DOOR_DEVICE_TREE,
	DOOR_TABLES
};

#define DOOR_KEY_ESC '\x1b'

/* The result of an access to a file or a variable. */
enum door_status {
	DOOR_OK,
	DOOR_NONE,      /* no file or variable has that name */
	DOOR_FULL,      /* the volume or the store is full */
	DOOR_PROTECTED, /* the volume cannot be written to */
	DOOR_UNSUPPORTED,
	DOOR_REFUSED, /* any other reason */
};

enum door_mode { DOOR_READ, DOOR_WRITE, DOOR_CREATE, DOOR_FOLDER };

/* Files on the volume that the image came from. Names are ASCII, with `\` between their parts. */
struct door_files {
	/*
	 * Return false if there is no such volume; else report its medium and if it is read-only.
	 */
	bool (*find)(enum boot_path_medium *medium, bool *read_only);
	/*
	 * Open `name` in the folder `in`; NULL is the root. DOOR_CREATE creates a missing file,
	 * DOOR_FOLDER a missing folder.
	 */
	enum door_status (*open)(void *in, const char *name, enum door_mode mode, void **file);
	/* *bytes holds the size of `to`, then the number of bytes read. */
	enum door_status (*read)(void *file, void *to, size_t *bytes);
	/*
	 * Write to the medium. *bytes holds the size of `from`, then the number of bytes written. A
	 * number above the size is a bug of the firmware's.
	 */
	enum door_status (*write)(void *file, const void *from, size_t *bytes);
	void (*close)(void *file);
	/*
	 * Delete the file; the handle is closed in any case. DOOR_PROTECTED: the file still exists.
	 */
	enum door_status (*remove)(void *file);
};

enum door_owner { DOOR_OURS, DOOR_FIRMWARES };

/*
 * Lifetime of a variable: DOOR_VOLATILE until a reset, the others for ever. An OS sees only
 * DOOR_PERSISTENT; the others are visible until ExitBootServices.
 */
enum door_lasting { DOOR_VOLATILE, DOOR_BOOT, DOOR_PERSISTENT };

#define DOOR_NAME_MAX 23

/* The firmware's variables. Names are ASCII, at most DOOR_NAME_MAX characters. */
struct door_variables {
	/* *bytes holds the size of `value`, then the number of bytes read. */
	enum door_status (*get)(enum door_owner owner, const char *name, void *value,
				size_t *bytes);
	/* Write the variable; with 0 bytes, delete it. */
	enum door_status (*set)(enum door_owner owner, const char *name, enum door_lasting lasting,
				const void *value, size_t bytes);
	/*
	 * Bytes of the store, bytes free in it, and bytes of the largest variable that it takes.
	 * False: not known.
	 */
	bool (*room)(uint64_t *store, uint64_t *left, uint64_t *most);
	/* The memory that has a report instead of a variable, for resume(). NULL: there is none. */
	struct saved_memory *(*memory)(void);
	/*
	 * The device path that a boot entry has if it starts this image. Returns its length in
	 * bytes; 0: not known. *by_shim: a shim is there, whose path an entry may have instead.
	 */
	size_t (*image_path)(uint8_t path[DOOR_PATH_MAX], bool *by_shim);
};

/* The firmware's own drivers of network cards. */
struct door_network {
	/* Report the card that the image came through. False: the image came from elsewhere. */
	bool (*booted)(struct pci_address *at);
	/* Start the drivers of all cards. Called once, in a lent stage, before open(). */
	void (*connect)(void);
	/*
	 * Take the card at s->at from the firmware's own network stack. On failure n->problem is
	 * the reason; it is empty if the card is not the one that s->mac names.
	 */
	bool (*open)(struct nic *n, const struct nic_setup *s);
};

/* The other processors, which the firmware starts. */
struct door_loan {
	/*
	 * Have the firmware run procedure() once on each other processor, and return at once.
	 * *others: how many it can start; UINT32_MAX: not known. False: the firmware refuses.
	 */
	bool (*lend)(void (*procedure)(void), uint32_t *others);
	/* True until the firmware has noticed that all processors have returned. */
	bool (*is_lent)(void);
	void (*end)(void);
};

/* The firmware's runtime services, as mode=services calls them. */
struct door_services {
	/*
	 * Call a service once. Returns 0, or an error number, whose highest bit does not count.
	 * NULL: it is none of the firmware's.
	 */
	uint64_t (*call[SERVICES])(void);
	/* Allocate memory, while boot services live: before all others. */
	void (*prepare)(void);
	/* Prepare a service. Returns NULL, or the reason why it is missing. */
	const char *(*open)(enum config_service service);
	/* `is_broken`: no runtime service can be called any more. */
	void (*close)(enum config_service service, bool is_broken);
};

struct door {
	const char *name; /* "uefi" "pvh" "linux": the field `door` of the record `begin` */

	/* ---- Memory and tables ---- */

	/* The first byte of the program, to which an address in its code is compared. */
	const void *image;
	/*
	 * Allocate zeroed pages, which stay ours, below `limit` (0: anywhere). NULL: none are left.
	 * pages_at() allocates them at a page-aligned address; NULL: they are not free.
	 */
	void *(*pages)(size_t bytes, uint64_t limit);
	void *(*pages_at)(uint64_t address, size_t bytes);
	/* Read the memory map. False: the firmware refuses. */
	bool (*read_map)(struct memory_map *map);
	/* The address of a table; 0: there is none. */
	uint64_t (*table)(enum door_table table);
	/*
	 * The addresses of the first and the last event in the firmware's TCG log. False: there is
	 * no log, or it is truncated.
	 */
	bool (*event_log)(uint64_t *first, uint64_t *last);

	/* ---- The person, and time ---- */

	/* Print one line of ASCII on the firmware's console. */
	void (*print)(const char *line);
	void (*clear_screen)(void);
	/*
	 * Fetch a pressed key without waiting: the character that a terminal sends for it, or NUL
	 * if it is not in ASCII. False: there is none.
	 */
	bool (*read_key)(char *key);
	/* Wait, while the firmware's timer and its events run. NULL: only the clock is needed. */
	void (*stall)(uint32_t us);
	/* Read the date and the local time. False: there is no working clock. */
	bool (*time)(struct date *date);

	/*
	 * Find the screen; false: there is none. *paints: its pixels cannot be written directly,
	 * and paint() has to show them. paint() fills a rectangle with `pixels` or, with
	 * one_colour, with pixels[0].
	 */
	bool (*find_screen)(struct framebuffer *f, bool *paints);
	void (*paint)(const struct framebuffer_area *a, const uint32_t *pixels, bool one_colour);

	/* ---- The configuration, and where it is stored ---- */

	/*
	 * Apply the configuration of this start. Mistakes are added to the complaints, and counted
	 * in o->mistakes.
	 */
	void (*read_options)(struct options *o);
	/*
	 * True if a running Linux started the program, so that only the stage `linux` can be
	 * measured. NULL: never.
	 */
	bool (*is_after_linux)(void);
	/*
	 * True if the image may be signed for a locked-down Linux: then Secure Boot's rules for a
	 * configuration apply. NULL: they apply if the variable SecureBoot is 1.
	 */
	const bool *is_verified;
	const struct door_files *file;
	const struct door_variables *variable; /* not NULL, though its members may be */

	/* ---- What live firmware drives ---- */

	/* NULL if `loan` is. */
	const struct door_network *network;
	/* NULL: there is no firmware, and no stage `firmware`. */
	const struct door_loan *loan;
	/* NULL: there are no runtime services. */
	const struct door_services *service;

	/* ---- Faults and calls that do not return ---- */

	/* Let the firmware's timer and its events run again after a fault in the firmware. */
	void (*recover)(void);
	/*
	 * Call tick() each second until unwatch(), even while a call of the firmware does not
	 * return.
	 */
	void (*watch)(void (*tick)(void));
	void (*unwatch)(void);
	/* Route the firmware's exceptions to arch_firmware_fault(); then back to the firmware. */
	void (*take_faults)(void);
	void (*give_faults)(void);

	/* ---- Leaving the firmware, and the end of the machine ---- */

	/*
	 * End boot services. `map` is the memory map at that moment. False: the firmware refuses.
	 */
	bool (*leave)(struct memory_map *map);
	bool (*is_gone)(void);
	/* Why the firmware cannot reset the machine, as in "is missing"; NULL: call reset(). */
	const char *(*reset_problem)(void);
	/*
	 * Reset the machine, or with `off` switch it off. Call it by runtime_call_for(), after
	 * reset_problem(). NULL: it is missing.
	 */
	void (*reset)(bool off);
	/*
	 * True if resume() can start an OS that finds the variables, such as the one that started
	 * the program. NULL: never. resume() replaces a reset, and needs no firmware.
	 */
	bool (*can_resume)(void);
	void (*resume)(void) __attribute__((noreturn));
};

/* Defined by the code that starts the program. */
extern const struct door door;

static inline bool door_resumes(void)
{
	return door.can_resume && door.can_resume();
}

/*
 * The return value that makes the firmware try the next entry of its boot order; no verdict has
 * this exit code.
 */
#define PROBE_BOOT_ON 256u

/*
 * Do a whole run, from the first look at the machine to the end of the report. Returns only if it
 * goes back to its caller, with the run's exit code or PROBE_BOOT_ON.
 */
unsigned probe_run(void);
