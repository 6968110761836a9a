/* SPDX-License-Identifier: BSD-2-Clause */
/* The subcommands of `noisefloor boot`. */
#pragma once

#include "host/program/options.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

extern const struct options_subcommand boot_stick, boot_install, boot_once, boot_fetch, boot_remove;

/* The n-th subcommand, from 0, in the order of `noisefloor boot --help`; NULL after the last. */
const struct options_subcommand *boot_subcommands_at(size_t n);

/* Print "SUBCOMMAND: " and the message on standard error. Returns false. */
bool boot_complain(const char *subcommand, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* True if the image can be read, and has signatures (kexec.c). */
bool boot_is_signed(const char *path);

/* ---- The firmware's boot entries, by way of efibootmgr(8) ---- */

#define BOOT_ENTRY_LABEL "noisefloor"
#define BOOT_ENTRY_NONE  (-1)
#define BOOT_ENTRY_FILE  "\\EFI\\noisefloor\\noisefloor.efi" /* program of the entry */

/* Each function prints errors on standard error. `program` is efibootmgr, or its path. */

/*
 * Find the number of the entry with our label that leads to our file on the partition with this
 * GUID, as text ("": not known); BOOT_ENTRY_NONE: there is none. The label alone proves nothing:
 * disks are copied, and entries outlive them. False: the entries could not be listed.
 */
bool boot_entry_find(const char *program, const char *partition, int *number);

/* Make an entry, but do not add it to the boot order. */
bool boot_entry_create(const char *program, const char *disk, const char *part, const char *loader);

bool boot_entry_remove(const char *program, int number);

/* Have the firmware start this entry at the next boot only. */
bool boot_entry_next(const char *program, int number);

/* ---- Other programs ---- */

/*
 * Start argv[0], which is searched in PATH, and return its output; NULL, with the reason on
 * standard error. If it cannot be executed, the child prints the reason and `needs`, which names
 * its package. boot_child_close() is due in any case.
 */
FILE *boot_child_open(const char *const *argv, const char *needs, pid_t *child);

/* Wait for the child to end. False: it failed, and a line on standard error names it. */
bool boot_child_close(const char *name, FILE *from, pid_t child);

/* Start a program, and wait for it; its output goes to standard error. */
bool boot_child_run(const char *const *argv, const char *needs);

/* ---- Through the probe and back (kexec.c) ---- */

/* Files; NULL: those of the running Linux, and the bzImage that comes with this program. */
struct boot_kexec {
	const char *image, *kernel, *initrd;
	bool one_way; /* load the probe alone: no Linux is started again */
};

/* Have the next kexec start the probe with this configuration and, unless one_way, this Linux. */
bool boot_kexec_load(const struct boot_kexec *k, const char *config);

/*
 * ---- The firmware's variables (fetch.c) ----
 *
 * By way of Linux's efivarfs: a file per variable, NAME-GUID, with four bytes of attributes in
 * front. Files that Linux does not know are immutable (Linux,
 * Documentation/filesystems/efivarfs.rst).
 */

#define BOOT_EFIVARS_FOLDER "/sys/firmware/efi/efivars"

/* The option that names another folder. */
#define BOOT_EFIVARS_OPTION(type, member)                                                     \
	{                                                                                     \
		"efivars", "DIR", "where the variables are; by default " BOOT_EFIVARS_FOLDER, \
			options_text, .offset = offsetof(type, member)                        \
	}

/* True if Secure Boot is on. */
bool boot_efivars_secure_boot(const char *folder);

/* True if a variable holds a report, or a part of one. */
bool boot_efivars_any(const char *folder);

/* ---- Disks that a medium may be written to: whole, removable, not in use (device.c) ---- */

/* FAT32 needs at least 65525 clusters, and results need space. */
#define DEVICE_MIB_LEAST 64u
#define DEVICE_SECTOR    512u

#define DEVICE_MODEL_MAX 64
#define DEVICE_WHY_MAX   256

struct device {
	uint64_t bytes;
	char model[DEVICE_MODEL_MAX]; /* vendor and model, printable; "" if unknown */
};

/*
 * lsblk(8)'s description of a block device: an object of JSON, to be freed. NULL, with the reason
 * on standard error: lsblk cannot be run, or does not list the device.
 */
json_t *device_list(const char *path);

/*
 * Check a block device by what device_list() has of it. False: it must not be written to, and `why`
 * has the reason, to be printed after its name and ": ".
 */
bool device_check(const json_t *listed, struct device *device, char why[DEVICE_WHY_MAX]);

/*
 * Copy the file `from`, `bytes` long, to a disk of the same size. Holes are not written: the disk
 * keeps its old bytes there. The first MiB, which has the partition table, is cleared first and
 * written last, so that a disk that was written only in part does not boot. Returns 0, or an errno.
 */
int device_copy(int from, int to, uint64_t bytes);
