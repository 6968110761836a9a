/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the firmware enters the image. It is linked for address 0, and moves itself to where it
 * was loaded; packed relocations (DT_RELR) take a word for up to 63 of them.
 * Sources: ELF generic ABI, "Relative Relocation Table"; UEFI specification, "Calling Conventions".
 */
#include "firmware.h"

#include <stdint.h>

#define PER_BITMAP 63

/*
 * By the linker: where the image begins, and its packed relocations. Hidden, so that their
 * addresses are computed from the program counter: a GOT would have to be relocated first.
 */
extern const char ImageBase[] __attribute__((visibility("hidden")));
extern const uint64_t relr_begin[] __attribute__((visibility("hidden")));
extern const uint64_t relr_end[] __attribute__((visibility("hidden")));

/* An image without a relocation would lose .data: ld drops the section that has none to hold. */
static const void *const relocated __attribute__((used, section(".anchor"))) = ImageBase;

/* Named as image.lds does. */
EFI_STATUS EFIAPI _start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

static void relocate(uint64_t base)
{
	uint64_t *at = NULL;

	for (const uint64_t *packed = relr_begin; packed < relr_end; packed++) {
		if (!(*packed & 1)) {
			at = (uint64_t *)(base + *packed);
			*at++ += base;
			continue;
		}
		for (unsigned i = 0; i < PER_BITMAP; i++)
			if (*packed >> (i + 1) & 1)
				at[i] += base;
		at += PER_BITMAP;
	}
}

EFI_STATUS EFIAPI _start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	relocate((uintptr_t)ImageBase);
	return efi_main(image, table);
}
