/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A new disk to boot from: a GPT with one EFI system partition, and in that FAT32 with a few files.
 * Sources: UEFI 2.10, 5.3 and 13.3; Microsoft, "FAT: General Overview of On-Disk Format", 1.03.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define VOLUME_SECTOR 512u
/* FAT32 wants 65525 clusters at the least, and results want room. */
#define VOLUME_MIB_LEAST 64u
#define VOLUME_MIB_MOST  (1024u * 1024) /* FAT32 counts sectors by 32 bits; some firmware by 31 */
#define VOLUME_FILES_MAX 8u

struct volume_file {
	const char *name;   /* ASCII, at most 24 characters */
	const char *folder; /* "": the root; "BOOT": EFI/BOOT */
	const void *bytes;
	size_t count; /* 1 at the least */
};

/* What is written, and in which way: the same of both gives the same bytes. */
struct volume {
	uint64_t disk_bytes; /* of the whole disk; the second GPT is at its end */
	uint64_t mib;        /* what of it is taken, VOLUME_MIB_LEAST to VOLUME_MIB_MOST */
	const struct volume_file *files;
	size_t count; /* at most VOLUME_FILES_MAX */
	time_t time;  /* that all files bear */
};

/*
 * Write it to an open disk or file. 0, or an errno: ENOSPC if the files have no room. What is free
 * stays as it was.
 */
int volume_write(const struct volume *v, int fd);
