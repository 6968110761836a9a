/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The entry point of the image. It is linked for address 0, and moves itself to where it was
 * loaded; packed relocations (DT_RELR) take a word for up to 63 of them, others (DT_RELA) are what
 * a linker makes that cannot pack. mk/efi.mk sees that all of them are relative. Sources: ELF
 * generic ABI, "Relative Relocation Table"; UEFI specification, "Calling Conventions".
 */
#include "firmware.h"

#include <stdint.h>

#define PER_BITMAP 63

struct rela {
	uint64_t offset, info, addend;
};

/*
 * Defined by the linker: the image's beginning, and its relocations. Hidden, so that their
 * addresses are computed from the program counter; a GOT would have to be relocated first.
 */
extern const char ImageBase[] __attribute__((visibility("hidden")));
extern const uint64_t relr_begin[] __attribute__((visibility("hidden")));
extern const uint64_t relr_end[] __attribute__((visibility("hidden")));
extern const struct rela rela_begin[] __attribute__((visibility("hidden")));
extern const struct rela rela_end[] __attribute__((visibility("hidden")));

/* An image without a relocation would lose .data: ld drops the section that has none to hold. */
static const void *const relocated __attribute__((used, section(".anchor"))) = ImageBase;

/* Named as image.lds does. */
EFI_STATUS EFIAPI _start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

static void relocate_packed(uint64_t base)
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

static void relocate(uint64_t base)
{
	for (const struct rela *one = rela_begin; one < rela_end; one++)
		*(uint64_t *)(base + one->offset) = base + one->addend;
}

EFI_STATUS EFIAPI _start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	relocate_packed((uintptr_t)ImageBase);
	relocate((uintptr_t)ImageBase);
	return efi_main(image, table);
}
