/* SPDX-License-Identifier: BSD-2-Clause */
/* What people read of mode=stretch. Printed by the probe and by `noisefloor show` alike. */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

/*
 * KERNEL PHASE     CPU  QUANTA  BEST(us)       P50       P99     P99.9      MAX      MEAN  ...
 * adds   alone       0    1024      33.1  1.000000  1.000812  1.031250  1.402  1.000123  ...
 *
 * GAPS, CLOCK, CPI and REST are factors of MEAN; n/a: no evidence, and in REST.
 */
void table_stretch_head(struct text *out);
void table_stretch(struct text *out, const struct record_stretch *r, uint64_t hz);

/* "cpu 1 beside cpu 0: 1.350000 times (dram; chance: up to 1.021000)" */
void table_interfere(struct text *out, const struct record_interfere *r);
