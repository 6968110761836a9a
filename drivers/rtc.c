/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: Motorola MC146818A data sheet, "Address map" and "Update cycle". */
#include "rtc.h"

#include "arch/arch.h"
#include "core/lib/mem.h"

#define PORT_INDEX  0x70
#define PORT_DATA   0x71
#define NMI_ENABLED 0x00 /* bit 7 of the index port masks NMI: it stays clear */

#define REG_A       0x0a
#define REG_A_UIP   0x80 /* update in progress */
#define REG_B       0x0b
#define REG_B_BIN   0x04
#define REG_B_24H   0x02
#define REG_B_SET   0x80 /* updates are halted */
#define REG_D       0x0d
#define REG_D_VALID 0x80
#define HOUR_PM     0x80

#define UPDATE_POLLS 20000u /* polls of at least 1 us; an update takes 2 ms */
#define TRIES        4u

enum field { SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, FIELDS };

static const struct {
	uint8_t reg, min, max;
} fields[FIELDS] = {
	[SECOND] = { 0, 0, 59 }, [MINUTE] = { 2, 0, 59 }, [HOUR] = { 4, 0, 23 },
	[DAY] = { 7, 1, 31 },    [MONTH] = { 8, 1, 12 },  [YEAR] = { 9, 0, 99 },
};

static uint8_t read_reg(uint8_t reg)
{
	arch_out8(PORT_INDEX, NMI_ENABLED | reg);
	return arch_in8(PORT_DATA);
}

static bool wait_for_update(void)
{
	for (unsigned i = 0; i < UPDATE_POLLS; i++)
		if (!(read_reg(REG_A) & REG_A_UIP))
			return true;
	return false;
}

static void read_raw(uint8_t raw[FIELDS])
{
	for (unsigned i = 0; i < FIELDS; i++)
		raw[i] = read_reg(fields[i].reg);
}

/* Read until two reads are the same: else an update came in between. */
static bool read_steady(uint8_t raw[FIELDS])
{
	uint8_t again[FIELDS];

	for (unsigned i = 0; i < TRIES; i++) {
		if (!wait_for_update())
			return false;
		read_raw(raw);
		read_raw(again);
		if (!memcmp(raw, again, sizeof(again)))
			return true;
	}
	return false;
}

static uint8_t from_bcd(uint8_t v)
{
	return (uint8_t)((v >> 4) * 10 + (v & 0xf));
}

static bool decode(const uint8_t raw[FIELDS], uint8_t control, uint8_t out[FIELDS])
{
	for (unsigned i = 0; i < FIELDS; i++) {
		bool half_day = i == HOUR && !(control & REG_B_24H);
		bool pm = half_day && raw[i] & HOUR_PM;
		uint8_t v = half_day ? raw[i] & (uint8_t)~HOUR_PM : raw[i];

		v = control & REG_B_BIN ? v : from_bcd(v);
		if (half_day)
			v = (uint8_t)(v % 12 + (pm ? 12 : 0));
		if (v < fields[i].min || v > fields[i].max)
			return false;
		out[i] = v;
	}
	return true;
}

/* Days since 1 January 2000, for years 2000 to 2099. */
static uint64_t days(unsigned year, unsigned month, unsigned day)
{
	static const uint16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334 };
	bool leap = year % 4 == 0 && month > 2;

	return year * 365u + (year + 3) / 4 + before[month - 1] + leap + day - 1;
}

bool rtc_read(uint64_t *seconds)
{
	uint8_t raw[FIELDS], t[FIELDS];
	uint8_t control = read_reg(REG_B);

	if (control & REG_B_SET || !(read_reg(REG_D) & REG_D_VALID) || !read_steady(raw) ||
	    !decode(raw, control, t))
		return false;
	*seconds = ((days(t[YEAR], t[MONTH], t[DAY]) * 24 + t[HOUR]) * 60 + t[MINUTE]) * 60 +
		   t[SECOND];
	return true;
}
