/* SPDX-License-Identifier: BSD-2-Clause */
/* The header of a PE image, its sections by their place in the file, and what is behind them. */
#include "attest.h"

#include "host/lib/efi_image.h"
#include "host/lib/whole_file.h"

#include "core/lib/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Microsoft, PE Format. Offsets from the PE signature on. */
#define SECTIONS      6
#define OPTIONAL_SIZE 20
#define OPTIONAL      24
#define HEADERS       (OPTIONAL + 60)
#define CHECKSUM      (OPTIONAL + 64)
#define SECTION       40
#define SECTION_SIZE  16
#define SECTION_AT    20
#define SECTIONS_MAX  96

#define FILE_MAX ((size_t)64 << 20)

struct part {
	size_t at, bytes;
};

struct image {
	const uint8_t *bytes, *header;
	size_t count;
	size_t headers; /* bytes of all headers */
	struct part certificates;
	struct part section[SECTIONS_MAX];
	unsigned sections;
};

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
	size_t at = (size_t)(p->header - p->bytes) + OPTIONAL +
		    bytes_le16(p->header + OPTIONAL_SIZE);
	unsigned count = bytes_le16(p->header + SECTIONS);

	if (count > SECTIONS_MAX || !is_within(p, (struct part){ at, (size_t)count * SECTION }))
		return false;
	for (; count; count--, at += SECTION) {
		struct part part = { bytes_le32(p->bytes + at + SECTION_AT),
				     bytes_le32(p->bytes + at + SECTION_SIZE) };

		if (part.bytes && !is_within(p, part))
			return false;
		if (part.bytes)
			p->section[p->sections++] = part;
	}
	qsort(p->section, p->sections, sizeof(*p->section), by_place);
	return true;
}

static bool read_header(struct image *p)
{
	p->header = efi_image_header(p->bytes, p->count);
	if (!p->header)
		return false;
	p->headers = bytes_le32(p->header + HEADERS);
	p->certificates = (struct part){ bytes_le32(p->header + EFI_IMAGE_CERTIFICATES),
					 bytes_le32(p->header + EFI_IMAGE_CERTIFICATES + 4) };
	return p->headers >= (size_t)(p->header - p->bytes) + EFI_IMAGE_CERTIFICATES + 8 &&
	       p->headers <= p->count && is_within(p, p->certificates) && read_sections(p);
}

bool attest_image_hash(const uint8_t *image, size_t bytes, uint8_t digest[SHA256_BYTES])
{
	struct image p = { .bytes = image, .count = bytes };
	size_t hashed, end = bytes, pe;
	struct sha256 s;

	if (!read_header(&p))
		return false;
	pe = (size_t)(p.header - image);
	sha256_start(&s);
	sha256_add(&s, image, pe + CHECKSUM);
	sha256_add(&s, p.header + CHECKSUM + 4, EFI_IMAGE_CERTIFICATES - CHECKSUM - 4);
	hashed = pe + EFI_IMAGE_CERTIFICATES + 8;
	sha256_add(&s, image + hashed, p.headers - hashed);
	hashed = p.headers;
	for (unsigned i = 0; i < p.sections; i++) {
		sha256_add(&s, image + p.section[i].at, p.section[i].bytes);
		hashed += p.section[i].bytes;
	}
	/* Signatures are the end of the file. */
	if (p.certificates.bytes)
		end -= p.certificates.bytes;
	if (hashed < end)
		sha256_add(&s, image + hashed, end - hashed);
	sha256_end(&s, digest);
	return true;
}

const char *attest_image_hash_file(const char *path, uint8_t digest[SHA256_BYTES])
{
	size_t bytes;
	uint8_t *image = whole_file_read(path, FILE_MAX, &bytes);
	bool is_image;

	if (!image)
		return strerror(errno);
	is_image = attest_image_hash(image, bytes, digest);
	free(image);
	return is_image ? NULL : "not a 64-bit EFI image";
}
