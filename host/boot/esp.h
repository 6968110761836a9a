/* SPDX-License-Identifier: BSD-2-Clause */
/* The EFI system partition of the machine this runs on, and our folder in it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ESP_PATH_MAX 4096
#define ESP_FOLDER   "EFI/noisefloor"
#define ESP_IMAGE    ESP_FOLDER "/noisefloor.efi"
#define ESP_CONFIG   ESP_FOLDER "/noisefloor.conf"
#define ESP_LOADER   "\\EFI\\noisefloor\\noisefloor.efi" /* as a boot entry has it */

/* Where it is mounted: the first FAT file system of /efi, /boot/efi and /boot. False: none is. */
bool esp_find(char path[ESP_PATH_MAX]);

/* The disk and the number of the partition that the folder is on, as efibootmgr wants them. */
bool esp_disk(const char *esp, char disk[ESP_PATH_MAX], char part[16]);

/* The GUID of the partition that the folder is on, as in its table; false: not known. */
bool esp_partition(const char *esp, uint8_t guid[16]);

/* "c12a7328-f81f-11d2-ba4b-00a0c93ec93b" to bytes; false: it is none. */
bool esp_guid(const char *text, uint8_t guid[16]);

/* Both as one path; false, with a message on standard error, when it is too long. */
bool esp_path(char path[ESP_PATH_MAX], const char *esp, const char *name);

/* Make the folders EFI and EFI/noisefloor. 0, or an errno. */
int esp_make_folder(const char *esp);
