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
void stretch_text_head(struct text *out);
void stretch_text_row(struct text *out, const struct record_stretch *r, uint64_t hz);
