/* SPDX-License-Identifier: BSD-2-Clause */
/* Quirks of real machines. */
#pragma once

#include <efi.h>

#include <stdbool.h>
#include <stddef.h>

typedef void EFIAPI quirk_service(void);

/*
 * Set up once, before the probe starts. A quirk that consists of several has a row for each, all of
 * the same name.
 */
struct quirk {
	const char *name;
	bool (*set_up)(void);   /* false: not on this machine; NULL: a service is replaced */
	size_t service;         /* its offset in EFI_RUNTIME_SERVICES */
	quirk_service *instead; /* its replacement */
};

/* clang-format off */
#define QUIRK(word, function) { .name = (word), .set_up = (function) }
#define QUIRK_SERVICE(word, replaced, function)                               \
	{ .name = (word), .service = offsetof(EFI_RUNTIME_SERVICES, replaced), \
	  .instead = (quirk_service *)(function) }
#define QUIRKS_END { .name = NULL }
/* clang-format on */

/* The firmware's own runtime services. */
extern EFI_RUNTIME_SERVICES quirk_firmwares;

/*
 * Quirks by subject, and lists of quirks that only machines with this processor have. Each list
 * ends with QUIRKS_END.
 */
extern const struct quirk quirks_of_memory[], quirks_of_reset[], quirks_of_services[];
extern const struct quirk quirks_of_usb[];
extern const struct quirk *const quirks_of_processor[];

/* Fields of a table's header: ACPI 6.5, 5.2.6. */
#define TABLE_LENGTH   4
#define TABLE_REVISION 8
#define TABLE_SUM      9

/*
 * The firmware's XSDT, its entry of a table, and that table, in memory that the firmware lets be
 * written to; NULL: there is none.
 */
uint8_t *quirk_xsdt(void);
uint8_t *quirk_entry(const char *name);
uint8_t *quirk_table(const char *name);

/* Make a table's sum right. */
void quirk_sum(uint8_t *table);

/* A key=value for the probe. */
void quirk_option(const char *text);

/* One more range in the firmware's map. */
void quirk_map(EFI_MEMORY_DESCRIPTOR range);
