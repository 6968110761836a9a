/* SPDX-License-Identifier: BSD-2-Clause */
/* The EFI system partition of the machine this runs on, and our folder in it. */
#pragma once

#include "core/lib/uuid.h"

#include <stdbool.h>

#define ESP_PATH_MAX 4096
#define ESP_FOLDER   "EFI/noisefloor"
#define ESP_IMAGE    ESP_FOLDER "/noisefloor.efi"
#define ESP_CONFIG   ESP_FOLDER "/noisefloor.conf"
#define ESP_LOADER   "\\EFI\\noisefloor\\noisefloor.efi" /* as a boot entry has it */

/* Where it is mounted: the first FAT file system of /efi, /boot/efi and /boot. False: none is. */
bool esp_find(char path[ESP_PATH_MAX]);

/* The disk and the number of the partition that the folder is on, as efibootmgr wants them. */
bool esp_disk(const char *esp, char disk[ESP_PATH_MAX], char part[16]);

/* The GUID of the partition that the folder is on; "": not known. */
void esp_partition(const char *esp, char guid[UUID_TEXT]);

/* Both as one path; false, with a message on standard error, when it is too long. */
bool esp_path(char path[ESP_PATH_MAX], const char *esp, const char *name);

/* Make the folders EFI and EFI/noisefloor. 0, or an errno. */
int esp_make_folder(const char *esp);
