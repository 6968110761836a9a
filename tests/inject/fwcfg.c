/* SPDX-License-Identifier: BSD-2-Clause */
/* QEMU's fw_cfg device. Source: QEMU, docs/specs/fw_cfg.txt. */
#include "fwcfg.h"

#include "core/lib/mem.h"

#define FWCFG_SIGNATURE 0x0000
#define FWCFG_DIRECTORY 0x0019
#define FWCFG_FILES_MAX 4096

/* Numbers are big-endian. */
struct fwcfg_file {
	uint32_t size;
	uint16_t select, reserved;
	char name[56];
};

static uint32_t fwcfg_number(void)
{
	uint32_t number;

	fwcfg_bytes(&number, sizeof(number));
	return __builtin_bswap32(number);
}

static int fwcfg_exists(void)
{
	char signature[4];

	fwcfg_select(FWCFG_SIGNATURE);
	fwcfg_bytes(signature, sizeof(signature));
	return memcmp(signature, "QEMU", sizeof(signature)) == 0;
}

uint32_t fwcfg_read(const char *name, void *buffer, uint32_t max)
{
	struct fwcfg_file file;
	uint32_t files;

	if (!fwcfg_exists())
		return 0;
	fwcfg_select(FWCFG_DIRECTORY);
	files = fwcfg_number();
	for (uint32_t i = 0; i < files && i < FWCFG_FILES_MAX; i++) {
		uint32_t size;

		fwcfg_bytes(&file, sizeof(file));
		if (memcmp(file.name, name, strlen(name) + 1) != 0)
			continue;
		size = __builtin_bswap32(file.size);
		fwcfg_select(__builtin_bswap16(file.select));
		fwcfg_bytes(buffer, size < max ? size : max);
		return size;
	}
	return 0;
}
