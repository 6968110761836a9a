/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Without an interpreter: in the innermost device with the identification of a 16550 or a PL011,
 * _HID or _CID, the descriptors of its registers. Source: ACPI 6.5, 6.4.2.5 (I/O port), 6.4.2.6
 * (fixed I/O port), 6.4.3.4 (memory), 20.2 (AML).
 */
#include "acpi.h"

#include "acpi_table.h"
#include "aml.h"
#include "core/lib/bytes.h"
#include "core/lib/mem.h"

#define SIGNATURE_BYTES 4u

/* Tags with the length of what follows; the base is behind them, of I/O behind a byte of flags. */
#define IO           "\x47"
#define IO_MIN       2u
#define IO_MAX       4u
#define IO_LENGTH    7u
#define IO_BYTES     8u
#define FIXED_IO     "\x4b"
#define FIXED_BASE   1u
#define FIXED_LENGTH 3u
#define FIXED_BYTES  4u
#define MEMORY       "\x86\x09\x00"
#define MEMORY_HEAD  3u
#define MEMORY_BASE  4u
#define MEMORY_BYTES 12u

/* EISA's ids are a DWordConst, 20.2.3; strings have their prefix and NUL. */
static const struct aml_id ids[] = {
	{ "\x0c\x41\xd0\x05\x01", 5 }, /* PNP0501 */
	{ "\x0c\x41\xd0\x05\x00", 5 }, /* PNP0500 */
	{ "\15PNP0501", 9 },           { "\15PNP0500", 9 }, { "\15ARMH0011", 10 },
	{ "\15ARMHB000", 10 },         { NULL, 0 },
};

#define ID_PL011 4u /* and from it on */

struct finding {
	struct acpi_info *info;
	bool com[SERIAL_PORT_COMS];
	uint64_t pl011[ACPI_SERIALS_MAX];
	uint32_t pl011s;
};

static struct serial_port com_port(uint64_t base)
{
	return (struct serial_port){
		SERIAL_PORT_16550, "16550", "the ACPI namespace", false, base, 1, 1, false
	};
}

/* 0: none stands there. */
static uint16_t io_at(const struct aml *a)
{
	if (aml_begins(a, IO, 1, IO_BYTES) && a->at[IO_LENGTH] >= SERIAL_PORT_REGISTERS &&
	    bytes_le16(a->at + IO_MIN) == bytes_le16(a->at + IO_MAX))
		return bytes_le16(a->at + IO_MIN);
	if (aml_begins(a, FIXED_IO, 1, FIXED_BYTES) && a->at[FIXED_LENGTH] >= SERIAL_PORT_REGISTERS)
		return bytes_le16(a->at + FIXED_BASE);
	return 0;
}

static void take_coms(struct finding *f, struct aml a)
{
	for (; a.at < a.end; a.at++) {
		struct serial_port p = com_port(io_at(&a));
		unsigned com = serial_port_com(&p);

		if (com)
			f->com[com - 1] = true;
	}
}

static void take_pl011(struct finding *f, struct aml a)
{
	while (a.at < a.end && !aml_begins(&a, MEMORY, MEMORY_HEAD, MEMORY_BYTES))
		a.at++;
	if (a.at < a.end && f->pl011s < ACPI_SERIALS_MAX)
		f->pl011[f->pl011s++] = bytes_le32(a.at + MEMORY_BASE);
}

static bool take(void *ctx, unsigned id, struct aml device)
{
	if (id < ID_PL011)
		take_coms(ctx, device);
	else
		take_pl011(ctx, device);
	return false;
}

static void visit(void *ctx, const uint8_t *table, uint32_t bytes)
{
	if (bytes_sum(table, bytes) == 0 &&
	    (!memcmp(table, "DSDT", SIGNATURE_BYTES) || !memcmp(table, "SSDT", SIGNATURE_BYTES)))
		aml_devices((struct aml){ table + ACPI_HEADER_BYTES, table + bytes }, ids, take,
			    ctx);
}

void acpi_serial_find(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp)
{
	struct finding f = { .info = info };
	struct serial_port p;

	acpi_each_table(memory, rsdp, visit, &f);
	for (unsigned i = 0; i < SERIAL_PORT_COMS; i++) {
		p = com_port(serial_port_coms[i]);
		if (f.com[i])
			acpi_add_serial(info, &p);
	}
	for (uint32_t i = 0; i < f.pl011s; i++) {
		p = com_port(f.pl011[i]);
		p.kind = SERIAL_PORT_PL011;
		p.name = "PL011";
		p.mmio = true;
		p.stride = p.access = 4;
		if (p.base)
			acpi_add_serial(info, &p);
	}
}
