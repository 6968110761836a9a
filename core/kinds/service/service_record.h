/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a service's record means for cores that are to be left alone. Printed by the probe and by
 * `noisefloor show` alike.
 */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

#define SERVICE_RECORD_LONG_NS 10000u /* 10 us: from here on worth being kept off a core */

/*
 * "set_variable stops all 16 cores, 1.2 ms to 1.8 ms: confining EFI calls to a housekeeping core
 * does not help"
 */
void service_record_sentence(struct text *out, const struct record_service *r);

/* Calls bring SMIs, which stop all cores on nearly any machine, whether that was seen or not. */
bool service_record_has_smis(const struct record_service *r);
