/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a PE image. */
#include "efi_image.h"

#include "core/lib/bytes.h"

#include <string.h>

#define DOS_HEADER      60 /* where the place of the PE header is */
#define PE_BYTES        96 /* of what is read of the PE header */
#define MACHINE         4
#define SUBSYSTEM       (24 + 68)
#define EFI_APPLICATION 10

enum efi_image_machine efi_image_machine(const uint8_t *image, size_t bytes)
{
	const uint8_t *pe;
	size_t at;

	if (bytes < DOS_HEADER + 4 || image[0] != 'M' || image[1] != 'Z')
		return EFI_IMAGE_NONE;
	at = bytes_le32(image + DOS_HEADER);
	if (bytes < PE_BYTES || at >= bytes - PE_BYTES)
		return EFI_IMAGE_NONE;
	pe = image + at;
	if (memcmp(pe, "PE\0\0", 4) != 0 || bytes_le16(pe + SUBSYSTEM) != EFI_APPLICATION)
		return EFI_IMAGE_NONE;
	switch (bytes_le16(pe + MACHINE)) {
	case EFI_IMAGE_X86_64:
		return EFI_IMAGE_X86_64;
	case EFI_IMAGE_AARCH64:
		return EFI_IMAGE_AARCH64;
	}
	return EFI_IMAGE_NONE;
}
