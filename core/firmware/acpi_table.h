/* SPDX-License-Identifier: BSD-2-Clause */
/* State that core/firmware/acpi.c passes to the parsers of the single tables. */
#pragma once

#include "acpi.h"

#include <stdbool.h>
#include <stdint.h>

/* Header of all tables but RSDP and FACS, ACPI 6.5 section 5.2.6. */
#define ACPI_HEADER_BYTES    36
#define ACPI_HEADER_LENGTH   4
#define ACPI_HEADER_REVISION 8

#define ACPI_GAS_BYTES 12

/* Ports of x86 are below this. */
#define ACPI_IO_END 0x10000u

struct acpi_reader {
	struct acpi_info *info; /* NULL: SMBIOS is read, which reports the same way */
	const struct acpi_memory *memory;
	acpi_complaint *complain;
	void *ctx;
	unsigned complaints;
};

void acpi_complain_of(struct acpi_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Set the form of a table's entries, which begin at `first`, and cut the table after the last sound
 * one. An invalid length is reported.
 */
void acpi_check_entries(struct acpi_reader *r, struct acpi_table *t, uint32_t first,
			uint8_t length_at);

/* The entry at *at, which moves past it. NULL: the table ends there. */
const uint8_t *acpi_next_entry(const struct acpi_table *t, uint32_t *at);

/* Map the whole table called `name` at `address` and check its length. */
bool acpi_map_table(struct acpi_reader *r, const char *name, uint64_t address,
		    struct acpi_table *t);

/* The GAS at `offset`; the caller has checked that the table is long enough. */
struct acpi_gas acpi_gas_at(const struct acpi_table *t, uint32_t offset);

/* True if the address has no more bits than a physical address can have. */
bool acpi_is_physical(uint64_t address);

/* A register that the probe can reach: memory or I/O space, within it, not at 0. */
bool acpi_gas_usable(const struct acpi_gas *gas);

/* Report that the registers of a table cannot be at the address in its GAS. */
void acpi_complain_registers(struct acpi_reader *r, const struct acpi_table *t,
			     const struct acpi_gas *gas);

/*
 * Report an erratum of the system counter, which is not worked around. Linux, arm_arch_timer.c, has
 * all of them.
 */
void acpi_complain_counter(struct acpi_reader *r, const char *table, const char *erratum);

/* Add a region of PCI configuration space, unless it is impossible; `table` describes it. */
void acpi_add_ecam(struct acpi_reader *r, const char *table, const struct acpi_ecam *e);

/*
 * The parsers. Each is called once, with a table at least as long as its row in
 * core/firmware/acpi.c has it; defects are reported and the field in question stays zero.
 */
void acpi_parse_madt(struct acpi_reader *r, const struct acpi_table *t);
void acpi_parse_fadt(struct acpi_reader *r, const struct acpi_table *t);

/* The DSDT's physical address (ACPI 6.5, table 5.9), the extended one if there is one; 0: none. */
uint64_t acpi_fadt_dsdt(const struct acpi_table *t);
void acpi_parse_spcr(struct acpi_reader *r, const struct acpi_table *t);
void acpi_parse_mcfg(struct acpi_reader *r, const struct acpi_table *t);
void acpi_parse_iommus(struct acpi_reader *r, const struct acpi_table *t); /* DMAR, IVRS */
void acpi_parse_tpm2(struct acpi_reader *r, const struct acpi_table *t);

/* Add virtio devices, the TPM and \_S5 of the DSDT and the SSDTs, those with a right checksum. */
void acpi_read_aml(struct acpi_info *info, const struct acpi_memory *memory, uint64_t rsdp);
