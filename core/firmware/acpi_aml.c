/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads AML of the DSDT and the SSDTs without an interpreter. It finds the registers of serial
 * ports, virtio devices and a TPM in the innermost device with such an identification, _HID or
 * _CID, and it finds how the machine is switched off. Source: ACPI 6.5, 6.4.2.5 (I/O port), 6.4.2.6
 * (fixed I/O port), 6.4.3.4 (memory), 7.4.2.7 (_S5) and 20.2 (AML); TCG, ACPI Specification 1.3
 * (TPM2, start method 6, which needs no address).
 */
#include "acpi_table.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SIGNATURE_BYTES 4u

/* ExtOpPrefix DeviceOp PkgLength */
#define DEVICE       "\x5b\x82"
#define DEVICE_BYTES 2u

/* Descriptors begin with a tag and a length; the base follows, for I/O after a byte of flags. */
#define IO            "\x47"
#define IO_MIN        2u
#define IO_MAX        4u
#define IO_LENGTH     7u
#define IO_BYTES      8u
#define FIXED_IO      "\x4b"
#define FIXED_BASE    1u
#define FIXED_LENGTH  3u
#define FIXED_BYTES   4u
#define MEMORY        "\x86\x09\x00"
#define MEMORY_HEAD   3u
#define MEMORY_BASE   4u
#define MEMORY_LENGTH 8u
#define MEMORY_BYTES  12u

struct aml {
	const uint8_t *at, *end;
};

struct search {
	struct acpi_info *info;
	bool com[SERIAL_PORT_COMS]; /* found so far */
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

/* Serial ports */

#define NAMESPACE "the ACPI namespace"

static struct serial_port com_port(uint64_t base)
{
	return (struct serial_port){
		SERIAL_PORT_16550, "16550", NAMESPACE, false, base, 1, 1, false
	};
}

/* The base of the port descriptor at a->at; 0: there is none. */
static uint16_t io_at(const struct aml *a)
{
	if (begins(a, IO, 1, IO_BYTES) && a->at[IO_LENGTH] >= SERIAL_PORT_REGISTERS &&
	    bytes_le16(a->at + IO_MIN) == bytes_le16(a->at + IO_MAX))
		return bytes_le16(a->at + IO_MIN);
	if (begins(a, FIXED_IO, 1, FIXED_BYTES) && a->at[FIXED_LENGTH] >= SERIAL_PORT_REGISTERS)
		return bytes_le16(a->at + FIXED_BASE);
	return 0;
}

static void take_coms(struct search *s, struct aml a)
{
	for (; a.at < a.end; a.at++) {
		struct serial_port p = com_port(io_at(&a));
		unsigned com = serial_port_com(&p);

		if (com)
			s->com[com - 1] = true;
	}
}

static void take_pl011(struct search *s, struct aml a)
{
	struct serial_port p = { SERIAL_PORT_PL011, "PL011", NAMESPACE, true, 0, 4, 4, false };

	if (find_memory(&a))
		p.base = bytes_le32(a.at + MEMORY_BASE);
	if (p.base)
		acpi_add_serial(s->info, &p);
}

/* Linux, drivers/virtio/virtio_mmio.c, has the identification. */
static void take_virtio(struct search *s, struct aml a)
{
	uint32_t base = find_memory(&a) ? bytes_le32(a.at + MEMORY_BASE) : 0;

	if (base && s->info->virtios < ACPI_VIRTIOS_MAX)
		s->info->virtio[s->info->virtios++] = base;
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
static void take_tpm(struct search *s, struct aml a)
{
	struct acpi_info *info = s->info;

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
 * Identifications, as the bytes of a table have them: EISA ids are a DWordConst (20.2.3); strings
 * have a prefix and a NUL. take() gets the innermost Device around one.
 */
static const struct id {
	const char *what;
	size_t bytes;
	void (*take)(struct search *s, struct aml device);
} ids[] = {
	{ "\x0c\x41\xd0\x05\x01", 5, take_coms }, /* PNP0501 */
	{ "\x0c\x41\xd0\x05\x00", 5, take_coms }, /* PNP0500 */
	{ "\15PNP0501", 9, take_coms },           { "\15PNP0500", 9, take_coms },
	{ "\15ARMH0011", 10, take_pl011 },        { "\15ARMHB000", 10, take_pl011 },
	{ "\15MSFT0101", 10, take_tpm },          { "\15LNRO0005", 10, take_virtio },
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
static void search_devices(struct search *s, struct aml a)
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
		id->take(s, device);
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
	struct search *s = ctx;

	if (bytes_sum(table, bytes) != 0 || (!is_dsdt && memcmp(table, "SSDT", SIGNATURE_BYTES)))
		return;
	search_devices(s, (struct aml){ table + ACPI_HEADER_BYTES, table + bytes });
	take_s5(s->info, table, bytes, is_dsdt);
}

void acpi_read_aml(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	struct search s = { .info = info };

	acpi_each_table(memory, rsdp, visit, &s);
	for (unsigned i = 0; i < SERIAL_PORT_COMS; i++) {
		struct serial_port p = com_port(serial_port_coms[i]);

		if (s.com[i])
			acpi_add_serial(info, &p);
	}
}
