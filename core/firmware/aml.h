/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bytes of AML, searched without an interpreter: for devices by the identification that stands in
 * them. Source: ACPI 6.5, 20.2.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct aml {
	const uint8_t *at, *end;
};

/* True if `what` stands at a->at, and `needed` bytes are left from there on. */
bool aml_begins(const struct aml *a, const void *what, size_t bytes, size_t needed);

/* What to search for, as its bytes are in a table. */
struct aml_id {
	const char *what;
	size_t bytes;
};

/*
 * Visit the innermost Device around each place where one of the ids stands, `id` being its number,
 * from the first; a Device is visited once at most, so that this takes no longer than a table is
 * long. An id of no bytes ends the list. visit() returns true to end the search.
 */
void aml_devices(struct aml a, const struct aml_id ids[],
		 bool (*visit)(void *ctx, unsigned id, struct aml device), void *ctx);
