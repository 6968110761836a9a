/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The image is linked for address 0 and moves itself to where it was loaded.
 * gnu-efi's own function knows only relocations of 24 bytes each; packed ones
 * (DT_RELR) take a word for up to 63 of them.
 * Source: ELF generic ABI, "Relative Relocation Table".
 */
#include <efi.h>

#include <stdint.h>

#define DT_NULL    0
#define DT_RELRSZ  35
#define DT_RELR    36
#define PER_BITMAP 63

struct dynamic {
	int64_t tag;
	uint64_t value;
};

/* Called by gnu-efi's start-up code, which knows it by this name; nothing is relocated before. */
EFI_STATUS _relocate(uint64_t base, const struct dynamic *dynamic, EFI_HANDLE image,
		     EFI_SYSTEM_TABLE *table);

static uint64_t entry(const struct dynamic *dynamic, int64_t tag)
{
	while (dynamic->tag != DT_NULL && dynamic->tag != tag)
		dynamic++;
	return dynamic->tag == tag ? dynamic->value : 0;
}

EFI_STATUS _relocate(uint64_t base, const struct dynamic *dynamic, EFI_HANDLE image,
		     EFI_SYSTEM_TABLE *table)
{
	const uint64_t *packed = (const void *)(base + entry(dynamic, DT_RELR));
	const uint64_t *end = packed + entry(dynamic, DT_RELRSZ) / sizeof(*packed);
	uint64_t *at = NULL;

	(void)image;
	(void)table;
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
	return EFI_SUCCESS;
}
