/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads AML of the DSDT and the SSDTs without an interpreter. It finds the registers of virtio
 * devices and a TPM in the innermost device with such an identification, _HID or _CID, and it finds
 * how the machine is switched off. Source: ACPI 6.5, 6.4.3.4 (memory), 7.4.2.7 (_S5) and 20.2
 * (AML); TCG, ACPI Specification 1.3 (TPM2, start method 6, which needs no address).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SIGNATURE_BYTES 4u

/* ExtOpPrefix DeviceOp PkgLength */
#define DEVICE       "\x5b\x82"
#define DEVICE_BYTES 2u

/* A descriptor of fixed memory. */
#define MEMORY        "\x86\x09\x00"
#define MEMORY_HEAD   3u
#define MEMORY_BASE   4u
#define MEMORY_LENGTH 8u
#define MEMORY_BYTES  12u

struct aml {
	const uint8_t *at, *end;
};

/* True if `what` is at a->at, and at least `needed` bytes follow from there on. */
static bool begins(const struct aml *a, const void *what, size_t bytes, size_t needed)
{
	return (size_t)(a->end - a->at) >= needed && memcmp(a->at, what, bytes) == 0;
}

/* The rest of the package whose length is at a.at (20.2.4); empty if it ends past a.end. */
static struct aml package_at(struct aml a)
{
	size_t left = (size_t)(a.end - a.at), more = left ? a.at[0] >> 6 : 0, bytes;

	if (more >= left)
		return (struct aml){ a.end, a.end };
	bytes = a.at[0] & (more ? 0x0f : 0x3f);
	for (size_t i = 0; i < more; i++)
		bytes |= (size_t)a.at[1 + i] << (4 + 8 * i);
	if (bytes > left)
		return (struct aml){ a.end, a.end };
	return (struct aml){ a.at + 1 + more, a.at + bytes };
}

/* Move on to the next descriptor of fixed memory. False: there is none. */
static bool find_memory(struct aml *a)
{
	while (a->at < a->end && !begins(a, MEMORY, MEMORY_HEAD, MEMORY_BYTES))
		a->at++;
	return a->at < a->end;
}

/* Linux, drivers/virtio/virtio_mmio.c, has the identification. */
static void take_virtio(struct acpi_info *info, struct aml a)
{
	uint32_t base = find_memory(&a) ? bytes_le32(a.at + MEMORY_BASE) : 0;

	if (base && info->virtios < ACPI_VIRTIOS_MAX)
		info->virtio[info->virtios++] = base;
}

/* The TPM */

#define TPM2_ADDRESS   40
#define TPM2_START     48
#define START_MMIO     6u
#define LOCALITY_BYTES 0x1000u /* size of locality 0, the only one used */

void acpi_parse_tpm2(struct acpi_reader *r, const struct acpi_table *t)
{
	uint64_t address = bytes_le64(t->bytes + TPM2_ADDRESS);

	if (!acpi_is_physical(address)) {
		acpi_complain_of(r, "%s: registers at 0x%llx; not used", t->name,
				 (unsigned long long)address);
		return;
	}
	r->info->tpm_start = bytes_le32(t->bytes + TPM2_START);
	r->info->tpm_address = address;
}

/*
 * The address of a FIFO that the TPM2 table leaves out. _CRS may be a method that returns one of
 * several buffers; all have the same base.
 */
static void take_tpm(struct acpi_info *info, struct aml a)
{
	if (info->tpm_start != START_MMIO || info->tpm_address)
		return;
	for (; !info->tpm_namespace && find_memory(&a); a.at++) {
		uint32_t base = bytes_le32(a.at + MEMORY_BASE);

		if (base % LOCALITY_BYTES == 0 &&
		    bytes_le32(a.at + MEMORY_LENGTH) >= LOCALITY_BYTES)
			info->tpm_namespace = base;
	}
}

/* Devices */

/*
 * Identifications, as the bytes of a table have them: strings have a prefix and a NUL. take() gets
 * the innermost Device around one.
 */
static const struct id {
	const char *what;
	size_t bytes;
	void (*take)(struct acpi_info *info, struct aml device);
} ids[] = {
	{ "\15MSFT0101", 10, take_tpm },
	{ "\15LNRO0005", 10, take_virtio },
};

#define IDS (sizeof(ids) / sizeof(ids[0]))

/* The id at a->at; NULL: there is none. */
static const struct id *id_at(const struct aml *a)
{
	for (size_t n = 0; n < IDS; n++)
		if (begins(a, ids[n].what, ids[n].bytes, ids[n].bytes))
			return &ids[n];
	return NULL;
}

/* A Device is visited at most once, so the time is proportional to the table's length. */
static void search_devices(struct acpi_info *info, struct aml a)
{
	struct aml device = { a.end, a.end };
	const struct id *id;

	for (; a.at < a.end; a.at++) {
		if (begins(&a, DEVICE, DEVICE_BYTES, DEVICE_BYTES)) {
			device = package_at((struct aml){ a.at + DEVICE_BYTES, a.end });
			continue;
		}
		if (a.at < device.at || a.at >= device.end || !(id = id_at(&a)))
			continue;
		id->take(info, device);
		a.at = device.end - 1;
	}
}

/* \_S5, as compilers encode it: Name (_S5, Package () { type a, type b, ... }). */

#define NAME_OP    0x08
#define ROOT       0x5c
#define PACKAGE_OP 0x12
#define ONE_OP     0x01 /* opcodes 0 and 1 are the values themselves */
#define BYTE       0x0a

#define TYPE_MAX 7u /* the register has three bits for it */

static unsigned take_byte(struct aml *c)
{
	return c->at < c->end ? *c->at++ : UINT8_MAX;
}

static bool take_type(struct aml *c, uint8_t *type)
{
	unsigned value = take_byte(c);

	if (value == BYTE)
		value = take_byte(c);
	else if (value > ONE_OP)
		return false;
	*type = (uint8_t)value;
	return value <= TYPE_MAX;
}

/* Read the package behind the name _S5. */
static bool read_package(uint8_t type[2], struct aml c)
{
	if (take_byte(&c) != PACKAGE_OP)
		return false;
	/* Skip the package's length, one to four bytes. */
	c.at += c.at < c.end ? (*c.at >> 6) + 1 : 0;
	return take_byte(&c) >= 2 && take_type(&c, &type[0]) && take_type(&c, &type[1]) &&
	       c.at <= c.end;
}

static bool find_s5(const uint8_t *table, uint32_t bytes, uint8_t type[2])
{
	for (uint32_t at = ACPI_HEADER_BYTES + 1; at + SIGNATURE_BYTES <= bytes; at++) {
		const uint8_t *b = table + at;
		bool is_name = b[-1] == NAME_OP || (b[-1] == ROOT && b[-2] == NAME_OP);

		if (is_name && !memcmp(b, "_S5_", SIGNATURE_BYTES) &&
		    read_package(type, (struct aml){ b + SIGNATURE_BYTES, table + bytes }))
			return true;
	}
	return false;
}

/* The DSDT's counts, or else the first. A hardware-reduced platform has no use for it. */
static void take_s5(struct acpi_info *info, const uint8_t *table, uint32_t bytes, bool is_dsdt)
{
	uint8_t type[2];

	if (!info->has_fadt || info->hw_reduced || (info->has_s5 && !is_dsdt) ||
	    !find_s5(table, bytes, type))
		return;
	info->has_s5 = true;
	memcpy(info->s5_type, type, sizeof(type));
}

static void visit(void *ctx, const uint8_t *table, uint32_t bytes)
{
	bool is_dsdt = !memcmp(table, "DSDT", SIGNATURE_BYTES);

	if (bytes_sum(table, bytes) != 0 || (!is_dsdt && memcmp(table, "SSDT", SIGNATURE_BYTES)))
		return;
	search_devices(ctx, (struct aml){ table + ACPI_HEADER_BYTES, table + bytes });
	take_s5(ctx, table, bytes, is_dsdt);
}

void acpi_read_aml(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	acpi_each_table(memory, rsdp, visit, info);
}
