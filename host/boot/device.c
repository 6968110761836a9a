/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads what sysfs and the list of mounts have of a disk. */
#define _GNU_SOURCE /* SEEK_DATA */
#include "device.h"

#include "host/lib/text_sanitize.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LINE_MAX_BYTES 4096
#define SYSFS_SECTOR   512 /* bytes, whatever the disk's sectors are */

const struct device_places device_places = { "/sys", "/proc/self/mountinfo" };

struct search {
	const struct device_places *places;
	char folder[PATH_MAX]; /* the disk's folder in /sys/devices */
	char *why;
};

static __attribute__((format(printf, 2, 3))) bool refuse(struct search *s, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(s->why, DEVICE_WHY_MAX, format, list);
	va_end(list);
	return false;
}

/* The first line of a file in the disk's folder; false, and "": there is none. */
static bool read_line(const struct search *s, const char *name, char *line, int room)
{
	char path[PATH_MAX + 64];
	FILE *from;
	bool got;

	snprintf(path, sizeof(path), "%s/%s", s->folder, name);
	from = fopen(path, "r");
	got = from && fgets(line, room, from);
	if (from)
		fclose(from);
	line[got ? strcspn(line, "\n") : 0] = '\0';
	return got;
}

static uint64_t read_number(const struct search *s, const char *name)
{
	char line[32];

	return read_line(s, name, line, sizeof(line)) ? strtoull(line, NULL, 10) : 0;
}

static bool find_folder(struct search *s, dev_t number)
{
	char link[PATH_MAX];

	snprintf(link, sizeof(link), "%s/dev/block/%u:%u", s->places->sys, major(number),
		 minor(number));
	return realpath(link, s->folder) || refuse(s, "the kernel lists no such disk in %s", link);
}

static bool is_whole(struct search *s)
{
	char line[16], path[PATH_MAX];

	if (!read_line(s, "partition", line, sizeof(line)))
		return true;
	memcpy(path, s->folder, sizeof(path));
	return refuse(s, "it is a partition; the whole disk is /dev/%s", basename(dirname(path)));
}

/* USB disks, unlike sticks, do not report that they are removable: accept all that is USB. */
static bool is_removable(struct search *s)
{
	if (read_number(s, "removable") == 1 || strstr(s->folder, "/usb"))
		return true;
	return refuse(s, "it is no removable disk; a stick's name is in the output of lsblk");
}

static bool is_good_size(struct search *s, const struct device *d)
{
	uint64_t sector = read_number(s, "queue/logical_block_size");

	if (!d->bytes)
		return refuse(s, "there is no medium in it");
	if (d->bytes >> 20 < DEVICE_MIB_LEAST)
		return refuse(s, "it has %" PRIu64 " MiB; %u are needed", d->bytes >> 20,
			      DEVICE_MIB_LEAST);
	if (sector != DEVICE_SECTOR)
		return refuse(s, "its sectors have %" PRIu64 " bytes; only %u are supported",
			      sector, DEVICE_SECTOR);
	return read_number(s, "ro") != 1 || refuse(s, "it is write-protected");
}

/* mountinfo: "36 35 8:17 / /mnt/stick rw ...", blanks in names as \040. */
static bool is_unmounted(struct search *s, const char *number, const char *name)
{
	static char line[LINE_MAX_BYTES];
	char device[32], where[256];
	FILE *from = fopen(s->places->mountinfo, "r");
	bool free = from != NULL;

	if (!from)
		return refuse(s, "%s cannot be read", s->places->mountinfo);
	while (free && fgets(line, sizeof(line), from))
		if (sscanf(line, "%*s %*s %31s %*s %255s", device, where) == 2 &&
		    strcmp(device, number) == 0)
			free = refuse(s, "%s is mounted at %s; unmount it first", name, where);
	fclose(from);
	return free;
}

/* RAID, LVM and encryption are listed as holders. */
static bool is_unheld(struct search *s, const char *below, const char *name)
{
	char path[PATH_MAX + 512];
	struct dirent *holder;
	bool free = true;
	DIR *folder;

	snprintf(path, sizeof(path), "%s/%s/holders", s->folder, below);
	folder = opendir(path);
	while (free && folder && (holder = readdir(folder)))
		if (holder->d_name[0] != '.')
			free = refuse(s, "%s is in use by %.200s", name, holder->d_name);
	if (folder)
		closedir(folder);
	return free;
}

/* `below` is "." for the disk itself, or a partition's folder in the disk's. */
static bool is_unused(struct search *s, const char *below, const char *name)
{
	char file[300], number[32];

	snprintf(file, sizeof(file), "%s/dev", below);
	if (!read_line(s, file, number, sizeof(number)))
		return true;
	return is_unmounted(s, number, name) && is_unheld(s, below, name);
}

static bool are_partitions_unused(struct search *s)
{
	DIR *folder = opendir(s->folder);
	char file[300], line[16];
	struct dirent *part;
	bool free = true;

	while (free && folder && (part = readdir(folder))) {
		snprintf(file, sizeof(file), "%s/partition", part->d_name);
		if (part->d_name[0] != '.' && read_line(s, file, line, sizeof(line)))
			free = is_unused(s, part->d_name, part->d_name);
	}
	if (folder)
		closedir(folder);
	return free;
}

static void describe(const struct search *s, struct device *d)
{
	char vendor[32], model[32], text[sizeof(vendor) + sizeof(model)];

	read_line(s, "device/vendor", vendor, sizeof(vendor));
	read_line(s, "device/model", model, sizeof(model));
	for (char *name = vendor; name; name = name == vendor ? model : NULL)
		for (size_t n = strlen(name); n && isspace((unsigned char)name[n - 1]);)
			name[--n] = '\0';
	snprintf(text, sizeof(text), "%s%s%s", vendor, *vendor && *model ? " " : "", model);
	text_sanitize_ascii(d->model, sizeof(d->model), text);
	d->bytes = read_number(s, "size") * SYSFS_SECTOR;
}

bool device_check(const struct device_places *places, dev_t number, struct device *device,
		  char why[DEVICE_WHY_MAX])
{
	struct search s = { .places = places, .why = why };

	why[0] = '\0';
	if (!find_folder(&s, number))
		return false;
	describe(&s, device);
	return is_whole(&s) && is_removable(&s) && is_good_size(&s, device) &&
	       is_unused(&s, ".", "it") && are_partitions_unused(&s);
}

/* ---- Copying: the kernel copies the data, in three parts ---- */

#define MIB ((off_t)1 << 20)

static int copy_data(int from, int to, off_t at, off_t end)
{
	if (lseek(to, at, SEEK_SET) < 0)
		return errno;
	while (at < end) {
		ssize_t done = sendfile(to, from, &at, (size_t)(end - at));

		if (done < 0 && errno != EINTR)
			return errno;
		if (done == 0)
			return EIO;
	}
	return 0;
}

/* Copy everything but holes between the offsets `at` and `end`. */
static int copy_part(int from, int to, off_t at, off_t end)
{
	int error = 0;

	while (!error && at < end) {
		off_t data = lseek(from, at, SEEK_DATA), hole;

		if (data < 0)
			return errno == ENXIO ? 0 : errno;
		hole = lseek(from, data, SEEK_HOLE);
		at = hole < end ? hole : end;
		error = copy_data(from, to, data, at);
	}
	return error;
}

static int clear_start(int to)
{
	static uint8_t zeroes[MIB]; /* not const, which would be 1 MiB of the program */
	ssize_t done = pwrite(to, zeroes, sizeof(zeroes), 0);

	if (done == (ssize_t)sizeof(zeroes))
		return fsync(to) == 0 ? 0 : errno;
	return done < 0 ? errno : EIO;
}

int device_copy(int from, int to, uint64_t used, uint64_t bytes)
{
	off_t tables = (off_t)used - MIB;
	int error = clear_start(to);

	if (!error)
		error = copy_part(from, to, MIB, tables);
	if (!error && fsync(to) != 0)
		error = errno;
	if (!error)
		error = copy_part(from, to, tables, (off_t)bytes);
	if (!error)
		error = copy_part(from, to, 0, MIB);
	if (!error && fsync(to) != 0)
		error = errno;
	return error;
}
