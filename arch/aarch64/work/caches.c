/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: Arm ARM (DDI 0487), D17.2: CCSIDR_EL1, CLIDR_EL1. */
#include "caches.h"

#include "core/firmware/acpi.h"

#define LEVELS             7u
#define TYPE(clidr, level) ((clidr) >> 3 * (level)&7)
#define TYPE_NONE          0
#define TYPE_DATA          2 /* alone; beside instructions; both in one */
#define TYPE_UNIFIED       4
#define LINE(ccsidr)       (16u << ((ccsidr)&7))
#define WAYS(ccsidr)       (((ccsidr) >> 3 & 0x3ff) + 1)
#define SETS(ccsidr)       (((ccsidr) >> 13 & 0x7fff) + 1)
#define WAYS_WIDE(ccsidr)  (((ccsidr) >> 3 & 0x1fffff) + 1)
#define SETS_WIDE(ccsidr)  (((ccsidr) >> 32 & 0xffffff) + 1)
#define LEAST              4096u /* one that is smaller stands for one that is not shown */

bool caches_of_table(struct caches *c, const struct acpi_info *acpi, uint32_t uid)
{
	uint64_t bytes[ACPI_CACHE_LEVELS];

	*c = (struct caches){ 0 };
	acpi_pptt_caches(acpi, uid, bytes);
	for (unsigned level = 0; level < ACPI_CACHE_LEVELS; level++)
		caches_add(c, level + 1, bytes[level]);
	return c->l1 && c->l2 > c->l1;
}

static uint64_t bytes_of(uint64_t ccsidr, bool wide)
{
	uint64_t ways = wide ? WAYS_WIDE(ccsidr) : WAYS(ccsidr);
	uint64_t sets = wide ? SETS_WIDE(ccsidr) : SETS(ccsidr);

	return LINE(ccsidr) * ways * sets;
}

void caches_of_registers(struct caches *c, uint64_t clidr, bool wide,
			 uint64_t (*ccsidr)(unsigned level))
{
	*c = (struct caches){ 0 };
	for (unsigned level = 0; level < LEVELS && TYPE(clidr, level) != TYPE_NONE; level++) {
		uint64_t type = TYPE(clidr, level), bytes;

		if (type < TYPE_DATA || type > TYPE_UNIFIED)
			continue;
		bytes = bytes_of(ccsidr(level), wide);
		if (bytes >= LEAST)
			caches_add(c, level + 1, bytes);
	}
}
