/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Registers of a TPM and of virtio devices, found by their devices in AML: as built from ACPI 6.5,
 * chapters 6.4 and 20, as QEMU has it, and broken.
 */
#include "core/firmware/acpi_table.h"
#include "tests/unit/described.h"

#include <stdio.h>
#include <string.h>

#define HEADER      36u
#define TABLE_MAX   (1u << 20)
#define CHECKSUM_AT 9u
#define X_DSDT      140u
#define FADT_BYTES  148u
#define FIFO        6u

#define AT 0x0c000000u /* the address in the descriptors below */

/* sizeof() of each string counts a NUL, too. */
#define NAME_TPM0 "TPM0"
#define HID       "\x08_HID\x0dMSFT0101\0"
#define STR       "\x08_STR\x0dTPM 2.0 Device\0"
#define UID       "\x08_UID\0"
#define MEMORY    "\x86\x09\0\x01\0\0\0\x0c\0\x50\0\0"
#define END       "\x79\0"
#define CRS       "\x08_CRS\x11\x11\x0a\x0e" MEMORY END
#define FILL_16   "0123456789abcdef"
#define FILL_64   FILL_16 FILL_16 FILL_16 FILL_16
#define ARMH0011  "\x08_HID\15ARMH0011\0"
#define COM1      "\x47\x01\xf8\x03\xf8\x03\x00\x08"
#define UART      "\x86\x09\0\x01\0\0\x21\x02\0\x10\0\0" /* 0x02210000 */
#define BYTES(s)  s, sizeof(s) - 1

static struct acpi_info info;
static uint8_t aml[TABLE_MAX];
static uint32_t used;

static void setup(void)
{
	empty_memory();
	memset(&info, 0, sizeof(info));
	used = 0;
}

static void add(const char *bytes, size_t count)
{
	assert_true(used + count <= sizeof(aml));
	memcpy(aml + used, bytes, count);
	used += (uint32_t)count;
}

/* Add the length of a package, encoded in `bytes` bytes, which it includes (20.2.4). */
static void add_length(uint32_t body, unsigned bytes)
{
	uint32_t all = body + bytes;

	aml[used++] = (uint8_t)(bytes == 1 ? all : (bytes - 1) << 6 | (all & 0xf));
	for (unsigned i = 1; i < bytes; i++)
		aml[used++] = (uint8_t)(all >> (8 * i - 4));
}

static void add_device(const char *body, size_t count, unsigned length_bytes)
{
	add(BYTES("\x5b\x82"));
	add_length((uint32_t)count, length_bytes);
	add(body, count);
}

/* Make a table of the bytes added so far, at the end of physical memory. */
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

static uint64_t search_tpm(uint32_t start, uint64_t address, const uint64_t *table, uint32_t tables)
{
	struct acpi_memory from = physical_memory(&memory);

	info = (struct acpi_info){ .tpm_start = start, .tpm_address = address };
	acpi_read_aml(&info, &from, physical_list(&memory, table, tables));
	assert_int_equal(info.tpm_start, start);
	return info.tpm_address ? info.tpm_address : info.tpm_namespace;
}

static uint64_t add_fadt(uint64_t dsdt)
{
	uint64_t fadt;

	used = FADT_BYTES - HEADER;
	memset(aml, 0, used);
	fadt = add_table("FACP");
	physical_put(&memory, fadt + X_DSDT, 8, dsdt);
	physical_sum(&memory, fadt, FADT_BYTES, CHECKSUM_AT);
	return fadt;
}

/* The TPM's address that is found in an SSDT of the bytes added so far. */
static uint64_t found(void)
{
	uint64_t table = add_table("SSDT");

	return search_tpm(FIFO, 0, &table, 1);
}

static uint64_t found_of(const char *body, size_t count)
{
	setup();
	add_device(body, count, 2);
	return found();
}

/* A device as QEMU lays it out. */
TEST_F(setup, empty_memory, test_tpm_device)
{
	for (unsigned bytes = 2; bytes <= 4; bytes++) {
		setup();
		add(BYTES("\x10\x4a\x09\\_SB_"));
		add_device(BYTES("C000\x08_HID\x0d"
				 "ACPI0007\0" UID),
			   1);
		add_device(BYTES(NAME_TPM0 HID STR UID CRS), bytes);
		assert_int_equal(found(), AT);
	}
	add_device(BYTES(NAME_TPM0 HID CRS), 1);
	assert_int_equal(found(), AT);
	/* Reserved bits in a length are ignored, as ACPICA does. */
	add_device(BYTES(NAME_TPM0 HID CRS), 2);
	aml[2] |= 0x30;
	assert_int_equal(found(), AT);
}

/* A device as in EDK II's SSDT: _CRS chooses from buffers, far from the identification. */
TEST_F(setup, empty_memory, test_tpm_method)
{
	assert_int_equal(
		found_of(BYTES("TPM_\x08_HID\x0dINTC0102\0\x08_CID\x0dMSFT0101\0" STR FILL_64
				       FILL_64 FILL_64 FILL_64 FILL_64
			       "\x08RES0\x11\x11\x0a\x0e" MEMORY END)),
		AT);
	/* The order of names is free. */
	assert_int_equal(found_of(BYTES(NAME_TPM0 CRS STR HID)), AT);
}

/* Descriptors that firmware fills in at run time, or that cannot be the TPM's registers. */
TEST_F(setup, empty_memory, test_tpm_descriptors)
{
#define WITH(descriptor) found_of(BYTES(NAME_TPM0 HID "\x08_CRS\x11\x11\x0a\x0e" descriptor))
	assert_int_equal(WITH("\x86\x09\0\0\0\0\0\x0c\0\x10\0\0"), AT);
	assert_int_equal(WITH("\x86\x09\0\x01\0\0\0\0\0\x50\0\0"), 0);
	assert_int_equal(WITH("\x86\x09\0\x01\0\x08\0\x0c\0\x50\0\0"), 0);
	assert_int_equal(WITH("\x86\x09\0\x01\0\0\0\x0c\xff\x0f\0\0"), 0);
	assert_int_equal(WITH("\x86\x08\0\x01\0\0\0\x0c\0\x50\0\0"), 0);
	assert_int_equal(WITH("\x85\x09\0\x01\0\0\0\x0c\0\x50\0\0"), 0);
	assert_int_equal(WITH("\x86\x09\0\x01\0\0\0\0\0\x50\0\0" MEMORY), AT);
	assert_int_equal(WITH("\x86\x09\0\x01\0\xf0\xff\xff\0\x10\0\0"), 0xfffff000);
#undef WITH
}

TEST_F(setup, empty_memory, test_tpm_other_devices)
{
	assert_int_equal(found_of(BYTES(NAME_TPM0 "\x08_HID\x0dMSFT0102\0" CRS)), 0);
	assert_int_equal(found_of(BYTES(NAME_TPM0 "\x08_HID\x0dMSFT01010" CRS)), 0);
	assert_int_equal(found_of(BYTES(NAME_TPM0 CRS)), 0);
	/* Memory of neighbouring devices and of an outer device is not the TPM's. */
	setup();
	add_device(BYTES("COM0" CRS), 1);
	add_device(BYTES(NAME_TPM0 HID STR), 1);
	add_device(BYTES("COM1" CRS), 1);
	assert_int_equal(found(), 0);
	assert_int_equal(found_of(BYTES("PCI0" CRS "\x5b\x82\x14" NAME_TPM0 HID)), 0);
	assert_int_equal(found_of(BYTES("PCI0" CRS "\x5b\x82\x18" NAME_TPM0 HID)), 0);
	/* Two TPMs, of which only the second has memory. */
	add_device(BYTES("TPM1" HID), 1);
	add_device(BYTES(NAME_TPM0 HID CRS), 1);
	assert_int_equal(found(), AT);
}

TEST_F(setup, empty_memory, test_tables)
{
	uint64_t ssdt, fadt, dsdt, other;

	add(BYTES(FILL_16));
	ssdt = add_table("SSDT");
	add_device(BYTES(NAME_TPM0 HID CRS), 1);
	dsdt = add_table("DSDT");
	fadt = add_fadt(dsdt);
	assert_int_equal(search_tpm(FIFO, 0, (uint64_t[]){ ssdt, fadt }, 2), AT);
	/* No search if the address is known, or if the start method needs none. */
	assert_int_equal(search_tpm(FIFO, 0xfed40000, (uint64_t[]){ fadt }, 1), 0xfed40000);
	assert_int_equal(search_tpm(7, 0, (uint64_t[]){ fadt }, 1), 0);
	assert_int_equal(search_tpm(0, 0, (uint64_t[]){ fadt }, 1), 0);
	/* The first address that is found counts. */
	add_device(BYTES(NAME_TPM0 HID "\x86\x09\0\x01\0\0\0\x0d\0\x50\0\0"), 1);
	other = add_table("SSDT");
	assert_int_equal(search_tpm(FIFO, 0, (uint64_t[]){ fadt, other }, 2), AT);
	assert_int_equal(search_tpm(FIFO, 0, (uint64_t[]){ other, fadt }, 2), 0x0d000000);
	*physical_at(&memory, dsdt + CHECKSUM_AT) ^= 1;
	assert_int_equal(search_tpm(FIFO, 0, (uint64_t[]){ fadt }, 1), 0);
	add_device(BYTES(NAME_TPM0 HID CRS), 1);
	other = add_table("OEM1");
	assert_int_equal(search_tpm(FIFO, 0, &other, 1), 0);
}

/* Tables that end anywhere and packages of any length: nothing past the end is read. */
TEST_F(setup, empty_memory, test_cut)
{
	static const char whole[] = NAME_TPM0 HID STR UID CRS;

	for (uint32_t bytes = 0; bytes <= sizeof(whole) + 3; bytes++) {
		setup();
		add_device(BYTES(whole), 2);
		used = bytes;
		/* In a shorter table, the package would reach past its end. */
		assert_int_equal(found(), bytes < sizeof(whole) + 3 ? 0 : AT);
	}
	for (uint32_t bytes = 0; bytes < sizeof(whole); bytes++)
		assert_int_equal(found_of(whole, bytes),
				 bytes + sizeof(END) < sizeof(whole) ? 0 : AT);
	for (unsigned lead = 0; lead <= UINT8_MAX; lead++) {
		setup();
		add_device(BYTES(whole), 1);
		aml[2] = (uint8_t)lead;
		assert_true(found() <= AT);
	}
}

/* A table of nothing but identifications or devices: each device is searched once. */
TEST_F(setup, empty_memory, test_long)
{
	const uint32_t room = TABLE_MAX - HEADER;

	add(BYTES("\x5b\x82"));
	add_length(room - used - 4, 4);
	while (used + sizeof(HID) <= room)
		add(BYTES(HID));
	memset(aml + used, 0, room - used);
	used = room;
	assert_int_equal(found(), 0);
	setup();
	while (used + sizeof(HID) + 3 <= room)
		add_device(BYTES(HID), 1);
	assert_int_equal(found(), 0);
}

/* Virtio devices */

#define LNRO0005 "\x08_HID\15LNRO0005\0"

static void search_virtio(void)
{
	struct acpi_memory from = physical_memory(&memory);
	uint64_t table = add_table("SSDT");

	info = (struct acpi_info){ .virtios = 0 };
	acpi_read_aml(&info, &from, physical_list(&memory, &table, 1));
}

TEST_F(setup, empty_memory, test_virtio_devices)
{
	add_device(BYTES(LNRO0005 UART), 1);
	add_device(BYTES(LNRO0005 CRS), 2);
	add_device(BYTES(LNRO0005 COM1), 1);                               /* no memory */
	add_device(BYTES(LNRO0005 "\x86\x09\0\x01\0\0\0\0\0\x10\0\0"), 1); /* address 0 */
	add_device(BYTES(ARMH0011 UART), 1);
	search_virtio();
	assert_int_equal(info.virtios, 2);
	assert_int_equal(info.virtio[0], 0x02210000);
	assert_int_equal(info.virtio[1], AT);
}

TEST_F(setup, empty_memory, test_more_virtio_devices_than_a_list_has)
{
	for (unsigned n = 0; n < ACPI_VIRTIOS_MAX + 5; n++)
		add_device(BYTES(LNRO0005 UART), 1);
	search_virtio();
	assert_int_equal(info.virtios, ACPI_VIRTIOS_MAX);
}

/* QEMU's virt: `info mtree` shows tpm-tis-mmio at AT. */
TEST_F(setup, empty_memory, test_qemu)
{
	FILE *f = fopen("tests/data/acpi/qemu-virt-tpm.bin", "rb");
	uint64_t dsdt, fadt;

	assert_non_null(f);
	used = (uint32_t)fread(aml, 1, sizeof(aml), f);
	fclose(f);
	dsdt = physical_add(&memory, aml, used);
	fadt = add_fadt(dsdt);
	assert_int_equal(search_tpm(FIFO, 0, &fadt, 1), AT);
}

TEST_F(setup, empty_memory, test_serial_words)
{
	static const struct {
		struct serial_port port;
		const char *text;
	} rows[] = {
		{ { .name = "16550", .from = "SPCR", .base = 0x2f8 },
		  "16550 at I/O port 0x2f8 (COM2), by SPCR" },
		{ { .name = "16550", .from = "SPCR", .base = 0x400 },
		  "16550 at I/O port 0x400, by SPCR" },
		{ { .name = "PL011", .from = "the device tree", .mmio = true, .base = 0x3f8 },
		  "PL011 at 0x3f8, by the device tree" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		TEXT_DEFINE(t, 100);

		serial_port_print(&t, &rows[i].port);
		assert_string_equal(t.buf, rows[i].text);
	}
}
