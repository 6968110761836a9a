/* SPDX-License-Identifier: BSD-2-Clause */
/* UEFI applications as files. Source: Microsoft, PE Format. */
#pragma once

#include "core/lib/sha256.h"

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

/* True if a 64-bit image has signatures. Its first 4 KiB are enough. */
bool efi_image_is_signed(const uint8_t *image, size_t bytes);

/*
 * The hash by which firmware measures an image that it starts: a PE image's Authenticode hash by
 * SHA-256 (Microsoft, Windows Authenticode Portable Executable Signature Format 1.0, "Calculating
 * the PE Image Hash"): of all but its checksum, the place of its signatures and these themselves,
 * so a signature does not change it. False: it is no PE image, or contradicts itself.
 */
bool efi_image_hash(const uint8_t *image, size_t bytes, uint8_t digest[SHA256_BYTES]);

/* Hash a file. NULL, or the reason for a failure. */
const char *efi_image_hash_file(const char *path, uint8_t digest[SHA256_BYTES]);
