/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of saved runs. */
#include "saved_name.h"

#define S_PER_DAY    86400u
#define DAYS_PER_ERA 146097u /* 400 years of the Gregorian calendar */
#define DAYS_TO_1970 719468u /* from 1 March of year 0 */
#define PRODUCT_MAX  48u
#define YEAR_10000   UINT64_C(253402300800) /* s since 1970 */

static void put_plain(struct text *out, const char *s)
{
	if (!s || !s[0])
		return;
	if (out->len)
		text_char(out, '-');
	text_file_name(out, s, PRODUCT_MAX);
}

/*
 * Years that begin in March have their leap day at the end. Source: H. Hinnant, "chrono-Compatible
 * Low-Level Date Algorithms".
 */
static void put_date(struct text *out, uint64_t seconds)
{
	uint64_t days = seconds / S_PER_DAY + DAYS_TO_1970, of_day = seconds % S_PER_DAY;
	uint64_t era = days / DAYS_PER_ERA, day = days % DAYS_PER_ERA;
	uint64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
	uint64_t month;

	day -= 365 * year + year / 4 - year / 100;
	month = (5 * day + 2) / 153;
	day -= (153 * month + 2) / 5;
	month = month < 10 ? month + 3 : month - 9;
	text_add(out, "%04u%02u%02u-%02u%02u%02u", (unsigned)(era * 400 + year + (month <= 2)),
		 (unsigned)month, (unsigned)day + 1, (unsigned)(of_day / 3600),
		 (unsigned)(of_day / 60 % 60), (unsigned)(of_day % 60));
}

void saved_name(struct text *out, uint64_t began_s, const char *product, const char *uuid)
{
	if (began_s && began_s < YEAR_10000)
		put_date(out, began_s);
	put_plain(out, product);
	put_plain(out, uuid);
	if (!out->len)
		text_add(out, "noisefloor");
}
