/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads and checks kernel images and payloads, and fills in boot_params. */
#include "linux_boot.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SECTOR        512u
#define BOOT_FLAG     0xaa55u
#define VERSION_LEAST 0x20cu /* the first with LINUX_FLAGS */
#define HAS_64        0x01u  /* XLF_KERNEL_64 */
#define LOADER_OTHER  0xffu
#define PAGE          ((uint64_t)LINUX_PAYLOAD_PAGE)
#define ALIGNMENT_MAX (UINT64_C(1) << 30)

const char *linux_image_read(struct linux_image *k, const uint8_t *image, size_t bytes)
{
	size_t setup;

	if (bytes < LINUX_HEADER_END || bytes_le16(image + LINUX_BOOT_FLAG) != BOOT_FLAG ||
	    bytes_le32(image + LINUX_MAGIC) != LINUX_MAGIC_VALUE)
		return "is no bzImage of Linux";
	if (bytes_le16(image + LINUX_VERSION) < VERSION_LEAST ||
	    !(bytes_le16(image + LINUX_FLAGS) & HAS_64))
		return "has no 64-bit entry";
	if (!image[LINUX_RELOCATABLE])
		return "is not relocatable";
	setup = (image[LINUX_HEADER] + 1u) * SECTOR;
	*k = (struct linux_image){ .header = image,
				   .run_bytes = bytes_le32(image + LINUX_RUN_BYTES),
				   .alignment = bytes_le32(image + LINUX_ALIGNMENT),
				   .command_max = bytes_le32(image + LINUX_COMMAND_MAX) };
	if (bytes < setup + LINUX_ENTRY + SECTOR)
		return "is truncated";
	k->code = image + setup;
	k->code_bytes = bytes - setup;
	if (k->run_bytes < k->code_bytes)
		k->run_bytes = k->code_bytes;
	if (k->alignment < PAGE || k->alignment > ALIGNMENT_MAX ||
	    k->alignment & (k->alignment - 1))
		return "has an alignment that is no power of two from 4 KiB to 1 GiB";
	return NULL;
}

uint64_t linux_params_split(const uint8_t *params, size_t low, size_t high)
{
	return bytes_le32(params + low) | (uint64_t)bytes_le32(params + high) << 32;
}

/* Store what linux_params_split() reads. */
static void put_split(uint8_t *params, size_t low, size_t high, uint64_t value)
{
	bytes_put_le32(params + low, (uint32_t)value);
	bytes_put_le32(params + high, (uint32_t)(value >> 32));
}

void linux_params_set(uint8_t params[LINUX_PARAMS_BYTES], const struct linux_image *k,
		      const struct linux_start *s)
{
	size_t end = LINUX_MAGIC + k->header[LINUX_HEADER_BYTES];

	if (end > LINUX_HEADER_END)
		end = LINUX_HEADER_END;
	memset(params + LINUX_HEADER, 0, LINUX_HEADER_END - LINUX_HEADER);
	memcpy(params + LINUX_HEADER, k->header + LINUX_HEADER, end - LINUX_HEADER);
	/* Without this, Linux clears fields that an old loader would not know. */
	params[LINUX_SENTINEL] = 0;
	params[LINUX_LOADER] = LOADER_OTHER;
	bytes_put_le64(params + LINUX_SETUP_DATA, s->setup_data);
	put_split(params, LINUX_INITRD, LINUX_EXT_INITRD, s->initrd);
	put_split(params, LINUX_INITRD_BYTES, LINUX_EXT_INITRD_BYTES, s->initrd_bytes);
	put_split(params, LINUX_COMMAND, LINUX_EXT_COMMAND, s->command);
}

bool linux_payload_is(const uint8_t *payload, uint64_t bytes)
{
	return bytes >= LINUX_PAYLOAD_PAGE &&
	       !memcmp(payload, LINUX_PAYLOAD_MAGIC, sizeof(LINUX_PAYLOAD_MAGIC) - 1);
}

bool linux_payload_read(struct linux_payload *p, const uint8_t *payload, uint64_t bytes)
{
	uint64_t at = PAGE;

	for (unsigned n = 0; n < LINUX_PARTS; n++) {
		p->part[n] = payload + at;
		p->bytes[n] = bytes_le64(payload + 8 + 8 * n);
		if (p->bytes[n] > bytes - at)
			return false;
		at += (p->bytes[n] + PAGE - 1) & ~(PAGE - 1);
		/* The file may end before the last page does. */
		at = at < bytes ? at : bytes;
	}
	return true;
}

const char *linux_payload_kernel(const struct linux_payload *p, struct linux_image *k)
{
	*k = (struct linux_image){ 0 };
	return p->bytes[LINUX_PART_KERNEL] ? linux_image_read(k, p->part[LINUX_PART_KERNEL],
							      p->bytes[LINUX_PART_KERNEL])
					   : NULL;
}
