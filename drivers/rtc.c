/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: Motorola MC146818A data sheet, "Address map" and "Update cycle". */
#include "rtc.h"

#include "arch/arch.h"
#include "core/lib/mem.h"

/* The rate is not known, so the bound is for the fastest: two seconds and more at 8 GHz. */
#define SECOND_TICKS_MAX (UINT64_C(1) << 34)

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

/*
 * A rate shall be known to 1/512, as good as sources of its kind must agree (tsc_rate.c). With 2 ms
 * for an update that takes three seconds; a host that is busy, or SMIs, may make it some more.
 */
#define FINENESS    512u
#define SECONDS_MAX 30u

enum field { SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, FIELDS };

static const struct {
	uint8_t reg, min, max;
} fields[FIELDS] = {
	[SECOND] = { 0, 0, 59 }, [MINUTE] = { 2, 0, 59 }, [HOUR] = { 4, 0, 23 },
	[DAY] = { 7, 1, 31 },    [MONTH] = { 8, 1, 12 },  [YEAR] = { 9, 0, 99 },
};

static bool absent;

void rtc_is_absent(void)
{
	absent = true;
}

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
	uint8_t control;

	if (absent)
		return false;
	control = read_reg(REG_B);
	if (control & REG_B_SET || !(read_reg(REG_D) & REG_D_VALID) || !read_steady(raw) ||
	    !decode(raw, control, t))
		return false;
	*seconds = ((days(t[YEAR], t[MONTH], t[DAY]) * 24 + t[HOUR]) * 60 + t[MINUTE]) * 60 +
		   t[SECOND];
	return true;
}

/* A change of the second came between these two ticks. */
struct change {
	uint64_t seconds; /* the new one */
	uint64_t before;  /* the last read of the old one began */
	uint64_t read;    /* the first of the new one began */
	uint64_t after;   /* the first read of the new one ended */
};

static uint64_t width(const struct change *c)
{
	return c->after - c->before;
}

/* Returns false, and changes nothing, if the clock could not be read, as on a busy host. */
static bool read_bracketed(struct change *c, uint64_t *seconds)
{
	uint64_t read = clock_now();

	if (!rtc_read(seconds))
		return false;
	c->before = c->read;
	c->read = read;
	c->after = clock_now();
	return true;
}

/* Wait for the next change of the second. False: there is none. */
static bool next_second(struct change *c)
{
	uint64_t begin = clock_now(), now;

	do {
		if (read_bracketed(c, &now) && now != c->seconds) {
			c->seconds = now;
			return true;
		}
	} while (clock_now() - begin < SECOND_TICKS_MAX);
	return false;
}

/* A delay of the core widened the bracket around a change: wait for later changes. */
uint64_t rtc_measure(void)
{
	struct change first, last = { 0 };

	if (!read_bracketed(&last, &last.seconds) || !next_second(&last))
		return 0;
	first = last;
	for (unsigned i = 0; i < SECONDS_MAX; i++) {
		if (!next_second(&last) || last.seconds <= first.seconds)
			return 0;
		if ((width(&first) + width(&last)) * FINENESS <= last.after - first.after)
			return (last.after - first.after) / (last.seconds - first.seconds);
		if (width(&last) < width(&first))
			first = last;
	}
	return 0;
}
