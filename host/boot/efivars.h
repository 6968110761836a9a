/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The report that noisefloor left in the firmware's variables, by way of Linux's efivarfs: a file
 * per variable, NAME-GUID, with four bytes of attributes in front. Files that Linux does not know
 * are immutable (Linux, Documentation/filesystems/efivarfs.rst).
 */
#pragma once

#include "core/keep/saved_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFIVARS_FOLDER "/sys/firmware/efi/efivars"

/* The option that names another folder. */
#define EFIVARS_OPTION(type, member)                                                     \
	{                                                                                \
		"efivars", "DIR", "where the variables are; by default " EFIVARS_FOLDER, \
			options_text, .offset = offsetof(type, member)                   \
	}

/* A variable with its attributes; the kernel's own limit is 64 KiB. */
#define EFIVARS_BYTES_MAX 65540u

/* Does the firmware start what is signed, and nothing else? */
bool efivars_secure_boot(const char *folder);

/* Is there a report, or a piece of one? */
bool efivars_any(const char *folder);

/*
 * Read it into `out`, which has room for COMPACT_PARTS * EFIVARS_BYTES_MAX. COMPACT_OVER: there is
 * none. *error is an errno where a file cannot be read, else 0; *part is its number.
 */
enum compact_state efivars_read(const char *folder, uint8_t *out, size_t *bytes, unsigned *part,
				int *error);

/* Remove all of them. 0, or an errno. */
int efivars_remove(const char *folder);
