/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A service's record as a sentence about cores that must not be disturbed. Printed by the probe and
 * by `noisefloor show` alike.
 */
#pragma once

#include "core/lib/text.h"
#include "core/records/record.h"

#define SERVICE_RECORD_LONG_NS 10000u /* 10 us: such a call should not run on an isolated core */

/*
 * "set_variable stops all 16 cores, 1.2 ms to 1.8 ms: confining it to a housekeeping core does not
 * help"
 */
void service_record_sentence(struct text *out, const struct record_service *r);

/*
 * True if the calls caused SMIs. On nearly any machine an SMI stops all cores, even if no sampling
 * core has noticed.
 */
bool service_record_has_smis(const struct record_service *r);
