/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits: each has its key, the modes in which it may be set, the value that it is compared
 * with and where that comes from, and the reason that is printed.
 */
#include "core/config/config_keys.h"
#include "core/report/verdict.h"
#include "tests/unit/common/test.h"
#include "tests/unit/reported.h"

#include <string.h>

#define IN(mode) (1u << MODE_##mode)
#define HZ       UINT64_C(2000000000)

static struct config config;
static struct reported reported;

static const struct {
	enum limit limit;
	const char *text;
	uint64_t value;
	unsigned modes;
	unsigned of;
	/* The value that is read from cpu() and from record(). */
	struct maybe core, record;
	const char *reason; /* the value is one more than the limit */
} limits[LIMITS] = {
	{ LIMIT_MAX,
	  "max=20us",
	  20000,
	  IN(GAPS) | IN(SERVICES),
	  LIMIT_OF_GAPS | LIMIT_ON_CLOCK,
	  { 500, true },
	  { 501, true },
	  "max: longest gap 20001ns on cpu 7 exceeds the limit of 20us" },
	{ LIMIT_MAX_SMI,
	  "max_smi=3",
	  3,
	  IN(GAPS),
	  LIMIT_OF_GAPS,
	  { 5, true },
	  { 6, true },
	  "max_smi: SMIs 4 on cpu 7 exceeds the limit of 3" },
	{ LIMIT_MAX_NOISE,
	  "max_noise=10",
	  10,
	  IN(GAPS),
	  LIMIT_OF_GAPS | LIMIT_ON_CLOCK,
	  { 4000, true },
	  { 5000, true },
	  "max_noise: noise in ppm 11 on cpu 7 exceeds the limit of 10" },
	{ LIMIT_MAX_STRETCH,
	  "max_stretch=1.050000",
	  1050000,
	  IN(STRETCH),
	  LIMIT_OF_WORK,
	  { 1200000, true },
	  { 0, false },
	  "max_stretch: p99.9 of stretch 1.050001 on cpu 7 exceeds the limit of 1.050000" },
	{ LIMIT_SERVICE_MAX,
	  "service_max=1ms",
	  1000000,
	  IN(SERVICES),
	  LIMIT_OF_CALLS,
	  { 900, true },
	  { 0, false },
	  "service_max: longest call 1000001ns on cpu 7 exceeds the limit of 1ms" },
};

/* A core in which all numbers that a limit may read are different. */
static struct cpu *cpu(void)
{
	static struct cpu c;

	c = (struct cpu){ .index = 7,
			  .smi.moved = true,
			  .stage = { .length = 1100000,
				     .slow = 100000,
				     .gaps = 9,
				     .noise = 4000,
				     .max = 1000,
				     .smi = 5,
				     .smi_out = 6 },
			  .tail = { 1200000, true },
			  .call = { 900, true } };
	return &c;
}

static struct record_cpu record(void)
{
	return (struct record_cpu){ .cpu = 7,
				    .exposure_ns = 1000000,
				    .gaps = 8,
				    .noise_ns = 5000,
				    .max_ns = 501,
				    .smi = { 6, true } };
}

static void set(const char *text)
{
	static const struct config_source source = { "test", true };

	config_defaults(&config);
	memset(&reported, 0, sizeof(reported));
	assert_int_equal(
		config_apply(&config, &source, text, strlen(text), reported_add, &reported), 0);
}

static void assert_maybe(struct maybe found, struct maybe expected)
{
	assert_int_equal(found.known, expected.known);
	if (expected.known)
		assert_int_equal(found.value, expected.value);
}

/* The table above has each limit, and each key of a limit sets the limit of its row. */
TEST(test_keys)
{
	size_t keys = 0;

	for (const struct config_key *key = config_keys; key < config_keys + CONFIG_KEYS; key++) {
		if (!key->limit)
			continue;
		assert_true(keys < LIMITS);
		assert_int_equal(limits[keys].limit, keys);
		assert_string_equal(key->name, limit_row(limits[keys].limit)->name);
		keys++;
	}
	assert_int_equal(keys, LIMITS);
}

TEST(test_values)
{
	TEXT_DEFINE(printed, 80);

	for (unsigned l = 0; l < LIMITS; l++) {
		set(limits[l].text);
		for (unsigned other = 0; other < LIMITS; other++)
			assert_int_equal(config.limit[other].set, other == l);
		assert_int_equal(config.limit[l].value, limits[l].value);
		text_reset(&printed);
		config_print_limits(&config, &printed);
		assert_string_equal(printed.buf, limits[l].text);
	}
}

TEST(test_modes)
{
	for (unsigned l = 0; l < LIMITS; l++) {
		for (unsigned mode = 0; mode < MODES; mode++) {
			set(limits[l].text);
			config.mode = (enum config_mode)mode;
			assert_int_equal(config_check(&config, 1, reported_add, &reported),
					 !(limits[l].modes >> mode & 1));
		}
	}
}

TEST(test_exceeded)
{
	for (unsigned l = 0; l < LIMITS; l++) {
		uint64_t at = limits[l].value;

		set(limits[l].text);
		assert_false(limit_exceeded(&config, (enum limit)l, (struct maybe){ at, true }));
		assert_true(limit_exceeded(&config, (enum limit)l, (struct maybe){ at + 1, true }));
		assert_false(
			limit_exceeded(&config, (enum limit)l, (struct maybe){ at + 1, false }));
		set("");
		assert_false(
			limit_exceeded(&config, (enum limit)l, (struct maybe){ UINT64_MAX, true }));
	}
}

TEST(test_of)
{
	for (unsigned l = 0; l < LIMITS; l++) {
		set(limits[l].text);
		for (unsigned of = 1; of <= LIMIT_ON_CLOCK; of <<= 1)
			assert_int_equal(limit_any(&config, of), (limits[l].of & of) != 0);
		assert_true(limit_any(&config, LIMIT_OF_ALL));
	}
}

TEST(test_shortest)
{
	set("threshold=2us");
	assert_int_equal(limit_shortest_ns(&config), 2000);
	set("threshold=2us max=20us");
	assert_int_equal(limit_shortest_ns(&config), 20000);
	set("threshold=30us max=20us");
	assert_int_equal(limit_shortest_ns(&config), 30000);
}

TEST(test_of_core)
{
	struct verdict_core core;

	verdict_core_of_cpu(cpu(), HZ, &core);
	assert_int_equal(core.index, 7);
	for (unsigned l = 0; l < LIMITS; l++)
		assert_maybe(core.value[l], limits[l].core);
}

TEST(test_of_record)
{
	const struct record_cpu r = record();
	struct verdict_core core;

	verdict_core_of(&r, &core);
	assert_int_equal(core.index, 7);
	for (unsigned l = 0; l < LIMITS; l++)
		assert_maybe(core.value[l], limits[l].record);
}

/* One core, whose values exceed their limits by `over`; if that is negative, they are not known. */
static struct verdict_core core_over(int over)
{
	struct verdict_core core = { .index = 7 };

	for (unsigned l = 0; l < LIMITS; l++)
		core.value[l] = (struct maybe){ limits[l].value + (unsigned)over, over >= 0 };
	return core;
}

static struct verdict_reasons judged(int over)
{
	const struct verdict_core core = core_over(over);
	struct verdict_reasons r;

	verdict_judge_core(&r, &config, &core);
	return r;
}

TEST(test_reasons)
{
	struct verdict_reasons r;

	for (unsigned l = 0; l < LIMITS; l++) {
		set(limits[l].text);
		r = judged(0);
		assert_int_equal(r.verdict, VERDICT_PASS);
		assert_int_equal(r.count, 0);
		r = judged(1);
		assert_int_equal(r.verdict, VERDICT_FAIL);
		assert_int_equal(r.count, 1);
		assert_string_equal(r.text[0], limits[l].reason);
		r = judged(-1);
		assert_int_equal(r.verdict, VERDICT_INCOMPLETE);
	}
}

TEST(test_nothing_is_limited)
{
	set("");
	assert_int_equal(judged(1000).verdict, VERDICT_NONE);
	assert_int_equal(judged(-1).verdict, VERDICT_NONE);
	assert_false(limit_any(&config, LIMIT_OF_ALL | LIMIT_ON_CLOCK));
}
