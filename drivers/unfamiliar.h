/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a machine has that this program does not know, so that the report of each such machine leads
 * to a new row in a table: a processor's family, a chipset's registers, a network card.
 */
#pragma once

#include "chipset.h"
#include "pci.h"

#include "core/lib/text.h"

#include <stdint.h>

struct arch_identity;

/*
 * "processor CentaurHauls family 7, chipset 8086:7a84 and its SMI sources, network card 10ec:8168";
 * nothing if all is known. Only reads configuration space.
 */
void unfamiliar_list(struct text *t, const struct arch_identity *id, const struct chipset *chipset,
		     const struct pci *pci);
