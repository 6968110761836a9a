/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Firmware's services that a fuzzer plays: what they return, memory, and who takes the complaints.
 * All is handed out in its exact size, so that the sanitizer sees what is beyond.
 */
#pragma once

#include "efi/firmware.h"
#include "probe/options.h"

#include "core/firmware/boot_path.h"

#include "tests/fuzz/take.h"

#define SERVICES_PAGE   4096u
#define SERVICES_BLOCKS 64

/* The input's first byte; the lower bits select what is asked for. */
enum services_flags { SIZES_LIE = 0x80, STATUS_LIES = 0x40 };

static struct {
	uint8_t flags;
	void *block[SERVICES_BLOCKS]; /* allocated blocks */
	unsigned blocks;
	struct machine machine;
	unsigned complained;
} services;

void complaints_add(const char *level, const char *text)
{
	insist_showable(level, 16);
	insist_showable(text, CONFIG_COMPLAINT_MAX);
	services.complained++;
}

static inline EFI_STATUS take_status(void)
{
	static const EFI_STATUS statuses[] = { EFI_SUCCESS,   EFI_SUCCESS,         EFI_NOT_FOUND,
					       EFI_TIMEOUT,   EFI_DEVICE_ERROR,    EFI_TFTP_ERROR,
					       EFI_NOT_READY, EFI_BUFFER_TOO_SMALL };

	return services.flags & STATUS_LIES ? statuses[take_byte() % 8] : EFI_SUCCESS;
}

static inline void *services_allocate(size_t bytes)
{
	void *at = NULL;

	insist(services.blocks < SERVICES_BLOCKS && !posix_memalign(&at, SERVICES_PAGE, bytes));
	memset(at, 0xa5, bytes);
	return services.block[services.blocks++] = at;
}

static inline void services_free(const void *at)
{
	for (unsigned i = 0; i < services.blocks; i++)
		if (services.block[i] == at) {
			free(services.block[i]);
			services.block[i] = services.block[--services.blocks];
			return;
		}
	abort();
}

static inline EFI_STATUS allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE memory, UINTN pages,
					EFI_PHYSICAL_ADDRESS *at)
{
	(void)type;
	insist(memory == EfiLoaderData && pages);
	if (pages > 256 || services.blocks == SERVICES_BLOCKS || take_status() != EFI_SUCCESS)
		return EFI_OUT_OF_RESOURCES;
	*at = (uintptr_t)services_allocate(pages * SERVICES_PAGE);
	return EFI_SUCCESS;
}

static inline EFI_STATUS free_pages(EFI_PHYSICAL_ADDRESS at, UINTN pages)
{
	(void)pages;
	services_free((const void *)(uintptr_t)at);
	return EFI_SUCCESS;
}

static inline EFI_STATUS set_watchdog(UINTN seconds, UINT64 code, UINTN bytes, CHAR16 *data)
{
	(void)seconds, (void)code, (void)bytes, (void)data;
	return EFI_SUCCESS;
}

static inline EFI_STATUS no_handles(EFI_LOCATE_SEARCH_TYPE by, EFI_GUID *guid, void *key,
				    UINTN *count, EFI_HANDLE **handles)
{
	(void)by, (void)guid, (void)key, (void)count, (void)handles;
	return EFI_NOT_FOUND;
}

static inline EFI_STATUS no_device(EFI_GUID *guid, EFI_DEVICE_PATH **path, EFI_HANDLE *device)
{
	(void)guid, (void)path, (void)device;
	return EFI_NOT_FOUND;
}

/* Two names of variables or files. */
static inline bool is_name(const CHAR16 *a, const CHAR16 *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static inline bool is_guid(const EFI_GUID *a, EFI_GUID b)
{
	return memcmp(a, &b, sizeof(b)) == 0;
}

/* A device path that may run on to the end of the bytes that are read. */
#define PATH_BYTES BOOT_PATH_MAX

static inline void *take_path(void)
{
	uint8_t *path = services_allocate(PATH_BYTES);

	take_bytes(path, take_number(2) % (PATH_BYTES + 1));
	return path;
}

static inline void services_start(const uint8_t *data, size_t bytes, EFI_HANDLE image,
				  EFI_SYSTEM_TABLE *table)
{
	memset(&services, 0, sizeof(services));
	take_from(data, bytes);
	services.flags = take_byte();
	firmware_init(image, table);
}

static inline void services_end(void)
{
	while (services.blocks)
		free(services.block[--services.blocks]);
}
