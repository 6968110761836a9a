/* SPDX-License-Identifier: BSD-2-Clause */
/* A PE image made here: what its hash covers, and images that contradict themselves. */
#include "host/attest/attest.h"
#include "host/lib/efi_image.h"

#include "core/lib/bytes.h"
#include "tests/unit/common/test.h"

#include <stdlib.h>
#include <string.h>

#define PE           0x80u
#define OPTIONAL     (PE + 24)
#define CHECKSUM     (OPTIONAL + 64)
#define CERTIFICATES (OPTIONAL + 112 + 32)
#define TABLE        (OPTIONAL + 240)
#define HEADERS      0x400u
#define SIGNATURE    24u

static uint8_t image[0x2000];
static size_t used;

static void section(unsigned n, uint32_t at, uint32_t bytes, uint8_t with)
{
	bytes_put_le32(image + TABLE + n * 40 + 16, bytes);
	bytes_put_le32(image + TABLE + n * 40 + 20, at);
	memset(image + at, with, bytes);
}

/*
 * Make an image with two sections, of which the first in the table is the second in the file, and a
 * section without bytes in the file.
 */
static void setup(void)
{
	memset(image, 0, sizeof(image));
	memcpy(image, "MZ", 2);
	bytes_put_le32(image + 60, PE);
	memcpy(image + PE, "PE\0\0", 4);
	bytes_put_le16(image + PE + 6, 3);
	bytes_put_le16(image + PE + 20, 240);
	bytes_put_le16(image + OPTIONAL, 0x20b);
	bytes_put_le32(image + OPTIONAL + 60, HEADERS);
	bytes_put_le32(image + OPTIONAL + 108, 16);
	section(0, 0x800, 0x200, 0xaa);
	section(1, 0x400, 0x400, 0xbb);
	section(2, 0xffffff00, 0, 0);
	used = 0xa00;
}

/* Hash a copy of the exact size. */
static bool hash(uint8_t digest[SHA256_BYTES])
{
	uint8_t *copy = malloc(used + !used);
	bool done;

	assert_non_null(copy);
	memcpy(copy, image, used);
	done = attest_image_hash(copy, used, digest);
	free(copy);
	return done;
}

/* The hash covers the file in its order, without the checksum and the place of signatures. */
TEST_F(setup, NULL, test_hash)
{
	uint8_t digest[SHA256_BYTES], expected[SHA256_BYTES];
	struct sha256 s;

	sha256_start(&s);
	sha256_add(&s, image, CHECKSUM);
	sha256_add(&s, image + CHECKSUM + 4, CERTIFICATES - CHECKSUM - 4);
	sha256_add(&s, image + CERTIFICATES + 8, used - CERTIFICATES - 8);
	sha256_end(&s, expected);
	assert_true(hash(digest));
	assert_memory_equal(digest, expected, sizeof(digest));
	/* A signature and a checksum change nothing. */
	bytes_put_le32(image + CHECKSUM, 0x12345678);
	bytes_put_le32(image + CERTIFICATES, (uint32_t)used);
	bytes_put_le32(image + CERTIFICATES + 4, SIGNATURE);
	memset(image + used, 0xee, SIGNATURE);
	used += SIGNATURE;
	assert_true(hash(digest));
	assert_memory_equal(digest, expected, sizeof(digest));
}

/* Each other bit changes the hash. */
TEST_F(setup, NULL, test_changed)
{
	uint8_t digest[SHA256_BYTES], first[SHA256_BYTES];

	assert_true(hash(first));
	for (size_t at = 0; at < used; at++) {
		bool is_left_out = (at >= CHECKSUM && at < CHECKSUM + 4) ||
				   (at >= CERTIFICATES && at < CERTIFICATES + 8);

		image[at] ^= 1;
		if (hash(digest) && !is_left_out)
			assert_memory_not_equal(digest, first, sizeof(first));
		image[at] ^= 1;
	}
}

TEST_F(setup, NULL, test_cut)
{
	uint8_t digest[SHA256_BYTES];

	for (used = 0; used < 0xa00; used++)
		assert_false(hash(digest));
}

TEST_F(setup, NULL, test_contradictions)
{
	static const struct {
		size_t at;
		uint32_t value;
	} wrong[] = {
		{ 60, 0xfffffff0 },          { PE, 0 },
		{ OPTIONAL, 0x10b },         { OPTIONAL + 60, 0xffffffff },
		{ OPTIONAL + 60, 0x40 },     { OPTIONAL + 108, 4 },
		{ TABLE + 16, 0xffffffff },  { TABLE + 20, 0xfffffff0 },
		{ CERTIFICATES, 0xfffffff }, { PE + 6, 0xffff },
	};

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint8_t digest[SHA256_BYTES];

		setup();
		bytes_put_le32(image + wrong[i].at, wrong[i].value);
		assert_false(hash(digest));
	}
}

TEST_F(setup, NULL, test_machine)
{
	assert_int_equal(efi_image_machine(image, used), EFI_IMAGE_NONE);
	bytes_put_le16(image + OPTIONAL + 68, 10);
	assert_int_equal(efi_image_machine(image, used), EFI_IMAGE_NONE);
	bytes_put_le16(image + PE + 4, 0xaa64);
	assert_int_equal(efi_image_machine(image, used), EFI_IMAGE_AARCH64);
	bytes_put_le16(image + PE + 4, 0x8664);
	assert_int_equal(efi_image_machine(image, used), EFI_IMAGE_X86_64);
	/* Reads stay within the file. */
	assert_int_equal(efi_image_machine(image, PE + 96), EFI_IMAGE_X86_64);
	assert_int_equal(efi_image_machine(image, PE + 95), EFI_IMAGE_NONE);
	assert_int_equal(efi_image_machine(image, 63), EFI_IMAGE_NONE);
	bytes_put_le16(image + OPTIONAL + 68, 3);
	assert_int_equal(efi_image_machine(image, used), EFI_IMAGE_NONE);
}

TEST_F(setup, NULL, test_is_signed)
{
	assert_false(efi_image_is_signed(image, used));
	bytes_put_le32(image + CERTIFICATES + 4, SIGNATURE);
	assert_true(efi_image_is_signed(image, used));
	assert_true(efi_image_is_signed(image, CERTIFICATES + 8));
	assert_false(efi_image_is_signed(image, CERTIFICATES + 7));
	bytes_put_le32(image + OPTIONAL + 108, 4);
	assert_false(efi_image_is_signed(image, used));
}
