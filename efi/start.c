/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where the firmware enters the image. It is linked for address 0, and moves itself to where it
 * was loaded; packed relocations (DT_RELR) take a word for up to 63 of them.
 * Sources: ELF generic ABI, "Relative Relocation Table"; UEFI specification, "Calling Conventions".
 */
#include "firmware.h"

#include <stdint.h>

#define DT_NULL    0
#define DT_RELRSZ  35
#define DT_RELR    36
#define PER_BITMAP 63

struct dynamic {
	int64_t tag;
	uint64_t value;
};

/*
 * By the linker: where the image begins, and its dynamic section. Hidden, so that their addresses
 * are computed from the program counter: a GOT would have to be relocated first.
 */
extern const char ImageBase[] __attribute__((visibility("hidden")));
extern const struct dynamic _DYNAMIC[] __attribute__((visibility("hidden")));

/* Named as image.lds does. */
EFI_STATUS EFIAPI _start(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

static uint64_t entry(const struct dynamic *dynamic, int64_t tag)
{
	while (dynamic->tag != DT_NULL && dynamic->tag != tag)
		dynamic++;
	return dynamic->tag == tag ? dynamic->value : 0;
}

static void relocate(uint64_t base, const struct dynamic *dynamic)
{
	const uint64_t *packed = (const void *)(base + entry(dynamic, DT_RELR));
	const uint64_t *end = packed + entry(dynamic, DT_RELRSZ) / sizeof(*packed);
	uint64_t *at = NULL;

	for (; packed < end; packed++) {
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
	relocate((uintptr_t)ImageBase, _DYNAMIC);
	return efi_main(image, table);
}
