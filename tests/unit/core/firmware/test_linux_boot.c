/* SPDX-License-Identifier: BSD-2-Clause */
/* Kernel images, boot_params and payloads that are good but for one thing. */
#include "core/firmware/linux_boot.h"

#include "core/lib/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

/* Two sectors in front of the code: Linux, Documentation/arch/x86/boot.rst. */
#define SECTORS 2u
#define CODE    1024u
#define BYTES   (CODE + 0x200 + 512)

static uint8_t image[BYTES];
static struct linux_image kernel;

static void start(void)
{
	memset(image, 0x11, sizeof(image));
	image[0x1f1] = SECTORS - 1;
	bytes_put_le16(image + 0x1fe, 0xaa55);
	image[0x201] = 0x66;
	memcpy(image + 0x202, "HdrS", 4);
	bytes_put_le16(image + 0x206, 0x20c);
	bytes_put_le32(image + 0x230, 0x200000);
	image[0x234] = 1;
	bytes_put_le16(image + 0x236, 0x01);
	bytes_put_le32(image + 0x238, 2047);
	bytes_put_le32(image + 0x260, 0x3000000);
}

TEST_F(start, NULL, test_an_image)
{
	assert_null(linux_image_read(&kernel, image, sizeof(image)));
	assert_ptr_equal(kernel.code, image + CODE);
	assert_int_equal(kernel.code_bytes, BYTES - CODE);
	assert_int_equal(kernel.run_bytes, 0x3000000);
	assert_int_equal(kernel.alignment, 0x200000);
	assert_int_equal(kernel.command_max, 2047);
	/* The memory is never smaller than what is copied to it. */
	bytes_put_le32(image + 0x260, 1);
	assert_null(linux_image_read(&kernel, image, sizeof(image)));
	assert_int_equal(kernel.run_bytes, BYTES - CODE);
}

TEST_F(start, NULL, test_images_that_are_refused)
{
	static const struct {
		unsigned at, bytes;
		uint32_t value;
		const char *why;
	} rows[] = {
		{ 0x1fe, 2, 0xaa56, "is no bzImage of Linux" },
		{ 0x202, 1, 'h', "is no bzImage of Linux" },
		{ 0x206, 2, 0x20b, "has no 64-bit entry" },
		{ 0x236, 2, 0xfe, "has no 64-bit entry" },
		{ 0x234, 1, 0, "is not relocatable" },
		{ 0x1f1, 1, 2, "is truncated" },
		{ 0x1f1, 1, 255, "is truncated" },
		{ 0x230, 4, 0x800, "has an alignment that is no power of two from 4 KiB to 1 GiB" },
		{ 0x230, 4, 0x3000,
		  "has an alignment that is no power of two from 4 KiB to 1 GiB" },
		{ 0x230, 4, UINT32_C(1) << 31,
		  "has an alignment that is no power of two from 4 KiB to 1 GiB" },
	};

	for (size_t n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		const char *why;

		start();
		for (unsigned i = 0; i < rows[n].bytes; i++)
			image[rows[n].at + i] = (uint8_t)(rows[n].value >> 8 * i);
		why = linux_image_read(&kernel, image, sizeof(image));
		assert_non_null(why);
		assert_string_equal(why, rows[n].why);
	}
	start();
	assert_string_equal(linux_image_read(&kernel, image, BYTES - 1), "is truncated");
	assert_string_equal(linux_image_read(&kernel, image, 0x28f), "is no bzImage of Linux");
}

TEST_F(start, NULL, test_boot_params)
{
	static uint8_t params[LINUX_PARAMS_BYTES];
	const struct linux_start s = { .command = 0x1122334455667788,
				       .initrd = 0x99aabbccddeeff00,
				       .initrd_bytes = 0x123456789a,
				       .setup_data = 0xfedcba9876543210 };

	assert_null(linux_image_read(&kernel, image, sizeof(image)));
	memset(params, 0xa5, sizeof(params));
	linux_params_set(params, &kernel, &s);
	/* The header is the image's, up to its end at 0x202 + 0x66; what follows is cleared. */
	assert_int_equal(params[0x1f0], 0xa5);
	assert_int_equal(params[0x1ef], 0);
	assert_int_equal(params[0x1f1], SECTORS - 1);
	assert_memory_equal(params + 0x202, "HdrS", 4);
	assert_int_equal(params[0x210], 0xff);
	assert_int_equal(params[0x267], 0x11);
	assert_int_equal(params[0x268], 0);
	assert_int_equal(params[0x28f], 0);
	assert_int_equal(params[0x290], 0xa5);
	assert_int_equal(bytes_le32(params + 0x228), 0x55667788);
	assert_int_equal(bytes_le32(params + 0xc8), 0x11223344);
	assert_int_equal(bytes_le32(params + 0x218), 0xddeeff00);
	assert_int_equal(bytes_le32(params + 0xc0), 0x99aabbcc);
	assert_int_equal(bytes_le32(params + 0x21c), 0x3456789a);
	assert_int_equal(bytes_le32(params + 0xc4), 0x12);
	assert_int_equal(bytes_le64(params + 0x250), 0xfedcba9876543210);
	/* A header that claims to be longer does not get over what follows it. */
	image[0x201] = 0xff;
	linux_params_set(params, &kernel, &s);
	assert_int_equal(params[0x28f], 0x11);
	assert_int_equal(params[0x290], 0xa5);
}

/* ---- Payloads ---- */

#define PAGE 4096u

static void put_head(const uint64_t bytes[LINUX_PARTS], uint8_t *head)
{
	memcpy(head, "NFLINUX1", 8);
	for (unsigned n = 0; n < LINUX_PARTS; n++)
		bytes_put_le64(head + 8 + 8 * n, bytes[n]);
}

TEST(test_a_payload)
{
	static const uint64_t bytes[LINUX_PARTS] = { 5, 0, PAGE, PAGE + 1 };
	static uint8_t payload[5 * PAGE + 1];
	struct linux_payload p;

	put_head(bytes, payload);
	assert_true(linux_payload_is(payload, sizeof(payload)));
	assert_true(linux_payload_read(&p, payload, sizeof(payload)));
	assert_memory_equal(p.bytes, bytes, sizeof(bytes));
	assert_ptr_equal(p.part[LINUX_PART_CONFIG], payload + PAGE);
	assert_ptr_equal(p.part[LINUX_PART_COMMAND], payload + 2 * PAGE);
	assert_ptr_equal(p.part[LINUX_PART_KERNEL], payload + 2 * PAGE);
	assert_ptr_equal(p.part[LINUX_PART_INITRD], payload + 3 * PAGE);
	assert_false(linux_payload_read(&p, payload, sizeof(payload) - PAGE - 1));
	assert_false(linux_payload_read(&p, payload, PAGE));
	assert_false(linux_payload_is(payload, PAGE - 1));
	payload[7] ^= 1;
	assert_false(linux_payload_is(payload, sizeof(payload)));
}

TEST_F(start, NULL, test_a_payloads_kernel)
{
	struct linux_payload p = { .part = { [LINUX_PART_KERNEL] = image } };

	kernel.code = image;
	assert_null(linux_payload_kernel(&p, &kernel));
	assert_null(kernel.code);
	p.bytes[LINUX_PART_KERNEL] = BYTES;
	assert_null(linux_payload_kernel(&p, &kernel));
	assert_ptr_equal(kernel.code, image + CODE);
	p.bytes[LINUX_PART_KERNEL]--;
	assert_string_equal(linux_payload_kernel(&p, &kernel), "is truncated");
}

TEST(test_payloads_whose_sizes_are_wrong)
{
	uint8_t *payload = calloc(3, PAGE);
	struct linux_payload p;

	for (unsigned n = 0; n < LINUX_PARTS; n++) {
		uint64_t bytes[LINUX_PARTS] = { 0 };

		bytes[n] = 2 * PAGE;
		put_head(bytes, payload);
		assert_true(linux_payload_read(&p, payload, 3 * PAGE));
		assert_false(linux_payload_read(&p, payload, 3 * PAGE - 1));
		bytes[n] = UINT64_MAX;
		put_head(bytes, payload);
		assert_false(linux_payload_read(&p, payload, 3 * PAGE));
	}
	/* The file ends in the page of the first part: there is no room for another. */
	put_head((uint64_t[LINUX_PARTS]){ 1 }, payload);
	assert_true(linux_payload_read(&p, payload, PAGE + 1));
	put_head((uint64_t[LINUX_PARTS]){ 1, 1 }, payload);
	assert_false(linux_payload_read(&p, payload, PAGE + 1));
	free(payload);
}
