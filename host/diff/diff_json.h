/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What changed as one JSON document:
 *
 *   {"before":{"file":...,"sid":...,"whole":true},"after":{...},"unlike":["...",...],
 *    "differences":[{"field":...,"before":...,"after":...},...],
 *    "stages":[{"stage":...,"cores":{"before":4,"after":4},"exposure_ns":{...},
 *               "max_ns":{...},"rates":[{"what":"gaps","before":{"count":...,"per_s":...,
 *               "low":...,"high":...},"after":{...},"change":"less","log10_p":-4.2,
 *               "burst":1.0},...],"sources":[{"change":"gone","cause":...,"period_ns":...,
 *               "events":...,"origin":...,"hint":...,"why":null},...]},...],
 *    "outcome":"better"}
 */
#pragma once

#include "diff_compared.h"

void diff_json(const struct diff_compared *c);
