/* SPDX-License-Identifier: BSD-2-Clause */
/* The facts from which isa_remarks_next() chooses its texts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct remarks_facts {
	uint64_t pfr1;  /* ID_AA64PFR1_EL1 */
	uint64_t sctlr; /* SCTLR of our own level */
	bool guest;     /* a hypervisor is, or may be, below */
	bool steals;    /* stolen time is offered */
	bool sdei;      /* SDEI is there */
	uint64_t midr;  /* MIDR_EL1 */
};

/* Returns the next text that applies, from row *from on, and moves *from past it; NULL: no more. */
const char *remarks_of(const struct remarks_facts *f, unsigned *from);
