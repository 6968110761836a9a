/* SPDX-License-Identifier: BSD-2-Clause */
/* The chosen source of the TSC's rate, and the clock that checks it. */
#include "core/gaps/tsc_rate.h"

#include <string.h>

#include "tests/unit/common/test.h"

#define KINDS TSC_RATE_KINDS

static struct tsc_rate choose(uint64_t exact, uint64_t nominal, uint64_t hpet, uint64_t pm,
			      uint64_t pit)
{
	const struct tsc_rate_source sources[] = {
		{ "cpuid15", exact, TSC_RATE_EXACT }, { "cpuid16", nominal, TSC_RATE_NOMINAL },
		{ "hpet", hpet, TSC_RATE_MEASURED },  { "pmtimer", pm, TSC_RATE_MEASURED },
		{ "pit", pit, TSC_RATE_COARSE },
	};
	struct tsc_rate rate;

	tsc_rate_choose(&rate, sources, sizeof(sources) / sizeof(sources[0]));
	return rate;
}

static void assert_name(const char *name, const char *want)
{
	assert_int_equal(name != NULL, want != NULL);
	if (want)
		assert_string_equal(name, want);
}

#define MHZ UINT64_C(1000000)

TEST(test_choose)
{
	static const struct {
		uint64_t exact, nominal, hpet, pm, pit;
		uint64_t hz;
		const char *source, *by;
		uint64_t ppm;
		const char *refused;
	} rows[] = {
		/* A Xeon Gold 5218R board with a spread clock (LKML, Intel S2600WFT). */
		{ 0, 2100 * MHZ, 2095077000, 2095079000, 0, 2095077000, "hpet", "pmtimer", 0,
		  "cpuid16" },
		{ 0, 2100 * MHZ, 2095077000, 0, 0, 2095077000, "hpet", "cpuid16", 2344, "cpuid16" },
		{ 0, 2100 * MHZ, 0, 2095077000, 0, 2095077000, "pmtimer", "cpuid16", 2344,
		  "cpuid16" },
		/* A Core i7-7700HQ. */
		{ 0, 2800 * MHZ, 2808000000, 2808001000, 0, 2808000000, "hpet", "pmtimer", 0,
		  "cpuid16" },
		/* A nominal rate is never better than one that is measured. */
		{ 0, 2000 * MHZ, 2000000700, 0, 0, 2000000700, "hpet", "cpuid16", 0, NULL },
		/* If the crystal's rate is known, so is the TSC's. */
		{ 2000000000, 0, 2000002000, 1999000000, 0, 2000000000, "cpuid15", "hpet", 0,
		  "pmtimer" },
		{ 2000000000, 0, 2000200000, 2000199000, 0, 2000000000, "cpuid15", "hpet", 99,
		  NULL },
		/* A crystal's rate that is off is refused, even without a second witness. */
		{ 2000000000, 0, 2000204000, 2000203000, 0, 2000204000, "hpet", "pmtimer", 0,
		  "cpuid15" },
		{ 2002000000, 0, 2000000000, 0, 0, 2000000000, "hpet", "cpuid15", 999, "cpuid15" },
		/* Two of three sources agree. */
		{ 2000000000, 0, 2100000000, 2000001000, 0, 2000000000, "cpuid15", "pmtimer", 0,
		  "hpet" },
		{ 0, 2000 * MHZ, 2100000000, 2000001000, 0, 2000001000, "pmtimer", "cpuid16", 0,
		  "hpet" },
		/* Both leaves are of one fuse: neither confirms the other. */
		{ 2200 * MHZ, 2200 * MHZ, 2134000000, 2134001000, 0, 2134000000, "hpet", "pmtimer",
		  0, "cpuid15" },
		{ 2200 * MHZ, 2200 * MHZ, 2134000000, 0, 0, 2134000000, "hpet", "cpuid15", 30000,
		  "cpuid15" },
		{ 2200 * MHZ, 2200 * MHZ, 2200000500, 0, 0, 2200 * MHZ, "cpuid15", "hpet", 0,
		  NULL },
		{ 2200 * MHZ, 2200 * MHZ, 0, 0, 0, 2200 * MHZ, "cpuid15", "cpuid16", 0, NULL },
		/* One source alone. */
		{ 2000000000, 0, 0, 0, 0, 2000000000, "cpuid15", NULL, 0, NULL },
		{ 0, 2000 * MHZ, 0, 0, 0, 2000 * MHZ, "cpuid16", NULL, 0, NULL },
		{ 0, 0, 3000000000, 0, 0, 3000000000, "hpet", NULL, 0, NULL },
		{ 0, 0, 0, 0, 0, 0, NULL, NULL, 0, NULL },
		/* Seconds: 3.5 GHz by Bochs's CPUID, which counts 100 million a second. */
		{ 0, 3500 * MHZ, 0, 0, 100010000, 100010000, "pit", "cpuid16", 971425, "cpuid16" },
		{ 0, 2000 * MHZ, 0, 0, 2003000000, 2000 * MHZ, "cpuid16", "pit", 1497, NULL },
		{ 3000000000, 0, 0, 0, 2000000000, 2000000000, "pit", "cpuid15", 333333,
		  "cpuid15" },
		{ 0, 0, 3000000000, 0, 2000000000, 3000000000, "hpet", "pit", 500000, "pit" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsc_rate r = choose(rows[i].exact, rows[i].nominal, rows[i].hpet, rows[i].pm,
					   rows[i].pit);

		assert_name(r.source, rows[i].source);
		assert_int_equal(r.hz, rows[i].hz);
		assert_name(r.audited_by, rows[i].by);
		assert_int_equal(r.audit_ppm.known, rows[i].by != NULL);
		/* The deviation is relative to either rate, rounded either way. */
		if (rows[i].by)
			assert_in_range(r.audit_ppm.value, rows[i].ppm, rows[i].ppm + 6);
		assert_name(r.refused.name, rows[i].refused);
	}
}

TEST(test_explain)
{
	struct tsc_rate r = choose(0, 2100 * MHZ, 2095077000, 2095079000, 0);
	TEXT_DEFINE(t, 300);

	assert_true(tsc_rate_explain(&r, &t));
	assert_string_equal(t.buf, "the TSC runs at 2095077000 Hz by hpet, confirmed by pmtimer: "
				   "cpuid16 reports 2100000000 Hz, which is 2349 ppm off and not "
				   "used");
	r = choose(0, 2100 * MHZ, 2095077000, 0, 0);
	text_reset(&t);
	assert_true(tsc_rate_explain(&r, &t));
	assert_string_equal(t.buf, "the TSC runs at 2095077000 Hz by hpet: cpuid16 reports "
				   "2100000000 Hz, which is 2349 ppm off and not used");
	r = choose(2100 * MHZ, 0, 2100000001, 0, 0);
	text_reset(&t);
	assert_false(tsc_rate_explain(&r, &t));
	assert_int_equal(t.len, 0);
}

TEST(test_nonsense)
{
	struct tsc_rate_source many[20];
	struct tsc_rate r = choose(UINT64_MAX, 0, 1, 0, 0);

	assert_int_equal(r.hz, 1);
	assert_int_equal(r.audit_ppm.value, UINT64_MAX);
	for (unsigned i = 0; i < 20; i++)
		many[i] = (struct tsc_rate_source){ "many", i + 1,
						    (enum tsc_rate_kind)(i % KINDS) };
	tsc_rate_choose(&r, many, 20);
	assert_non_null(r.source);
}
