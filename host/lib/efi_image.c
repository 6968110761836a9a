/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a PE image. */
#include "efi_image.h"

#include "core/lib/bytes.h"

#include <string.h>

/* Microsoft, PE Format. Offsets from the PE signature on. */
#define DOS_HEADER  60 /* where the place of the PE signature is */
#define PE_BYTES    96 /* bytes of the header that are always read */
#define MACHINE     4
#define OPTIONAL    24
#define MAGIC_64    0x20b
#define SUBSYSTEM   (OPTIONAL + 68)
#define DIRECTORIES (OPTIONAL + 108)

#define EFI_APPLICATION 10

/* The header, of which `wanted` bytes must be there; NULL: it is no PE image. */
static const uint8_t *find_header(const uint8_t *image, size_t bytes, size_t wanted)
{
	size_t pe;

	if (bytes < DOS_HEADER + 4 || memcmp(image, "MZ", 2) != 0)
		return NULL;
	pe = bytes_le32(image + DOS_HEADER);
	if (pe > bytes || wanted > bytes - pe || memcmp(image + pe, "PE\0\0", 4) != 0)
		return NULL;
	return image + pe;
}

enum efi_image_machine efi_image_machine(const uint8_t *image, size_t bytes)
{
	const uint8_t *header = find_header(image, bytes, PE_BYTES);
	unsigned machine = header ? bytes_le16(header + MACHINE) : 0;

	if (!header || bytes_le16(header + SUBSYSTEM) != EFI_APPLICATION)
		return EFI_IMAGE_NONE;
	return machine == EFI_IMAGE_X86_64 || machine == EFI_IMAGE_AARCH64
		       ? (enum efi_image_machine)machine
		       : EFI_IMAGE_NONE;
}

const uint8_t *efi_image_header(const uint8_t *image, size_t bytes)
{
	const uint8_t *header = find_header(image, bytes, EFI_IMAGE_CERTIFICATES + 8);

	return header && bytes_le16(header + OPTIONAL) == MAGIC_64 &&
			       bytes_le32(header + DIRECTORIES) > 4
		       ? header
		       : NULL;
}

bool efi_image_is_signed(const uint8_t *image, size_t bytes)
{
	const uint8_t *header = efi_image_header(image, bytes);

	return header && bytes_le32(header + EFI_IMAGE_CERTIFICATES + 4);
}
