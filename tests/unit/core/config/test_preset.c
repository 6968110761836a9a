/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: the published figures, and that a given key wins wherever it stands. */
#include "core/config/config.h"
#include "tests/unit/common/test.h"
#include "tests/unit/reported.h"

#include <string.h>

#define DEFAULT_THRESHOLD_NS 1000

static const struct config_source first = { "first", false };
static const struct config_source second = { "second", true };

static struct config config;
static struct reported reported;

static void setup(void)
{
	config_defaults(&config);
	memset(&reported, 0, sizeof(reported));
}

static void apply(const struct config_source *source, const char *text)
{
	assert_int_equal(config_apply(&config, source, text, strlen(text), reported_add, &reported),
			 0);
}

/* The figures as they are published; max_ns 0: no limit. */
static const struct {
	const char *name;
	uint64_t max_ns, threshold_ns, min_duration_s;
} published[] = {
	{ "openshift", 19999, DEFAULT_THRESHOLD_NS, 12 * 3600 },
	{ "rhel-rt", 10000, DEFAULT_THRESHOLD_NS, 60 },
	{ "rhel-rt-virt", 1000, 1000, 3600 },
	{ "bits", 150000, DEFAULT_THRESHOLD_NS, 15 },
	{ "hft", 0, 200, 10 },
};

#define PUBLISHED (sizeof(published) / sizeof(published[0]))

static void assert_preset_in_force(size_t i)
{
	assert_string_equal(config.preset->name, published[i].name);
	assert_int_equal(config.limit[LIMIT_MAX].set, published[i].max_ns != 0);
	assert_int_equal(config.limit[LIMIT_MAX].value, published[i].max_ns);
	assert_int_equal(config.threshold_ns, published[i].threshold_ns);
}

TEST_F(setup, NULL, test_figures)
{
	for (size_t i = 0; i < PUBLISHED; i++) {
		const struct preset *p = preset_find(published[i].name, strlen(published[i].name));
		char text[40];

		assert_non_null(p);
		assert_ptr_equal(preset_at(i), p);
		assert_int_equal(p->min_duration_ns,
				 published[i].min_duration_s * UINT64_C(1000000000));
		assert_true(strlen(p->source) > 20);

		setup();
		snprintf(text, sizeof(text), "preset=%s", p->name);
		apply(&first, text);
		assert_preset_in_force(i);
		assert_int_equal(config_check(&config, 1, reported_add, &reported), 0);
	}
	assert_null(preset_at(PUBLISHED));
	assert_null(preset_find("bit", 3));
	assert_null(preset_find("bitss", 5));
	assert_null(preset_find("", 0));
}

#define S UINT64_C(1000000000)

/* The sampled time is rounded down, so never up to what is required. */
TEST(test_shortfall)
{
	static const struct {
		const char *preset;
		uint64_t sampled_ns;
		const char *text;
	} rows[] = {
		{ "openshift", 2 * S, "2 s" },
		{ "openshift", 1998000000, "1 s" },
		{ "openshift", 998000000, "998 ms" },
		{ "openshift", 0, "0 ns" },
		{ "openshift", 90 * S, "90 s" },
		{ "openshift", 120 * S, "2 m" },
		{ "openshift", 11 * 3600 * S, "11 h" },
		{ "openshift", 12 * 3600 * S - 1, "43199 s" },
		{ "bits", 15 * S - 1000, "14 s" },
	};
	TEXT_DEFINE(t, 160);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct preset *p = preset_find(rows[i].preset, strlen(rows[i].preset));
		char wanted[80];

		assert_true(preset_is_short(p, rows[i].sampled_ns));
		text_reset(&t);
		preset_shortfall(p, rows[i].sampled_ns, &t);
		snprintf(wanted, sizeof(wanted), "%s of sampling is short of the ", rows[i].text);
		assert_memory_equal(t.buf, wanted, strlen(wanted));
	}
}

/* A preset does not make a run longer than it was asked to be. */
TEST_F(setup, NULL, test_duration_is_left_alone)
{
	apply(&first, "preset=openshift");
	assert_int_equal(config.duration_ns, UINT64_C(60000000000));
}

TEST_F(setup, NULL, test_given_key_wins_in_any_order)
{
	static const struct {
		const char *first, *second;
	} orders[] = {
		{ "max=5us preset=openshift", "" },
		{ "preset=openshift max=5us", "" },
		{ "max=5us", "preset=openshift" },
		{ "preset=openshift", "max=5us" },
		{ "preset=bits max=5us", "preset=openshift" },
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		setup();
		apply(&first, orders[i].first);
		apply(&second, orders[i].second);
		assert_true(config.limit[LIMIT_MAX].set);
		assert_int_equal(config.limit[LIMIT_MAX].value, 5000);
		assert_string_equal(config.preset->name, "openshift");
	}
}

TEST_F(setup, NULL, test_given_none_wins)
{
	apply(&first, "max=none preset=bits");
	assert_false(config.limit[LIMIT_MAX].set);
}

/* A later preset replaces an earlier one completely. */
TEST_F(setup, NULL, test_later_preset_replaces_earlier)
{
	for (size_t i = 0; i < PUBLISHED; i++) {
		for (size_t j = 0; j < PUBLISHED; j++) {
			char text[80];

			setup();
			snprintf(text, sizeof(text), "preset=%s", published[i].name);
			apply(&first, text);
			snprintf(text, sizeof(text), "preset=%s", published[j].name);
			apply(&second, text);
			assert_preset_in_force(j);
		}
	}
}

TEST_F(setup, NULL, test_none_takes_the_preset_back)
{
	apply(&first, "preset=hft");
	apply(&second, "preset=none");
	assert_null(config.preset);
	assert_int_equal(config.threshold_ns, DEFAULT_THRESHOLD_NS);
	assert_null(config_where(&config, "threshold").source);
}

TEST_F(setup, NULL, test_a_value_of_the_preset_is_blamed_on_it)
{
	struct config_place place;

	apply(&first, "\n\npreset=rhel-rt-virt");
	place = config_where(&config, "max");
	assert_true(place.by_preset);
	assert_string_equal(place.source, "first");
	assert_int_equal(place.line, 3);

	/* With a threshold of 5 us, a limit of 1 us cannot be checked. */
	apply(&second, "threshold=5us");
	assert_int_equal(config_check(&config, 1, reported_add, &reported), 1);
	assert_true(reported_has(&reported, "max=1us is below threshold=5us"));
	assert_string_equal(reported.at[0].source, "first");
	assert_int_equal(reported.at[0].line, 3);
}
