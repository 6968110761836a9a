/* SPDX-License-Identifier: BSD-2-Clause */
/* Disks: their description by lsblk, and the copying of an image. */
#define _GNU_SOURCE /* SEEK_DATA */
#include "boot.h"

#include "host/lib/text_sanitize.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* ---- Checks ---- */

json_t *device_list(const char *path)
{
	const char *const argv[] = {
		"lsblk",
		"--json",
		"--bytes",
		"--output",
		"TYPE,NAME,PKNAME,RM,SUBSYSTEMS,RO,SIZE,LOG-SEC,VENDOR,MODEL,MOUNTPOINTS",
		path,
		NULL
	};
	json_t *all = NULL, *listed;
	pid_t child;
	FILE *from = boot_child_open(argv, "disks are checked by lsblk, of util-linux", &child);

	if (from)
		all = json_loadf(from, 0, NULL);
	if (!boot_child_close(argv[0], from, child)) {
		json_decref(all);
		return NULL;
	}
	listed = json_incref(json_array_get(json_object_get(all, "blockdevices"), 0));
	json_decref(all);
	if (!listed)
		fprintf(stderr, "lsblk: no such disk is listed: %s\n", text_sanitize_name(path));
	return listed;
}

static __attribute__((format(printf, 2, 3))) bool device_refuse(char *why, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(why, DEVICE_WHY_MAX, format, list);
	va_end(list);
	text_sanitize(why);
	return false;
}

/* "": it has none. */
static const char *text_of(const json_t *listed, const char *key)
{
	const char *text = json_string_value(json_object_get(listed, key));

	return text ? text : "";
}

/* True unless the value is false: it is, or it is not known whether it is. */
static bool may_be(const json_t *listed, const char *key)
{
	return !json_is_false(json_object_get(listed, key));
}

static bool is_whole(const json_t *listed, char *why)
{
	return strcmp(text_of(listed, "type"), "part") != 0 ||
	       device_refuse(why, "it is a partition; the whole disk is /dev/%s",
			     text_of(listed, "pkname"));
}

/* USB disks, unlike sticks, do not report that they are removable: accept all that is USB. */
static bool is_removable(const json_t *listed, char *why)
{
	return json_is_true(json_object_get(listed, "rm")) ||
	       strstr(text_of(listed, "subsystems"), ":usb") ||
	       device_refuse(why,
			     "it is no removable disk; a stick's name is in the output of lsblk");
}

static bool is_good_size(const json_t *listed, const struct device *d, char *why)
{
	json_int_t sector = json_integer_value(json_object_get(listed, "log-sec"));

	if (!d->bytes)
		return device_refuse(why, "there is no medium in it");
	if (d->bytes >> 20 < DEVICE_MIB_LEAST)
		return device_refuse(why, "it has %" PRIu64 " MiB; %u are needed", d->bytes >> 20,
				     DEVICE_MIB_LEAST);
	if (sector != DEVICE_SECTOR)
		return device_refuse(why, "its sectors have %lld bytes; only %u are supported",
				     (long long)sector, DEVICE_SECTOR);
	return !may_be(listed, "ro") || device_refuse(why, "it is write-protected");
}

/*
 * The disk `listed`, whose name is `name`, and all that is on it. RAID, LVM and encryption are
 * listed as children of other types than partitions.
 */
static bool is_unused(const json_t *listed, const char *name, char *why)
{
	json_t *mounts = json_object_get(listed, "mountpoints"), *one;
	size_t n;

	if (!json_is_array(mounts))
		return device_refuse(why, "where %s is mounted is not known", name);
	json_array_foreach(mounts, n, one)
	{
		if (json_is_string(one))
			return device_refuse(why, "%s is mounted at %.128s; unmount it first", name,
					     json_string_value(one));
	}
	json_array_foreach(json_object_get(listed, "children"), n, one)
	{
		const char *child = text_of(one, "name");

		if (strcmp(text_of(one, "type"), "part") != 0)
			return device_refuse(why, "%s is in use by %.128s", name, child);
		if (!is_unused(one, child, why))
			return false;
	}
	return true;
}

static void trim_end(char *text)
{
	for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);)
		text[--n] = '\0';
}

static void device_describe(const json_t *listed, struct device *d)
{
	char vendor[32], model[32], text[sizeof(vendor) + sizeof(model)];

	snprintf(vendor, sizeof(vendor), "%s", text_of(listed, "vendor"));
	snprintf(model, sizeof(model), "%s", text_of(listed, "model"));
	trim_end(vendor);
	trim_end(model);
	snprintf(text, sizeof(text), "%s%s%s", vendor, *vendor && *model ? " " : "", model);
	text_sanitize_ascii(d->model, sizeof(d->model), text);
	d->bytes = (uint64_t)json_integer_value(json_object_get(listed, "size"));
}

bool device_check(const json_t *listed, struct device *device, char why[DEVICE_WHY_MAX])
{
	why[0] = '\0';
	device_describe(listed, device);
	return is_whole(listed, why) && is_removable(listed, why) &&
	       is_good_size(listed, device, why) && is_unused(listed, "it", why);
}

/* ---- Copying: the kernel copies the data, in two parts ---- */

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

/* Copy everything but holes between the offsets `at` and `end`, and wait until it is written. */
static int copy_part(int from, int to, off_t at, off_t end)
{
	int error = 0;

	while (!error && at < end) {
		off_t data = lseek(from, at, SEEK_DATA), hole;

		if (data < 0 && errno == ENXIO)
			break;
		if (data < 0)
			return errno;
		hole = lseek(from, data, SEEK_HOLE);
		at = hole < end ? hole : end;
		error = copy_data(from, to, data, at);
	}
	if (!error && fsync(to) != 0)
		error = errno;
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

int device_copy(int from, int to, uint64_t bytes)
{
	int error = clear_start(to);

	if (!error)
		error = copy_part(from, to, MIB, (off_t)bytes);
	if (!error)
		error = copy_part(from, to, 0, MIB);
	return error;
}
