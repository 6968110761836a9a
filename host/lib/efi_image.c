/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a PE image, its sections by their place in the file, and what is behind them. */
#include "efi_image.h"

#include "whole_file.h"

#include "core/lib/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Microsoft, PE Format. Offsets from the PE signature on. */
#define DOS_HEADER    60 /* where the place of the PE signature is */
#define PE_BYTES      96 /* bytes of the header that are always read */
#define MACHINE       4
#define SECTIONS      6
#define OPTIONAL_SIZE 20
#define OPTIONAL      24
#define MAGIC_64      0x20b
#define HEADERS       (OPTIONAL + 60)
#define CHECKSUM      (OPTIONAL + 64)
#define SUBSYSTEM     (OPTIONAL + 68)
#define DIRECTORIES   (OPTIONAL + 108)
#define CERTIFICATES  (OPTIONAL + 112 + 4 * 8)
#define SECTION       40
#define SECTION_SIZE  16
#define SECTION_AT    20
#define SECTIONS_MAX  96

#define EFI_APPLICATION 10

#define FILE_MAX ((size_t)64 << 20)

struct part {
	size_t at, bytes;
};

struct image {
	const uint8_t *bytes;
	size_t count;
	size_t pe; /* where the PE signature is */
	size_t headers;
	struct part certificates;
	struct part section[SECTIONS_MAX];
	unsigned sections;
};

static uint32_t efi_image_number(const struct image *p, size_t at)
{
	return bytes_le32(p->bytes + p->pe + at);
}

static bool is_within(const struct image *p, struct part part)
{
	return part.at <= p->count && part.bytes <= p->count - part.at;
}

static int by_place(const void *a, const void *b)
{
	const struct part *one = a, *two = b;

	return (one->at > two->at) - (one->at < two->at);
}

static bool read_sections(struct image *p)
{
	size_t table = OPTIONAL + bytes_le16(p->bytes + p->pe + OPTIONAL_SIZE);
	unsigned count = bytes_le16(p->bytes + p->pe + SECTIONS);

	if (count > SECTIONS_MAX ||
	    !is_within(p, (struct part){ p->pe + table, (size_t)count * SECTION }))
		return false;
	for (unsigned i = 0; i < count; i++) {
		struct part part = { efi_image_number(p, table + i * SECTION + SECTION_AT),
				     efi_image_number(p, table + i * SECTION + SECTION_SIZE) };

		if (part.bytes && !is_within(p, part))
			return false;
		if (part.bytes)
			p->section[p->sections++] = part;
	}
	qsort(p->section, p->sections, sizeof(*p->section), by_place);
	return true;
}

/* Find the header in the first `bytes` of the file. */
static bool find_header(struct image *p, size_t bytes)
{
	if (p->count < DOS_HEADER + 4 || memcmp(p->bytes, "MZ", 2) != 0)
		return false;
	p->pe = bytes_le32(p->bytes + DOS_HEADER);
	return is_within(p, (struct part){ p->pe, bytes }) &&
	       memcmp(p->bytes + p->pe, "PE\0\0", 4) == 0;
}

static bool has_certificates(struct image *p)
{
	return find_header(p, CERTIFICATES + 8) &&
	       bytes_le16(p->bytes + p->pe + OPTIONAL) == MAGIC_64 &&
	       efi_image_number(p, DIRECTORIES) > 4;
}

static bool read_header(struct image *p)
{
	if (!has_certificates(p))
		return false;
	p->headers = efi_image_number(p, HEADERS);
	p->certificates = (struct part){ efi_image_number(p, CERTIFICATES),
					 efi_image_number(p, CERTIFICATES + 4) };
	return p->headers >= p->pe + CERTIFICATES + 8 && p->headers <= p->count &&
	       is_within(p, p->certificates) && read_sections(p);
}

static void efi_image_add(struct sha256 *s, const struct image *p, size_t from, size_t to)
{
	sha256_add(s, p->bytes + from, to - from);
}

enum efi_image_machine efi_image_machine(const uint8_t *image, size_t bytes)
{
	struct image p = { .bytes = image, .count = bytes };

	if (!find_header(&p, PE_BYTES) || bytes_le16(image + p.pe + SUBSYSTEM) != EFI_APPLICATION)
		return EFI_IMAGE_NONE;
	switch (bytes_le16(image + p.pe + MACHINE)) {
	case EFI_IMAGE_X86_64:
		return EFI_IMAGE_X86_64;
	case EFI_IMAGE_AARCH64:
		return EFI_IMAGE_AARCH64;
	}
	return EFI_IMAGE_NONE;
}

bool efi_image_is_signed(const uint8_t *image, size_t bytes)
{
	struct image p = { .bytes = image, .count = bytes };

	return has_certificates(&p) && efi_image_number(&p, CERTIFICATES + 4);
}

bool efi_image_hash(const uint8_t *image, size_t bytes, uint8_t digest[SHA256_BYTES])
{
	struct image p = { .bytes = image, .count = bytes };
	size_t hashed, end = bytes;
	struct sha256 s;

	if (!read_header(&p))
		return false;
	sha256_start(&s);
	efi_image_add(&s, &p, 0, p.pe + CHECKSUM);
	efi_image_add(&s, &p, p.pe + CHECKSUM + 4, p.pe + CERTIFICATES);
	efi_image_add(&s, &p, p.pe + CERTIFICATES + 8, p.headers);
	hashed = p.headers;
	for (unsigned i = 0; i < p.sections; i++) {
		efi_image_add(&s, &p, p.section[i].at, p.section[i].at + p.section[i].bytes);
		hashed += p.section[i].bytes;
	}
	/* Signatures are the end of the file. */
	if (p.certificates.bytes)
		end -= p.certificates.bytes;
	if (hashed < end)
		efi_image_add(&s, &p, hashed, end);
	sha256_end(&s, digest);
	return true;
}

const char *efi_image_hash_file(const char *path, uint8_t digest[SHA256_BYTES])
{
	size_t bytes;
	uint8_t *image = whole_file_read(path, FILE_MAX, &bytes);
	bool is_image;

	if (!image)
		return strerror(errno);
	is_image = efi_image_hash(image, bytes, digest);
	free(image);
	return is_image ? NULL : "not a 64-bit EFI image";
}
