/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons as one JSON document:
 *
 *   {"floor":{"file":...,"sid":...,"stage":...,"threshold_ns":...,"cores":...,"whole":...},
 *    "compared":[{"file":...,"line":...,"tool":...,"version":...,
 *      "threshold_ns":{"low":...,"high":...},"threshold":"assumed","refused":false,
 *      "cores":[{"cpu":0,"exposure_ns":...,"exposure":"stated","noise_ns":...,
 *                "events":...,"max_ns":...,"split_ns":...,"floor_ns":...,"nmi_ns":...,
 *                "irq_ns":...,"softirq_ns":...,"thread_ns":...,"unexplained_ns":...,
 *                "floor_expected_ns":...,"floor_bounds_ns":...,"added_ns":...,
 *                "floor_max_ns":...}, ...],
 *      "all":{...},"flags":[{"name":...,"text":...}, ...]}, ...]}
 *
 * Numbers of which only bounds are known are {"low":...,"high":...}; high is null where
 * there is none. What is not known is null. floor, the four causes and unexplained sum up
 * to split_ns, which is the lower bound of the noise.
 */
#pragma once

#include "split.h"

#include <jansson.h>

json_t *compare_json_floor(const struct floor *floor);
json_t *compare_json(const struct split_result *split);
