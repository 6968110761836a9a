/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read of a core beside another. Printed by the probe and by `noisefloor show` alike.
 */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

/* "cpu 1 beside cpu 0: 1.350000 times (dram; chance: up to 1.021000)" */
void interfere_text(struct text *out, const struct record_interfere *r);
