/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates in ISO 8601. */
#pragma once

#include "text.h"

#include <stdbool.h>
#include <stdint.h>

#define DATE_TEXT_MAX 32

struct date {
	uint16_t year;
	uint8_t month, day; /* from 1 */
	uint8_t hour, minute, second;
	bool zone_known;
	int16_t zone; /* minutes by which this time is ahead of UTC */
};

/*
 * "2025-01-31T12:34:56+01:00"; without the zone if it is not known. Prints nothing and returns
 * false for a clock that was never set: a year before 2000, a month 13.
 */
bool date_print(struct text *t, const struct date *date);

/* The date as a number without its zone, 20250131123456; 0 for a clock that was never set. */
uint64_t date_number(const struct date *date);
