/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What people read of services: a row each, and a sentence on what it means for cores that are to
 * be left alone. Printed by the probe and by `noisefloor show` alike.
 */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

#define SERVICE_TEXT_LONG_NS 10000u /* 10 us: from here on worth being kept off a core */

/*
 * SERVICE               CALLS FAILED    MEDIAN       P99       MAX  SMIS  STOPPED    LONGEST
 * set_variable             10      0    1.3 ms    1.8 ms    1.8 ms    10 15 of 15     1.8 ms
 * hpet                    n/a  no such device
 */
void service_text_head(struct text *out);
void service_text_row(struct text *out, const struct record_service *r);

/*
 * "set_variable stops all 16 cores, 1.2 ms to 1.8 ms: confining EFI calls to a housekeeping core
 * does not help"
 */
void service_text_sentence(struct text *out, const struct record_service *r);

/* Calls bring SMIs, which stop all cores on nearly any machine, whether that was seen or not. */
bool service_text_has_smis(const struct record_service *r);
