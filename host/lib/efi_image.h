/* SPDX-License-Identifier: BSD-2-Clause */
/* UEFI applications as files. Source: Microsoft, PE Format. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EFI_IMAGE_MAX ((size_t)16 << 20) /* bytes; longer ones are none of ours */

/* The processor by its number in the header; 0: it is no application of UEFI. */
enum efi_image_machine {
	EFI_IMAGE_NONE = 0,
	EFI_IMAGE_X86_64 = 0x8664,
	EFI_IMAGE_AARCH64 = 0xaa64,
};

/* Others than these are EFI_IMAGE_NONE, too. */
enum efi_image_machine efi_image_machine(const uint8_t *image, size_t bytes);

/* Where a header has the place and the size of the signatures: offset from the PE signature on. */
#define EFI_IMAGE_CERTIFICATES (24 + 112 + 4 * 8)

/* The header of a 64-bit image, with all up to that; NULL: it has none. */
const uint8_t *efi_image_header(const uint8_t *image, size_t bytes);

/* True if a 64-bit image has signatures. Its first 4 KiB are enough. */
bool efi_image_is_signed(const uint8_t *image, size_t bytes);
