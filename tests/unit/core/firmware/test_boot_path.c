/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Device paths: media that last, boot servers, and the targets of boot entries, in the forms that
 * firmware writes. Nodes are those of UEFI 2.10, 10.3.
 */
#include "core/firmware/boot_path.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/common/test.h"

struct path {
	uint8_t bytes[600];
	size_t count;
};

static void node(struct path *p, uint8_t type, uint8_t subtype, const void *data, size_t bytes)
{
	p->bytes[p->count] = type;
	p->bytes[p->count + 1] = subtype;
	p->bytes[p->count + 2] = (uint8_t)(bytes + 4);
	p->bytes[p->count + 3] = (uint8_t)((bytes + 4) >> 8);
	if (bytes)
		memcpy(p->bytes + p->count + 4, data, bytes);
	p->count += bytes + 4;
}

static struct path path;

static void add(uint8_t type, uint8_t subtype, const void *data, size_t count)
{
	node(&path, type, subtype, data, count);
}

static void add_empty(uint8_t type, uint8_t subtype, size_t count)
{
	static const uint8_t zeros[60];

	add(type, subtype, zeros, count);
}

static void start(void)
{
	path.count = 0;
}

static void add_root(void)
{
	add_empty(2, 1, 8); /* PciRoot() */
	add_empty(1, 1, 2); /* Pci() */
}

static void add_partition(void)
{
	add_empty(4, 1, 38); /* HD() */
}

static const uint8_t card[32] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };

/* Add the path that OVMF's HTTP boot from a URI has. */
static void add_http(void)
{
	static const char uri[] = "http://10.0.2.2/nf.efi";
	uint8_t v4[23] = { 10, 0, 2, 15 };

	memcpy(v4 + 15, (uint8_t[]){ 10, 0, 2, 2 }, 4);
	memcpy(v4 + 19, (uint8_t[]){ 255, 255, 255, 0 }, 4);
	add_root();
	add(3, 0x0b, card, sizeof(card));
	add(3, 0x0c, v4, sizeof(v4));
	add(3, 0x18, uri, sizeof(uri) - 1);
}

/* Each node has its type, its subtype and the bytes of its data. */
TEST(test_media)
{
	static const struct {
		uint8_t node[6][3];
		enum boot_path_medium medium;
	} rows[] = {
#define ROOT { 2, 1, 8 }, { 1, 1, 2 } /* PciRoot(), Pci() */
#define HD               \
	{                \
		4, 1, 38 \
	}
		{ { ROOT, { 3, 5, 2 }, HD }, BOOT_PATH_LASTS }, /* USB() */
		{ { ROOT, HD }, BOOT_PATH_LASTS },              /* a virtio disk */
		{ { { 4, 9, 34 } }, BOOT_PATH_RAM_DISK },
		{ { { 4, 9, 34 }, { 4, 2, 20 } }, BOOT_PATH_RAM_DISK }, /* CDROM() */
		/* Paths that Ventoy and other boot loaders make up. */
		{ { { 1, 4, 30 } }, BOOT_PATH_UNPROVED },
		{ { { 1, 4, 30 }, HD }, BOOT_PATH_UNPROVED },
		/* U-Boot's root, then a bus, SD(). */
		{ { { 1, 4, 16 }, { 3, 0x1a, 1 }, HD }, BOOT_PATH_LASTS },
		{ { { 0 } }, BOOT_PATH_UNPROVED },
		{ { { 1, 3, 20 } }, BOOT_PATH_UNPROVED }, /* MemoryMapped() */
		/* MAC(), IPv4(), URI(); then the same with iSCSI() behind them. */
		{ { ROOT, { 3, 11, 32 }, { 3, 12, 23 }, { 3, 24, 22 } }, BOOT_PATH_DOWNLOADED },
		{ { ROOT, { 3, 11, 32 }, { 3, 12, 23 }, { 3, 19, 20 }, HD }, BOOT_PATH_LASTS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		start();
		for (size_t n = 0; n < 6 && rows[i].node[n][0]; n++)
			add_empty(rows[i].node[n][0], rows[i].node[n][1], rows[i].node[n][2]);
		if (boot_path_medium(path.bytes, path.count) != rows[i].medium)
			fail_msg("row %zu", i);
	}
}

TEST_F(start, NULL, test_a_server)
{
	struct boot_path_server s;

	add_http();
	assert_true(boot_path_server(path.bytes, path.count, &s));
	assert_int_equal(s.uri_bytes, 22);
	assert_memory_equal(s.uri, "http://10.0.2.2/nf.efi", 22);
	assert_memory_equal(s.mac, card, 6);
	assert_memory_equal(s.address.bytes, ((uint8_t[]){ 10, 0, 2, 15 }), 4);
	assert_memory_equal(s.mask.bytes, ((uint8_t[]){ 255, 255, 255, 0 }), 4);
}

TEST_F(start, NULL, test_a_server_by_ipv6)
{
	uint8_t v6[56] = { 0x20, 1, 0xd, 0xb8, [15] = 1, [38] = 1 };
	struct boot_path_server s;

	add(3, 0x0d, v6, sizeof(v6));
	add(3, 0x18, "http://h/", 9);
	assert_true(boot_path_server(path.bytes, path.count, &s));
	assert_int_equal(s.address.family, IPADDR_V6);
	assert_memory_equal(s.address.bytes, v6, 16);
	assert_null(s.mac);
}

/* IPv4 nodes of UEFI before 2.0 have no mask. */
TEST_F(start, NULL, test_short_nodes)
{
	struct boot_path_server s;

	add_empty(3, 0x0b, 5);
	add(3, 0x0c, (uint8_t[15]){ 10, 0, 0, 1 }, 15);
	add(3, 0x18, "http://h/", 9);
	assert_true(boot_path_server(path.bytes, path.count, &s));
	assert_null(s.mac);
	assert_int_equal(s.address.family, IPADDR_V4);
	assert_int_equal(s.mask.family, IPADDR_NONE);
}

TEST_F(start, NULL, test_no_server)
{
	struct boot_path_server s;

	add_root();
	add_partition();
	assert_false(boot_path_server(path.bytes, path.count, &s));
	add(3, 0x18, NULL, 0);
	assert_false(boot_path_server(path.bytes, path.count, &s));
}

TEST_F(start, NULL, test_a_node_that_is_cut_off)
{
	struct boot_path_server s;

	add_http();
	assert_false(boot_path_server(path.bytes, path.count - 1, &s));
}

/* USB 2.0, table 9-8: the ids are in bytes 8 to 11. */
TEST(test_virtual_sticks)
{
	static const struct {
		uint8_t ids[4];
		bool is_virtual;
	} rows[] = {
		{ { 0x6b, 0x04, 0x31, 0xff }, true },  { { 0x6b, 0x1d, 0x04, 0x01 }, true },
		{ { 0xf4, 0x46, 0x01, 0x00 }, false }, /* QEMU's */
		{ { 0x81, 0x07, 0x67, 0x55 }, false }, /* SanDisk's Cruzer Blade */
		{ { 0x6b, 0x04, 0x10, 0xff }, false }, /* a keyboard of AMI's */
		{ { 0x6b, 0x1d, 0x03, 0x00 }, false }, /* Linux' root hub */
		{ { 0x31, 0xff, 0x6b, 0x04 }, false }, { { 0, 0, 0, 0 }, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t descriptor[BOOT_PATH_USB_BYTES] = { 18, 1, 0, 2, 0, 0, 0, 64 };

		memcpy(descriptor + 8, rows[i].ids, 4);
		assert_int_equal(boot_path_virtual_stick(descriptor), rows[i].is_virtual);
	}
}

/* Boot entries */

static const uint8_t guid_a[16 + 1] = "partition-a-0001", guid_b[16 + 1] = "partition-b-0002";

static void disk(struct path *p, const uint8_t guid[16])
{
	uint8_t data[38] = { 1 };

	memcpy(data + 20, guid, 16);
	data[36] = data[37] = 2;
	node(p, 4, 1, data, sizeof(data));
}

static void file(struct path *p, const char *name, size_t chars)
{
	uint8_t wide[200] = { 0 };

	for (size_t i = 0; i < chars; i++)
		wide[2 * i] = (uint8_t)name[i];
	node(p, 4, 4, wide, 2 * (chars + 1));
}

/* Add the node of a word: a device, which may have a number, or the path of a file. */
static void add_word(struct path *p, const char *word, size_t chars)
{
	const uint8_t root[8] = { 0xd0, 0x41, 3, 0x0a }, usb[7] = { 0xff, 0xff, 0xff, 0xff, 8 };
	uint8_t number = (uint8_t)(word[chars - 1] - '0');

	if (!strncmp(word, "pci", 3)) {
		node(p, 2, 1, root, sizeof(root));
		node(p, 1, 1, (uint8_t[]){ 0, number }, 2);
	} else if (!strncmp(word, "mac", 3)) {
		node(p, 3, 11, card, sizeof(card));
		node(p, 3, 12, (uint8_t[23]){ 10, 0, 0, number }, 23);
	} else if (!strncmp(word, "usb", 3)) {
		node(p, 3, 15, usb, sizeof(usb));
	} else if (!strncmp(word, "disk-", 5)) {
		disk(p, word[5] == 'a' ? guid_a : guid_b);
	} else {
		file(p, word, chars);
	}
}

/* A path of the words between blanks, with its end. */
static struct path path_of(const char *words)
{
	struct path p = { .count = 0 };

	for (size_t chars; *words; words += chars + (words[chars] == ' ')) {
		chars = strcspn(words, " ");
		add_word(&p, words, chars);
	}
	node(&p, 0x7f, 0xff, NULL, 0);
	return p;
}

/* Make a load option with a name, the path and optional data, in a block of its exact size. */
static bool leads(const struct path *to, const struct path *image, bool folder_only)
{
	static const uint8_t name[] = { 'd', 0, 'i', 0, 's', 0, 'k', 0, 0, 0 };
	size_t bytes = 6 + sizeof(name) + to->count + 3;
	uint8_t *option = calloc(1, bytes);
	bool result;

	assert_non_null(option);
	option[4] = (uint8_t)to->count;
	option[5] = (uint8_t)(to->count >> 8);
	memcpy(option + 6, name, sizeof(name));
	memcpy(option + 6 + sizeof(name), to->bytes, to->count);
	result = boot_path_option_leads(option, bytes, image->bytes, image->count, folder_only);
	/* An option that is cut short anywhere leads nowhere, and is not read past its end. */
	for (size_t cut = 0; cut < bytes - 3; cut++) {
		uint8_t *less = malloc(cut ? cut : 1);

		memcpy(less, option, cut);
		assert_false(
			boot_path_option_leads(less, cut, image->bytes, image->count, folder_only));
		free(less);
	}
	free(option);
	return result;
}

#define OURS  "\\EFI\\noisefloor\\noisefloor.efi"
#define IMAGE "pci3 disk-a " OURS
#define STICK "pci3 disk-a \\EFI\\BOOT\\BOOTX64.EFI"

TEST(test_boot_entries)
{
	static const struct {
		const char *entry, *image;
		bool folder_only, leads;
	} rows[] = {
		/* A file on a partition. Upper and lower case are the same. */
		{ "disk-a " OURS, IMAGE, false, true },
		{ IMAGE, IMAGE, false, true },
		{ "disk-b " OURS, IMAGE, false, false },
		{ "disk-a \\EFI\\debian\\grubx64.efi", IMAGE, false, false },
		{ "disk-a \\efi\\az.efi", "pci3 disk-a \\EFI\\AZ.EFI", false, true },
		/* The path is split over several nodes. */
		{ "disk-a " OURS, "pci3 disk-a \\EFI noisefloor\\ \\noisefloor.efi", false, true },
		/* An entry of a device alone starts the default file there. */
		{ "pci3", STICK, false, true },
		{ "usb", STICK, false, true },
		{ "pci4", STICK, false, false },
		/* The default file is GRUB, and has loaded this image. */
		{ "pci3", IMAGE, false, false },
		{ "usb", IMAGE, false, false },
		/* Shim. */
		{ "disk-a \\EFI\\noisefloor\\shimx64.efi", IMAGE, false, false },
		{ "disk-a \\EFI\\noisefloor\\shimx64.efi", IMAGE, true, true },
		{ "disk-a \\EFI\\debian\\shimx64.efi", IMAGE, true, false },
		/* The network; the last two are paths as iPXE makes them. */
		{ "pci2 mac0", "pci2 mac5", false, true },
		{ "pci3 mac0", "pci2 mac5", false, false },
		{ "pci2 mac0", "pci2 mac0 \\noisefloor.efi", false, true },
		{ "pci3 mac0", "pci2 mac0 \\noisefloor.efi", false, false },
		/* A path of nothing but its end fits any device: the file decides. */
		{ "", IMAGE, false, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct path entry = path_of(rows[i].entry), image = path_of(rows[i].image);

		if (leads(&entry, &image, rows[i].folder_only) != rows[i].leads)
			fail_msg("row %zu", i);
	}
}

TEST(test_a_paths_length)
{
	struct path p = path_of("pci2");

	assert_int_equal(boot_path_bytes(p.bytes, sizeof(p.bytes)), p.count - 4);
	/* Paths cut in a node and in a head, and a length below that of a head. */
	assert_int_equal(boot_path_bytes(p.bytes, p.count - 5), 12);
	assert_int_equal(boot_path_bytes(p.bytes, 15), 12);
	assert_int_equal(boot_path_bytes(p.bytes, 3), 0);
	p.bytes[12 + 2] = 3;
	assert_int_equal(boot_path_bytes(p.bytes, sizeof(p.bytes)), 12);
}

/* Lengths that lead out of the path, or to nowhere. */
TEST(test_nonsense)
{
	struct path image = path_of(IMAGE), zero = { .count = 8 }, far = path_of("disk-a " OURS);

	assert_false(leads(&zero, &image, false));
	far.bytes[2] = 0xff;
	far.bytes[3] = 0xff;
	assert_false(leads(&far, &image, false));
	assert_false(boot_path_option_leads("", 0, image.bytes, image.count, false));
}
