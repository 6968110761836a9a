/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linux's boot protocol for x86-64: a kernel image (bzImage), boot_params, and the payload with
 * which `noisefloor boot once --kexec` has the probe start a Linux. All three are hostile input.
 * Sources: Linux, Documentation/arch/x86/boot.rst and zero-page.rst,
 * arch/x86/include/uapi/asm/bootparam.h, include/uapi/linux/screen_info.h.
 *
 * A payload has a page with its head, and then its parts, each on whole pages:
 *
 *   offset 0   LINUX_PAYLOAD_MAGIC
 *          8   bytes of each part in the order of enum linux_part, 64 bits each
 *
 * Numbers are little-endian. A payload whose kernel is empty is a configuration alone.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets in boot_params; those from LINUX_HEADER to LINUX_HEADER_END are in an image as well. */
enum linux_params {
	LINUX_RSDP = 0x70,
	LINUX_EXT_INITRD = 0xc0,
	LINUX_EXT_INITRD_BYTES = 0xc4,
	LINUX_EXT_COMMAND = 0xc8,
	LINUX_EFI_MAP = 0x1d0,
	LINUX_EFI_MAP_BYTES = 0x1d4,
	LINUX_EXT_EFI_MAP = 0x1dc,
	LINUX_RANGES = 0x1e8,
	LINUX_SENTINEL = 0x1ef,
	LINUX_HEADER = 0x1f1, /* in an image: the number of its first sectors, less 1 */
	LINUX_BOOT_FLAG = 0x1fe,
	LINUX_HEADER_BYTES = 0x201, /* from LINUX_MAGIC on */
	LINUX_MAGIC = 0x202,
	LINUX_VERSION = 0x206,
	LINUX_LOADER = 0x210,
	LINUX_INITRD = 0x218,
	LINUX_INITRD_BYTES = 0x21c,
	LINUX_COMMAND = 0x228,
	LINUX_ALIGNMENT = 0x230,
	LINUX_RELOCATABLE = 0x234,
	LINUX_FLAGS = 0x236,
	LINUX_COMMAND_MAX = 0x238,
	LINUX_SETUP_DATA = 0x250,
	LINUX_RUN_BYTES = 0x260,
	LINUX_HEADER_END = 0x290,
	LINUX_MAP = 0x2d0,
	LINUX_PARAMS_BYTES = 4096,
};

#define LINUX_MAGIC_VALUE 0x53726448u /* "HdrS" */
#define LINUX_BY_KEXEC    0xdu        /* the upper half of LINUX_LOADER; the lower is a version */

/* ACPI's address range types (ACPI 6.5, table 15.4), and memory that Linux keeps setup_data in. */
enum {
	LINUX_TYPE_MEMORY = 1,
	LINUX_TYPE_RESERVED,
	LINUX_TYPE_ACPI,
	LINUX_TYPE_NVS,
	LINUX_TYPE_LINUX = 128
};

/*
 * Common beginning of struct hvm_memmap_table_entry and all of Linux's struct boot_e820_entry,
 * whose types are the same.
 */
struct linux_range {
	uint64_t address, bytes;
	uint32_t type;
} __attribute__((packed));

/* A node of setup_data begins with the address of the next one, its type, and its bytes. */
struct linux_node {
	uint64_t next;
	uint32_t type, bytes;
};

#define LINUX_NODE_RANGES 1u      /* SETUP_E820_EXT */
#define LINUX_NODE_REPORT 0x4e46u /* ours; a report, core/keep/saved_run.h */

/* ---- A kernel image ---- */

struct linux_image {
	const uint8_t *header; /* the image; LINUX_HEADER_END bytes are there */
	const uint8_t *code;   /* the kernel, to be copied to a multiple of `alignment` */
	size_t code_bytes;
	uint64_t run_bytes, alignment; /* run_bytes: memory that it needs there */
	uint32_t command_max;          /* bytes of the command line, without its NUL */
};

/* Offset of the 64-bit entry from the start of the kernel. */
#define LINUX_ENTRY 0x200u

/* Returns NULL, or why it is not such a kernel, as in "has no 64-bit entry". */
const char *linux_image_read(struct linux_image *k, const uint8_t *image, size_t bytes);

/* ---- boot_params ---- */

/* Read an address or a size whose two halves are at these offsets. */
uint64_t linux_params_split(const uint8_t *params, size_t low, size_t high);

/* Addresses are physical. */
struct linux_start {
	uint64_t command;
	uint64_t initrd, initrd_bytes;
	uint64_t setup_data; /* the first node; the last one leads to those of `params` */
};

/*
 * Make `params`, which are those of another kernel, start this one. The description of the machine
 * is not changed.
 */
void linux_params_set(uint8_t params[LINUX_PARAMS_BYTES], const struct linux_image *k,
		      const struct linux_start *s);

/* ---- A payload ---- */

#define LINUX_PAYLOAD_MAGIC "NFLINUX1"
#define LINUX_PAYLOAD_PAGE  4096u

enum linux_part {
	LINUX_PART_CONFIG,
	LINUX_PART_COMMAND,
	LINUX_PART_KERNEL,
	LINUX_PART_INITRD,
	LINUX_PARTS
};

struct linux_payload {
	const uint8_t *part[LINUX_PARTS];
	uint64_t bytes[LINUX_PARTS];
};

/* True if it begins with a payload's head, unlike an ordinary initrd. */
bool linux_payload_is(const uint8_t *payload, uint64_t bytes);

/* Find the parts. False: the payload is truncated. */
bool linux_payload_read(struct linux_payload *p, const uint8_t *payload, uint64_t bytes);

/* Like linux_image_read(), for the payload's kernel. If there is none, *k is zeroed. */
const char *linux_payload_kernel(const struct linux_payload *p, struct linux_image *k);
