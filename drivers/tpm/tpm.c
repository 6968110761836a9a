/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions shared by both interfaces. */
#include "tpm.h"

#include "arch/arch.h"
#include "core/lib/mem.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "isa.h"

/* Start methods of the TPM2 table (ACPI Specification 1.3, 8, table 8). */
#define START_MMIO 6u
#define START_CRB  7u

#define LOCALITY_BYTES 0x1000u
#define CONTROL_AT     0x40u /* in a locality's registers */
#define CONTROL_BYTES  0x30u

#define ABSENT UINT32_MAX

#define fail(t, ...) (text_print((t)->problem, sizeof((t)->problem), __VA_ARGS__), false)

static bool fail_to_map(struct tpm *t, uint64_t address)
{
	return fail(t, "its registers at 0x%llx cannot be reached", (unsigned long long)address);
}

/*
 * A control area in the page of a locality has the locality's registers before it; elsewhere, as
 * with firmware TPMs, there are none (Linux: crb_map_io()).
 */
static bool find_crb(struct tpm *t, uint64_t address)
{
	uint64_t page = address / LOCALITY_BYTES * LOCALITY_BYTES;

	t->kind = &tpm_crb;
	t->control = address;
	t->locality = address - page == CONTROL_AT ? page : 0;
	if (address % 4 || !arch_map_device(address, CONTROL_BYTES) ||
	    (t->locality && !arch_map_device(page, LOCALITY_BYTES)))
		return fail_to_map(t, address);
	return true;
}

/* Where an ISA has an address for FIFOs, the namespace's counts for nothing. */
static bool find_fifo(struct tpm *t, const struct acpi_info *acpi)
{
	t->kind = &tpm_fifo;
	t->locality = acpi->tpm_address ? acpi->tpm_address
		      : isa_tpm_fifo    ? isa_tpm_fifo
					: acpi->tpm_namespace;
	if (!t->locality)
		return fail(t, "neither the table TPM2 nor its device has its registers' address");
	if (t->locality % LOCALITY_BYTES || !arch_map_device(t->locality, LOCALITY_BYTES))
		return fail_to_map(t, t->locality);
	return true;
}

static bool tpm_find(struct tpm *t, const struct acpi_info *acpi)
{
	if (!acpi->tpm_start)
		return fail(t, "there is no ACPI table TPM2");
	if (acpi->tpm_start == START_CRB)
		return find_crb(t, acpi->tpm_address);
	if (acpi->tpm_start == START_MMIO)
		return find_fifo(t, acpi);
	return fail(t, "start method %u of the table TPM2 is not known; known are 6 and 7",
		    (unsigned)acpi->tpm_start);
}

bool tpm_open(struct tpm *t, const struct acpi_info *acpi, uint64_t hz)
{
	const char *wrong;

	*t = (struct tpm){ .hz = hz };
	if (tpm_find(t, acpi)) {
		wrong = arch_mmio_read32(t->locality ? t->locality : t->control) == ABSENT
				? "nothing answers at its address"
				: t->kind->look(t);
		if (!wrong)
			return true;
		text_print(t->problem, sizeof(t->problem), "%s", wrong);
	}
	t->kind = NULL;
	return false;
}

static bool exchange(struct tpm *t, size_t bytes, struct deadline *d)
{
	const char *wrong = t->kind->send(t, bytes, d);

	if (!wrong)
		wrong = t->kind->receive(t, d);
	t->kind->rest(t, wrong);
	if (!wrong)
		return true;
	t->kind = NULL;
	return fail(t, "%s", wrong);
}

static bool asks_for_patience(uint32_t code)
{
	return code == TPM_RC_RETRY || code == TPM_RC_YIELDED || code == TPM_RC_TESTING;
}

bool tpm_run(struct tpm *t, size_t bytes, uint64_t ms)
{
	uint8_t command[TPM_COMMAND_MAX];
	struct deadline d;
	uint32_t code;

	if (!t->kind)
		return false;
	steps_note("waiting for the TPM");
	d = deadline_in(ms, t->hz);
	memcpy(command, t->buffer, bytes);
	for (;;) {
		if (!exchange(t, bytes, &d))
			return false;
		code = tpm_code(t->buffer);
		if (code == TPM_RC_SUCCESS)
			return true;
		if (!asks_for_patience(code) || deadline_passed(&d))
			return fail(t, "it answers with code 0x%x", (unsigned)code);
		memcpy(t->buffer, command, bytes);
	}
}
