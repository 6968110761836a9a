/* SPDX-License-Identifier: BSD-2-Clause */
/* Device paths: what lasts, and which server. Nodes as UEFI 2.10, 10.3 has them. */
#include "core/firmware/boot_path.h"

#include <string.h>

#include "tests/unit/common/test.h"

static uint8_t path[400];
static size_t bytes;

static void add(uint8_t type, uint8_t subtype, const void *data, size_t count)
{
	path[bytes] = type;
	path[bytes + 1] = subtype;
	path[bytes + 2] = (uint8_t)(count + 4);
	path[bytes + 3] = 0;
	if (data)
		memcpy(path + bytes + 4, data, count);
	bytes += count + 4;
}

static void add_empty(uint8_t type, uint8_t subtype, size_t count)
{
	static const uint8_t zeros[60];

	add(type, subtype, zeros, count);
}

static int start(void **state)
{
	(void)state;
	bytes = 0;
	return 0;
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

static const uint8_t mac[32] = { 0x52, 0x54, 0, 0x12, 0x34, 0x56 };

/* As EDK2's HTTP boot: OVMF's, booted from a URI. */
static void add_http(bool is_static)
{
	static const char uri[] = "http://10.0.2.2/nf.efi";
	uint8_t v4[23] = { 10, 0, 2, 15 };

	v4[14] = is_static;
	memcpy(v4 + 15, (uint8_t[]){ 10, 0, 2, 2 }, 4);
	memcpy(v4 + 19, (uint8_t[]){ 255, 255, 255, 0 }, 4);
	add_root();
	add(3, 0x0b, mac, sizeof(mac));
	add(3, 0x0c, v4, sizeof(v4));
	add(3, 0x18, uri, sizeof(uri) - 1);
}

static enum boot_path_medium medium(void)
{
	return boot_path_medium(path, bytes);
}

#define TEST_PATH(name) TEST_F(start, NULL, name)

TEST_PATH(test_a_stick_lasts)
{
	add_root();
	add_empty(3, 5, 2); /* USB() */
	add_partition();
	assert_int_equal(medium(), BOOT_PATH_LASTS);
}

TEST_PATH(test_a_virtio_disk_lasts)
{
	add_root();
	add_partition();
	assert_int_equal(medium(), BOOT_PATH_LASTS);
}

TEST_PATH(test_a_ram_disk_does_not)
{
	add_empty(4, 9, 34); /* RamDisk() */
	assert_int_equal(medium(), BOOT_PATH_RAM_DISK);
	add_empty(4, 2, 20); /* CDROM() */
	assert_int_equal(medium(), BOOT_PATH_RAM_DISK);
}

/* Ventoy's, and what else a boot loader makes up. */
TEST_PATH(test_a_vendors_node_alone_is_open)
{
	add_empty(1, 4, 30);
	assert_int_equal(medium(), BOOT_PATH_UNPROVED);
	add_partition();
	assert_int_equal(medium(), BOOT_PATH_UNPROVED);
}

/* U-Boot's root, and then a bus. */
TEST_PATH(test_a_vendors_node_before_a_bus_lasts)
{
	add_empty(1, 4, 16);
	add_empty(3, 0x1a, 1); /* SD() */
	add_partition();
	assert_int_equal(medium(), BOOT_PATH_LASTS);
}

TEST_PATH(test_memory_and_nothing_are_open)
{
	assert_int_equal(medium(), BOOT_PATH_UNPROVED);
	add_empty(1, 3, 20); /* MemoryMapped() */
	assert_int_equal(medium(), BOOT_PATH_UNPROVED);
}

TEST_PATH(test_what_comes_from_a_network_card_does_not)
{
	add_http(false);
	assert_int_equal(medium(), BOOT_PATH_DOWNLOADED);
}

TEST_PATH(test_a_disk_behind_a_network_card_lasts)
{
	add_root();
	add(3, 0x0b, mac, sizeof(mac));
	add_empty(3, 0x0c, 23);
	add_empty(3, 0x13, 20); /* iSCSI() */
	add_partition();
	assert_int_equal(medium(), BOOT_PATH_LASTS);
}

TEST_PATH(test_a_server)
{
	struct boot_path_server s;

	add_http(false);
	assert_true(boot_path_server(path, bytes, &s));
	assert_int_equal(s.uri_bytes, 22);
	assert_memory_equal(s.uri, "http://10.0.2.2/nf.efi", 22);
	assert_memory_equal(s.mac, mac, 6);
	assert_memory_equal(s.address.bytes, ((uint8_t[]){ 10, 0, 2, 15 }), 4);
	assert_memory_equal(s.gateway.bytes, ((uint8_t[]){ 10, 0, 2, 2 }), 4);
	assert_memory_equal(s.mask.bytes, ((uint8_t[]){ 255, 255, 255, 0 }), 4);
	assert_false(s.is_static);
	bytes = 0;
	add_http(true);
	assert_true(boot_path_server(path, bytes, &s) && s.is_static);
}

TEST_PATH(test_a_server_by_ipv6)
{
	uint8_t v6[56] = { 0x20, 1, 0xd, 0xb8, [15] = 1, [38] = 1 };
	struct boot_path_server s;

	add(3, 0x0d, v6, sizeof(v6));
	add(3, 0x18, "http://h/", 9);
	assert_true(boot_path_server(path, bytes, &s));
	assert_int_equal(s.address.family, IPADDR_V6);
	assert_memory_equal(s.address.bytes, v6, 16);
	assert_int_equal(s.gateway.family, IPADDR_NONE);
	assert_null(s.mac);
}

/* UEFI before 2.0 has neither gateway nor mask in it. */
TEST_PATH(test_short_nodes)
{
	struct boot_path_server s;

	add_empty(3, 0x0b, 5);
	add(3, 0x0c, (uint8_t[15]){ 10, 0, 0, 1 }, 15);
	add(3, 0x18, "http://h/", 9);
	assert_true(boot_path_server(path, bytes, &s));
	assert_null(s.mac);
	assert_int_equal(s.address.family, IPADDR_V4);
	assert_int_equal(s.mask.family, IPADDR_NONE);
}

TEST_PATH(test_no_server)
{
	struct boot_path_server s;

	add_root();
	add_partition();
	assert_false(boot_path_server(path, bytes, &s));
	add(3, 0x18, NULL, 0);
	assert_false(boot_path_server(path, bytes, &s));
}

TEST_PATH(test_a_node_that_is_cut_off)
{
	struct boot_path_server s;

	add_http(false);
	assert_false(boot_path_server(path, bytes - 1, &s));
}
