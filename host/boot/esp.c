/* SPDX-License-Identifier: BSD-2-Clause */
/* The EFI system partition. */
#include "esp.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FAT_MAGIC 0x4d44 /* statfs(2), MSDOS_SUPER_MAGIC */

bool esp_find(char path[ESP_PATH_MAX])
{
	static const char *const places[] = { "/efi", "/boot/efi", "/boot" };
	struct statfs fs;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (statfs(places[i], &fs) != 0 || fs.f_type != FAT_MAGIC)
			continue;
		snprintf(path, ESP_PATH_MAX, "%s", places[i]);
		return true;
	}
	return false;
}

static bool read_line(const char *path, char *line, int cap)
{
	FILE *from = fopen(path, "r");
	bool got = from && fgets(line, cap, from);

	if (from)
		fclose(from);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

/* A partition is a folder in its disk's, in /sys/devices. */
bool esp_disk(const char *esp, char disk[ESP_PATH_MAX], char part[16])
{
	char link[128], file[160], resolved[PATH_MAX];
	struct stat st;

	if (stat(esp, &st) != 0)
		return false;
	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(file, sizeof(file), "%s/partition", link);
	if (!read_line(file, part, 16) || !realpath(link, resolved))
		return false;
	snprintf(disk, ESP_PATH_MAX, "/dev/%.*s", ESP_PATH_MAX - 6, basename(dirname(resolved)));
	return true;
}

/* udev's links to partitions are named by it; those of an MBR's are shorter. */
void esp_partition(const char *esp, char guid[UUID_TEXT])
{
	static const char links[] = "/dev/disk/by-partuuid";
	DIR *folder = opendir(links);
	uint8_t bytes[UUID_BYTES];
	struct stat here, device;
	struct dirent *link;

	guid[0] = '\0';
	while (folder && !guid[0] && stat(esp, &here) == 0 && (link = readdir(folder)))
		if (fstatat(dirfd(folder), link->d_name, &device, 0) == 0 &&
		    S_ISBLK(device.st_mode) && device.st_rdev == here.st_dev &&
		    uuid_parse(link->d_name, bytes))
			uuid_print(bytes, guid);
	if (folder)
		closedir(folder);
}

bool esp_path(char path[ESP_PATH_MAX], const char *esp, const char *name)
{
	if (snprintf(path, ESP_PATH_MAX, "%s/%s", esp, name) < ESP_PATH_MAX)
		return true;
	fprintf(stderr, "%.100s...: the path is too long\n", esp);
	return false;
}

static int make(const char *esp, const char *name)
{
	char path[ESP_PATH_MAX];

	if (!esp_path(path, esp, name))
		return ENAMETOOLONG;
	return mkdir(path, 0755) != 0 && errno != EEXIST ? errno : 0;
}

int esp_make_folder(const char *esp)
{
	int error = make(esp, "EFI");

	return error ? error : make(esp, ESP_FOLDER);
}
