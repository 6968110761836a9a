/* SPDX-License-Identifier: BSD-2-Clause */
/* The RTC in each of its formats, in the middle of an update, absent, and gone mad. */
#include "arch/arch.h"
#include "drivers/rtc.h"

#include <string.h>
#include <time.h>

#include "tests/unit/common/test.h"

static uint8_t cmos[128], next_seconds;
static uint8_t selected;
static unsigned updating, reads, change_at;

void arch_out8(uint16_t port, uint8_t value)
{
	assert_int_equal(port, 0x70);
	assert_false(value & 0x80); /* bit 7 would mask NMIs */
	selected = value;
}

uint8_t arch_in8(uint16_t port)
{
	assert_int_equal(port, 0x71);
	if (++reads == change_at)
		cmos[0] = next_seconds;
	if (selected == 0x0a && updating) {
		updating--;
		return 0x80;
	}
	return cmos[selected];
}

static void set(unsigned control, const uint8_t t[6])
{
	static const uint8_t regs[] = { 9, 8, 7, 4, 2, 0 };

	memset(cmos, 0, sizeof(cmos));
	for (unsigned i = 0; i < 6; i++)
		cmos[regs[i]] = t[i];
	cmos[0x0b] = (uint8_t)control;
	cmos[0x0d] = 0x80;
	updating = reads = change_at = 0;
}

static uint64_t since_2000(int year, int month, int day, int hour, int minute, int second)
{
	struct tm tm = { .tm_year = year - 1900,
			 .tm_mon = month - 1,
			 .tm_mday = day,
			 .tm_hour = hour,
			 .tm_min = minute,
			 .tm_sec = second };

	return (uint64_t)timegm(&tm) - UINT64_C(946684800);
}

static uint64_t shown(void)
{
	uint64_t seconds;

	assert_true(rtc_read(&seconds));
	return seconds;
}

TEST(test_formats)
{
	set(0x02, (const uint8_t[]){ 0x26, 0x11, 0x21, 0x23, 0x59, 0x58 });
	assert_int_equal(shown(), since_2000(2026, 11, 21, 23, 59, 58));
	set(0x06, (const uint8_t[]){ 26, 11, 21, 23, 59, 58 });
	assert_int_equal(shown(), since_2000(2026, 11, 21, 23, 59, 58));
	/* Half days: 12 is the first hour of each. */
	set(0x00, (const uint8_t[]){ 0x26, 0x11, 0x21, 0x12, 0x00, 0x00 });
	assert_int_equal(shown(), since_2000(2026, 11, 21, 0, 0, 0));
	set(0x00, (const uint8_t[]){ 0x26, 0x11, 0x21, 0x92, 0x30, 0x00 });
	assert_int_equal(shown(), since_2000(2026, 11, 21, 12, 30, 0));
	set(0x04, (const uint8_t[]){ 26, 11, 21, 0x80 | 11, 0, 1 });
	assert_int_equal(shown(), since_2000(2026, 11, 21, 23, 0, 1));
}

/* Every day of a hundred years is one day after the one before. */
TEST(test_calendar)
{
	for (uint64_t day = 0; day < 36525; day++) {
		time_t t = (time_t)(day * 86400 + UINT64_C(946684800));
		const struct tm *tm = gmtime(&t);

		set(0x06,
		    (const uint8_t[]){ (uint8_t)(tm->tm_year - 100), (uint8_t)(tm->tm_mon + 1),
				       (uint8_t)tm->tm_mday, 0, 0, 0 });
		assert_int_equal(shown(), day * 86400);
	}
}

/* An update comes while the clock is read: the time is never torn. */
TEST(test_update)
{
	uint64_t before = since_2000(2026, 11, 21, 10, 20, 30);

	for (unsigned at = 1; at < 40; at++) {
		set(0x06, (const uint8_t[]){ 26, 11, 21, 10, 20, 30 });
		updating = at % 5;
		change_at = at;
		next_seconds = 31;
		assert_in_range(shown(), before, before + 1);
	}
}

static void assert_refused(void)
{
	uint64_t seconds;

	assert_false(rtc_read(&seconds));
}

TEST(test_refused)
{
	static const uint8_t good[] = { 26, 11, 21, 10, 20, 30 };

	memset(cmos, 0xff, sizeof(cmos));
	assert_refused();
	set(0x06, good);
	cmos[0x0d] = 0;
	assert_refused();
	set(0x06, good);
	updating = UINT32_MAX;
	assert_refused();
	for (unsigned i = 0; i < 6; i++) {
		static const uint8_t regs[] = { 0, 2, 4, 7, 8, 9 };

		set(0x06, good);
		cmos[regs[i]] = 100;
		assert_refused();
	}
	set(0x06, good);
	cmos[8] = 0;
	assert_refused();
}
