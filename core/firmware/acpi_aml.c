/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads AML of the DSDT and the SSDTs without an interpreter. It finds the registers of serial
 * ports and of a TPM in the innermost device with such an identification, _HID or _CID, and it
 * finds how the machine is switched off. Source: ACPI 6.5, 6.4.2.5 (I/O port), 6.4.2.6 (fixed I/O
 * port), 6.4.3.4 (memory), 7.4.2.7 (_S5) and 20.2 (AML); TCG, ACPI Specification 1.3 (TPM2, start
 * method 6, which needs no address).
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

/* An identification to search for, as the bytes of a table have it; the last one is empty. */
struct id {
	const char *what;
	size_t bytes;
};

/*
 * A search for ids. For each place with one of them, take() gets the innermost Device around it,
 * and the index of the id in `ids`. take() returns true to end the search.
 */
struct search {
	const struct id *ids;
	bool (*take)(struct search *s, unsigned id, struct aml device);
	bool is_over;
	uint64_t tpm;
	bool com[SERIAL_PORT_COMS];
	uint64_t pl011[ACPI_SERIALS_MAX];
	uint32_t pl011s;
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

/* The index of the id at a->at; if there is none, the index of the list's end. */
static unsigned id_at(const struct aml *a, const struct id ids[])
{
	unsigned n = 0;

	while (ids[n].bytes && !begins(a, ids[n].what, ids[n].bytes, ids[n].bytes))
		n++;
	return n;
}

/* A Device is visited at most once, so the time is proportional to the table's length. */
static void search_devices(struct search *s, struct aml a)
{
	struct aml device = { a.end, a.end };

	for (; a.at < a.end && !s->is_over; a.at++) {
		unsigned id;

		if (begins(&a, DEVICE, DEVICE_BYTES, DEVICE_BYTES)) {
			device = package_at((struct aml){ a.at + DEVICE_BYTES, a.end });
			continue;
		}
		if (a.at < device.at || a.at >= device.end)
			continue;
		id = id_at(&a, s->ids);
		if (!s->ids[id].bytes)
			continue;
		s->is_over = s->take(s, id, device);
		a.at = device.end - 1;
	}
}

static void visit(void *ctx, const uint8_t *table, uint32_t bytes)
{
	if (bytes_sum(table, bytes) == 0 &&
	    (!memcmp(table, "DSDT", SIGNATURE_BYTES) || !memcmp(table, "SSDT", SIGNATURE_BYTES)))
		search_devices(ctx, (struct aml){ table + ACPI_HEADER_BYTES, table + bytes });
}

/* Move on to the next descriptor of fixed memory. False: there is none. */
static bool find_memory(struct aml *a)
{
	while (a->at < a->end && !begins(a, MEMORY, MEMORY_HEAD, MEMORY_BYTES))
		a->at++;
	return a->at < a->end;
}

/* Serial ports */

/* EISA ids are a DWordConst (20.2.3); strings have a prefix and a NUL. */
static const struct id serial_ids[] = {
	{ "\x0c\x41\xd0\x05\x01", 5 }, /* PNP0501 */
	{ "\x0c\x41\xd0\x05\x00", 5 }, /* PNP0500 */
	{ "\15PNP0501", 9 },           { "\15PNP0500", 9 }, { "\15ARMH0011", 10 },
	{ "\15ARMHB000", 10 },         { NULL, 0 },
};

#define ID_PL011 4u /* this id and those after it */

static struct serial_port com_port(uint64_t base)
{
	return (struct serial_port){
		SERIAL_PORT_16550, "16550", "the ACPI namespace", false, base, 1, 1, false
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

static bool take_serial(struct search *s, unsigned id, struct aml device)
{
	if (id < ID_PL011)
		take_coms(s, device);
	else if (find_memory(&device) && s->pl011s < ACPI_SERIALS_MAX)
		s->pl011[s->pl011s++] = bytes_le32(device.at + MEMORY_BASE);
	return false;
}

void acpi_serial_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	struct search s = { .ids = serial_ids, .take = take_serial };
	struct serial_port p;

	acpi_each_table(memory, rsdp, visit, &s);
	for (unsigned i = 0; i < SERIAL_PORT_COMS; i++) {
		p = com_port(serial_port_coms[i]);
		if (s.com[i])
			acpi_add_serial(info, &p);
	}
	for (uint32_t i = 0; i < s.pl011s; i++) {
		p = com_port(s.pl011[i]);
		p.kind = SERIAL_PORT_PL011;
		p.name = "PL011";
		p.mmio = true;
		p.stride = p.access = 4;
		if (p.base)
			acpi_add_serial(info, &p);
	}
}

/* The TPM */

#define TPM2_ADDRESS   40
#define TPM2_START     48
#define START_MMIO     6u
#define LOCALITY_BYTES 0x1000u /* size of locality 0, the only one used */

/* A string: StringPrefix, the name, and its NUL. */
static const struct id tpm_ids[] = { { "\x0dMSFT0101", 10 }, { NULL, 0 } };

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

/* _CRS may be a method that returns one of several buffers; all have the same base. */
static bool take_tpm(struct search *s, unsigned id, struct aml device)
{
	(void)id;
	for (; find_memory(&device); device.at++) {
		uint32_t base = bytes_le32(device.at + MEMORY_BASE);

		if (base && base % LOCALITY_BYTES == 0 &&
		    bytes_le32(device.at + MEMORY_LENGTH) >= LOCALITY_BYTES) {
			s->tpm = base;
			return true;
		}
	}
	return false;
}

void acpi_tpm_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	struct search s = { .ids = tpm_ids, .take = take_tpm };

	if (info->tpm_start != START_MMIO || info->tpm_address)
		return;
	acpi_each_table(memory, rsdp, visit, &s);
	info->tpm_address = s.tpm;
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
static bool read_package(struct acpi_info *info, struct aml c)
{
	if (take_byte(&c) != PACKAGE_OP)
		return false;
	/* Skip the package's length, one to four bytes. */
	c.at += c.at < c.end ? (*c.at >> 6) + 1 : 0;
	return take_byte(&c) >= 2 && take_type(&c, &info->s5_type[0]) &&
	       take_type(&c, &info->s5_type[1]) && c.at <= c.end;
}

void acpi_parse_s5(struct acpi_reader *r, const char *name, uint64_t address)
{
	struct acpi_table t;

	if (r->info->has_s5 || !acpi_map_table(r, name, address, &t) ||
	    memcmp(t.bytes, name, SIGNATURE_BYTES) != 0 || bytes_sum(t.bytes, t.length) != 0)
		return;
	for (uint32_t at = ACPI_HEADER_BYTES + 1; at + SIGNATURE_BYTES <= t.length; at++) {
		const uint8_t *b = t.bytes + at;
		bool is_name = b[-1] == NAME_OP || (b[-1] == ROOT && b[-2] == NAME_OP);
		struct aml c = { b + SIGNATURE_BYTES, t.bytes + t.length };

		if (is_name && !memcmp(b, "_S5_", SIGNATURE_BYTES) && read_package(r->info, c)) {
			r->info->has_s5 = true;
			return;
		}
	}
}
