/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of presets. A limit is the longest gap that does not fail. */
#include "preset.h"

#include "core/lib/mem.h"
#include "core/lib/ticks.h"

#define MINUTE_NS (60 * NS_PER_S)
#define HOUR_NS   (60 * MINUTE_NS)

static const struct preset presets[] = {
	{
		/*
		 * Their test requires max < 20 us, and our limit may be reached: so it is one ns
		 * less.
		 */
		.name = "openshift",
		.settings = "max=19999ns",
		.min_duration_ns = 12 * HOUR_NS,
		.source = "OpenShift 4.18 documentation, \"Performing latency tests for platform "
			  "verification\": max below 20 us, 12 h for a valid result",
	},
	{
		/* hwlatdetect fails when its maximum is over the threshold, 10 us if not given. */
		.name = "rhel-rt",
		.settings = "max=10us",
		.min_duration_ns = MINUTE_NS,
		.source = "RHEL for Real Time 8, hardware and firmware latency tests: hwlatdetect, "
			  "threshold 10 us",
	},
	{
		/* A limit of 1 us needs gaps recorded from 1 us on.  */
		.name = "rhel-rt-virt",
		.settings = "max=1us threshold=1us",
		.min_duration_ns = HOUR_NS,
		.source = "RHEL for Real Time 10, host BIOS setup for real-time virtualization: "
			  "hwlatdetect --threshold=1us --duration=60m",
	},
	{
		.name = "bits",
		.settings = "max=150us",
		.min_duration_ns = 15 * NS_PER_S,
		.source = "Intel BIOS Implementation Test Suite, smilatency.py: 150 us, 15 s",
	},
	{
		/* Percentiles, no verdict: no limit is published. */
		.name = "hft",
		.settings = "threshold=200ns",
		.min_duration_ns = 10 * NS_PER_S,
		.source = "sysjitter, AMD UG1586 Onload user guide: gaps from 200 ns, no limit",
	},
};

#define PRESETS (sizeof(presets) / sizeof(presets[0]))

const struct preset *preset_find(const char *name, size_t bytes)
{
	for (size_t i = 0; i < PRESETS; i++) {
		if (strlen(presets[i].name) == bytes && memcmp(presets[i].name, name, bytes) == 0)
			return &presets[i];
	}
	return NULL;
}

const struct preset *preset_at(size_t n)
{
	return n < PRESETS ? &presets[n] : NULL;
}

bool preset_is_short(const struct preset *preset, uint64_t sampled_ns)
{
	return sampled_ns < preset->min_duration_ns;
}

/*
 * Units, from long to short ones. The last three have smaller steps, for times that the units
 * before would round up too far.
 */
static const struct {
	uint64_t from_ns, step_ns;
	char name;
	uint8_t decimals; /* decimals of a step */
} units[] = {
	{ HOUR_NS, HOUR_NS / 10, 'h', 1 },        { MINUTE_NS, MINUTE_NS / 10, 'm', 1 },
	{ NS_PER_S, NS_PER_S / 10, 's', 1 },      { NS_PER_S, NS_PER_S / 1000, 's', 3 },
	{ NS_PER_S, NS_PER_S / 1000000, 's', 6 }, { NS_PER_S, 1, 's', 9 },
};

/* Append "12 h", "1.5 m": rounded to the nearest step that is at most `most`. */
static void add_time(struct text *t, uint64_t ns, uint64_t most)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t steps = (ns + units[i].step_ns / 2) / units[i].step_ns;
		bool whole = units[i].decimals == 1 && steps % 10 == 0;

		if (ns < units[i].from_ns || steps * units[i].step_ns > most)
			continue;
		text_fixed(t, whole ? steps / 10 : steps, whole ? 0 : units[i].decimals, 0);
		text_add(t, " %c", units[i].name);
		return;
	}
	text_duration(t, ns);
}

void preset_shortfall(const struct preset *preset, uint64_t sampled_ns, struct text *t)
{
	uint64_t required = preset->min_duration_ns;

	add_time(t, sampled_ns, required - 1);
	text_add(t, " of sampling is short of the ");
	add_time(t, required, required);
	text_add(t, " that preset %s requires", preset->name);
}
