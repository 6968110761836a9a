/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial ports of the namespace: AML built from ACPI 6.5, chapters 6.4 and 20, QEMU's own, and
 * lies. */
#include "core/firmware/acpi.h"
#include "tests/unit/common/test.h"
#include "tests/unit/physical.h"

#include <stdio.h>
#include <string.h>

#define HEADER      36u
#define TABLE_MAX   4096u
#define CHECKSUM_AT 9u
#define QEMU_DSDT   "tests/data/acpi/qemu-virt-tpm.bin"

/* Each has its bytes and, by sizeof(), one more. */
#define PNP0501   "\x08_HID\x0c\x41\xd0\x05\x01"
#define PNP0500   "\x08_HID\x0c\x41\xd0\x05\x00"
#define PNP0400   "\x08_HID\x0c\x41\xd0\x04\x00" /* a printer's port */
#define PNP0501_S "\x08_HID\15PNP0501\0"
#define ARMH0011  "\x08_HID\15ARMH0011\0"
#define ARMHB000  "\x08_HID\15ARMHB000\0"
#define IO(base)  "\x47\x01" base base "\x00\x08"
#define COM1      IO("\xf8\x03")
#define COM2      IO("\xf8\x02")
#define COM3      IO("\xe8\x03")
#define COM4      IO("\xe8\x02")
#define FIXED1    "\x4b\xf8\x03\x08"
#define MEMORY    "\x86\x09\0\x01\0\0\x21\x02\0\x10\0\0" /* 0x02210000 */
#define BYTES(s)  s, sizeof(s) - 1

static struct physical memory;
static struct acpi_info info;
static uint8_t aml[TABLE_MAX];
static uint32_t used;

static int setup(void **state)
{
	(void)state;
	physical_reset(&memory);
	memset(&info, 0, sizeof(info));
	used = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	physical_reset(&memory);
	return 0;
}

static void add(const char *bytes, size_t count)
{
	assert_true(used + count <= sizeof(aml));
	memcpy(aml + used, bytes, count);
	used += (uint32_t)count;
}

/* ExtOpPrefix, DeviceOp, a length of two bytes, a name, the rest; 20.2.4. */
static void add_device(const char *body, size_t count)
{
	uint32_t all = (uint32_t)count + 2 + 4;
	const char length[] = { (char)(0x40 | (all & 0xf)), (char)(all >> 4) };

	add(BYTES("\x5b\x82"));
	add(length, 2);
	add(BYTES("UAR1"));
	add(body, count);
}

/* Of what was added, in physical memory that ends there. */
static uint64_t add_table(const char *signature)
{
	uint64_t table = physical_alloc(&memory, HEADER + used);

	memcpy(physical_at(&memory, table), signature, 4);
	physical_put(&memory, table + 4, 4, HEADER + used);
	memcpy(physical_at(&memory, table + HEADER), aml, used);
	physical_sum(&memory, table, HEADER + used, CHECKSUM_AT);
	used = 0;
	return table;
}

static void search(uint64_t table)
{
	struct acpi_memory from = physical_memory(&memory);

	acpi_serial_find(&info, &from, physical_list(&memory, &table, 1));
}

static void search_added(void)
{
	search(add_table("SSDT"));
}

static void search_device(const char *body, size_t count)
{
	setup(NULL);
	add_device(body, count);
	search_added();
}

static void assert_coms(uint32_t count, const uint16_t *base)
{
	assert_int_equal(info.serials, count);
	for (uint32_t i = 0; i < count; i++) {
		const struct serial_port *p = &info.serial[i];

		assert_int_equal(p->base, base[i]);
		assert_int_equal(p->kind, SERIAL_PORT_16550);
		assert_false(p->mmio || p->is_set_up);
		assert_int_equal(p->stride, 1);
		assert_int_equal(p->access, 1);
		assert_string_equal(p->from, "the ACPI namespace");
	}
}

static void assert_only_com1(void)
{
	assert_coms(1, (const uint16_t[]){ 0x3f8 });
}

TEST_F(setup, teardown, test_ids)
{
	search_device(BYTES(PNP0501 COM1));
	assert_only_com1();
	search_device(BYTES(PNP0500 COM1));
	assert_only_com1();
	search_device(BYTES(PNP0501_S COM1));
	assert_only_com1();
	search_device(BYTES(PNP0501 FIXED1));
	assert_only_com1();
	search_device(BYTES(PNP0400 COM1));
	assert_int_equal(info.serials, 0);
}

/* COM1 first, whichever the tables name first; those of _PRS are listed too: the ports decide. */
TEST_F(setup, teardown, test_order)
{
	add_device(BYTES(PNP0501 COM4 COM2));
	add_device(BYTES(PNP0400 COM3));
	add_device(BYTES(PNP0501 COM1 COM2));
	search_added();
	assert_coms(3, (const uint16_t[]){ 0x3f8, 0x2f8, 0x2e8 });
}

/* What a table has named is not named again. */
TEST_F(setup, teardown, test_known)
{
	info.serials = 1;
	info.serial[0] = (struct serial_port){ .kind = SERIAL_PORT_16550, .base = 0x3f8 };
	add_device(BYTES(PNP0501 COM1));
	search_added();
	assert_int_equal(info.serials, 1);
	assert_null(info.serial[0].from);
}

/* Too few ports, one of several, no COM port; another device's; not in a device; cut off. */
TEST_F(setup, teardown, test_none)
{
	static const struct {
		const char *body;
		size_t bytes;
	} rows[] = {
		{ BYTES(PNP0501 "\x47\x01\xf8\x03\xf8\x03\x00\x07") },
		{ BYTES(PNP0501 "\x47\x01\x00\x02\xf8\x03\x08\x08") },
		{ BYTES(PNP0501 IO("\xf0\x03")) },
		{ BYTES(PNP0501 "\x47\x01\xf8\x03\xf8\x03\x00") },
		{ BYTES(PNP0501 "\x4b\xf8\x03\x07") },
		{ BYTES(PNP0501 "\x4b\xf8\x03") },
		{ BYTES(ARMH0011 "\x86\x09\0\x01\0\0\x21\x02\0\x10\0") },
		{ BYTES(ARMH0011 COM1) },
		{ BYTES(ARMH0011 "\x86\x09\0\x01\0\0\0\0\0\x10\0\0") },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		search_device(rows[i].body, rows[i].bytes);
		assert_int_equal(info.serials, 0);
	}
	setup(NULL);
	add(BYTES(PNP0501 COM1));
	search_added();
	assert_int_equal(info.serials, 0);
}

TEST_F(setup, teardown, test_wrong_checksum)
{
	uint64_t table;

	add_device(BYTES(PNP0501 COM1));
	table = add_table("SSDT");
	*physical_at(&memory, table + CHECKSUM_AT) ^= 1;
	search(table);
	assert_int_equal(info.serials, 0);
}

TEST_F(setup, teardown, test_pl011)
{
	static const char *const bodies[] = { ARMH0011 MEMORY, ARMHB000 MEMORY };

	for (unsigned i = 0; i < 2; i++) {
		search_device(bodies[i], sizeof(ARMH0011 MEMORY) - 1);
		assert_int_equal(info.serials, 1);
		assert_int_equal(info.serial[0].kind, SERIAL_PORT_PL011);
		assert_int_equal(info.serial[0].base, 0x02210000);
		assert_true(info.serial[0].mmio);
		assert_int_equal(info.serial[0].access, 4);
	}
}

/* Its board `virt` has the UART at 0x09000000: hw/arm/virt.c. */
TEST_F(setup, teardown, test_qemu)
{
	static uint8_t file[65536];
	FILE *f = fopen(QEMU_DSDT, "rb");
	size_t bytes;
	uint64_t table;

	assert_non_null(f);
	bytes = fread(file, 1, sizeof(file), f);
	fclose(f);
	assert_in_range(bytes, HEADER, sizeof(file) - 1);
	table = physical_alloc(&memory, (uint32_t)bytes);
	memcpy(physical_at(&memory, table), file, bytes);
	search(table);
	assert_int_equal(info.serials, 1);
	assert_int_equal(info.serial[0].kind, SERIAL_PORT_PL011);
	assert_int_equal(info.serial[0].base, 0x09000000);
}

TEST_F(setup, teardown, test_words)
{
	static const struct {
		struct serial_port port;
		const char *text;
	} rows[] = {
		{ { .name = "16550", .from = "SPCR", .base = 0x2f8 },
		  "16550 at I/O port 0x2f8 (COM2), by SPCR" },
		{ { .name = "16550", .from = "DBG2", .base = 0x400 },
		  "16550 at I/O port 0x400, by DBG2" },
		{ { .name = "PL011", .from = "the device tree", .mmio = true, .base = 0x3f8 },
		  "PL011 at 0x3f8, by the device tree" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_DEFINE(t, 100);

		serial_port_print(&t, &rows[i].port);
		assert_string_equal(t.buf, rows[i].text);
	}
}
