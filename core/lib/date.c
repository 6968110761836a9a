/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates, checked and printed. */
#include "date.h"

#define ZONE_MAX 1440 /* minutes; UEFI 2.10, 8.3, EFI_TIME */

static unsigned days_of(unsigned year, unsigned month)
{
	bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	if (month == 2)
		return leap ? 29 : 28;
	return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool is_sane(const struct date *d)
{
	if (d->year < 2000 || d->year > 9999 || d->month < 1 || d->month > 12)
		return false;
	if (d->day < 1 || d->day > days_of(d->year, d->month))
		return false;
	/* 60 is a leap second. */
	return d->hour < 24 && d->minute < 60 && d->second <= 60;
}

bool date_print(struct text *t, const struct date *d)
{
	int ahead = d->zone < 0 ? -d->zone : d->zone;

	if (!is_sane(d))
		return false;
	text_add(t, "%04u-%02u-%02uT%02u:%02u:%02u", d->year, d->month, d->day, d->hour, d->minute,
		 d->second);
	if (d->zone_known && ahead < ZONE_MAX)
		text_add(t, "%c%02d:%02d", d->zone < 0 ? '-' : '+', ahead / 60, ahead % 60);
	return true;
}

uint64_t date_number(const struct date *d)
{
	uint64_t day = d->year * UINT64_C(10000) + d->month * 100u + d->day;

	return is_sane(d) ? day * 1000000 + d->hour * 10000u + d->minute * 100u + d->second : 0;
}
