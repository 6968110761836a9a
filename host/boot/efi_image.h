/* SPDX-License-Identifier: BSD-2-Clause */
/* UEFI applications as files. Source: Microsoft, PE Format. */
#pragma once

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
