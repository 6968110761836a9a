/* SPDX-License-Identifier: BSD-2-Clause */
/* What isa_remarks_next() reports of a machine, by what was found of it. */
#pragma once

#include "core/firmware/acpi.h"

#include <stdbool.h>
#include <stdint.h>

struct remarks_facts {
	uint64_t pfr1;   /* ID_AA64PFR1_EL1 */
	uint64_t sctlr;  /* SCTLR of our own level */
	bool guest;      /* a hypervisor is, or may be, below */
	bool steals;     /* and offers stolen time */
	bool sdei;       /* SDEI is there */
	uint64_t midr;   /* MIDR_EL1 */
	uint32_t errata; /* of the counter, as tables have it: bits, by enum acpi_counter_erratum */
};

/* The next text that holds, from row *from on, which steps past it; NULL: no more. */
const char *remarks_of(const struct remarks_facts *f, unsigned *from);
