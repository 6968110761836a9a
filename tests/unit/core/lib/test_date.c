/* SPDX-License-Identifier: BSD-2-Clause */
/* Dates: zones on both sides of UTC, and what is no date. */
#include "core/lib/date.h"

#include "tests/unit/common/test.h"

static char buffer[DATE_TEXT_MAX];

static bool print(const struct date *date)
{
	struct text t;
	bool sane;

	text_init(&t, buffer, sizeof(buffer));
	sane = date_print(&t, date);
	assert_false(t.overflow);
	assert_int_equal(sane, t.len > 0);
	return sane;
}

static void assert_prints(struct date date, const char *wanted)
{
	assert_true(print(&date));
	assert_string_equal(buffer, wanted);
}

/* Without a zone. */
static struct date date(uint16_t year, uint8_t month, uint8_t day)
{
	return (struct date){ .year = year, .month = month, .day = day };
}

static struct date new_year(uint8_t hour, uint8_t minute, uint8_t second)
{
	struct date d = date(2025, 1, 1);

	d.hour = hour;
	d.minute = minute;
	d.second = second;
	return d;
}

TEST(test_zones)
{
	struct date d = new_year(2, 3, 4);

	d.zone = 60;
	assert_prints(d, "2025-01-01T02:03:04");
	d.zone_known = true;
	assert_prints(d, "2025-01-01T02:03:04+01:00");
	d.zone = 0;
	assert_prints(d, "2025-01-01T02:03:04+00:00");
	d.zone = -210;
	assert_prints(d, "2025-01-01T02:03:04-03:30");
	d.zone = 345;
	assert_prints(d, "2025-01-01T02:03:04+05:45");
	/* EFI_UNSPECIFIED_TIMEZONE, and what is none. */
	d.zone = 2047;
	assert_prints(d, "2025-01-01T02:03:04");
	d.zone = INT16_MIN;
	assert_prints(d, "2025-01-01T02:03:04");
}

TEST(test_days)
{
	static const struct {
		uint16_t year;
		uint8_t month, day;
		bool sane;
	} days[] = {
		{ 2024, 2, 29, true },  { 2025, 2, 29, false },  { 2000, 2, 29, true },
		{ 2100, 2, 29, false }, { 2025, 4, 31, false },  { 2025, 12, 31, true },
		{ 2025, 13, 1, false }, { 2025, 0, 1, false },   { 2025, 1, 0, false },
		{ 2025, 1, 32, false }, { 1999, 12, 31, false }, { 9999, 12, 31, true },
		{ 10000, 1, 1, false }, { 0, 0, 0, false },
	};

	for (size_t i = 0; i < sizeof(days) / sizeof(days[0]); i++) {
		const struct date d = date(days[i].year, days[i].month, days[i].day);

		assert_int_equal(print(&d), days[i].sane);
		assert_int_equal(date_number(&d) / 1000000,
				 days[i].sane
					 ? days[i].year * 10000 + days[i].month * 100 + days[i].day
					 : 0);
	}
}

TEST(test_times)
{
	struct date d;

	d = new_year(23, 59, 60);
	assert_prints(d, "2025-01-01T23:59:60");
	assert_int_equal(date_number(&d), 20250101235960);
	d = new_year(24, 0, 0);
	assert_false(print(&d));
	d = new_year(0, 60, 0);
	assert_false(print(&d));
	d = new_year(0, 0, 61);
	assert_false(print(&d));
}
