/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A TPM that answers anything, a firmware's log, and responses. The first byte chooses; of a TPM
 * the input is its place and then what each read of a register gives, zeros once it is used up.
 *
 * Whatever it reads, the driver touches only what it has mapped, waits for a bounded time, and
 * keeps within its buffer; nothing is taken from outside of the log or the response.
 */
#include "arch/arch.h"
#include "core/tpm/tpm_command.h"
#include "core/tpm/tpm_log.h"
#include "drivers/tpm/tpm.h"

#include "tests/fuzz/take.h"
#include "tests/registers.h"

#define DIGEST     8
#define MAPPED_MAX 64
#define MAPPED_HZ  UINT64_C(1000000) /* far below any TSC: waits are short */

static struct {
	struct {
		uint64_t from, to;
	} map[MAPPED_MAX];
	unsigned maps;
} mapped;

bool arch_map_device(uint64_t address, uint64_t bytes)
{
	if (!address || !bytes || address > UINT64_MAX - bytes || mapped.maps == MAPPED_MAX)
		return false;
	mapped.map[mapped.maps].from = address;
	mapped.map[mapped.maps++].to = address + bytes;
	return true;
}

static void mapped_check(uint64_t address, unsigned bytes)
{
	bool is_mapped = false;

	for (unsigned i = 0; i < mapped.maps; i++)
		is_mapped |= address >= mapped.map[i].from && address + bytes <= mapped.map[i].to;
	insist(is_mapped && address % bytes == 0);
}

static uint32_t mmio_read(uint64_t address, unsigned bytes)
{
	mapped_check(address, bytes);
	return take_number(bytes);
}

static void mmio_write(uint64_t address, uint32_t value, unsigned bytes)
{
	(void)value;
	mapped_check(address, bytes);
}

static uint32_t port_in(uint16_t port, unsigned bytes)
{
	(void)port, (void)bytes;
	abort();
}

static void port_out(uint16_t port, uint32_t value, unsigned bytes)
{
	(void)port, (void)value, (void)bytes;
	abort();
}

REGISTERS(port_in, port_out, mmio_read, mmio_write)

static void take_response(const uint8_t *in, size_t bytes)
{
	uint8_t value[TPM_PCRS][SHA256_BYTES];
	struct tpm_bytes one, two;
	uint32_t number;

	if (tpm_take_read(in, bytes, &number, value))
		insist(number && number >> TPM_PCRS == 0);
	if (tpm_take_create(in, bytes, &number, &one))
		insist(one.at >= in && one.at + one.bytes <= in + bytes);
	if (tpm_take_quote(in, bytes, &one, &two))
		insist(one.at >= in && one.at + one.bytes <= two.at &&
		       two.at + two.bytes <= in + bytes);
}

static void use_tpm(struct tpm *t)
{
	struct acpi_info acpi = { .tpm_start = take_byte() };

	acpi.tpm_address = take_number64(7) & (UINT64_MAX >> 12);
	mapped.maps = 0;
	for (bool open = tpm_open(t, &acpi, MAPPED_HZ); open; open = t->kind && take_more()) {
		if (tpm_run(t, tpm_put_create(t->buffer), 1)) {
			insist(t->bytes >= TPM_HEAD && t->bytes <= sizeof(t->buffer));
			take_response(t->buffer, t->bytes);
		} else {
			insist_showable(t->problem, sizeof(t->problem));
			insist(t->problem[0]);
		}
	}
}

FUZZ(0, SIZE_MAX)
{
	uint8_t digest[DIGEST][SHA256_BYTES];
	struct tpm *t = calloc(1, sizeof(*t));

	insist(t);
	switch (take_byte() % 3) {
	case 0:
		use_tpm(t);
		break;
	case 1:
		take_response(take.at, (size_t)(take.end - take.at));
		break;
	case 2:
		if (bytes > 2)
			tpm_log_digests(data + 2, bytes - 2, data[1], 4, digest, DIGEST);
	}
	free(t);
}
