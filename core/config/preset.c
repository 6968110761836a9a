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
		.max = "19999ns",
		.min_duration_ns = 12 * HOUR_NS,
		.source = "OpenShift 4.18 documentation, \"Performing latency tests for platform "
			  "verification\": max below 20 us, 12 h for a valid result",
	},
	{
		/* hwlatdetect fails when its maximum is over the threshold, 10 us if not given. */
		.name = "rhel-rt",
		.max = "10us",
		.min_duration_ns = MINUTE_NS,
		.source = "RHEL for Real Time 8, hardware and firmware latency tests: hwlatdetect, "
			  "threshold 10 us",
	},
	{
		/* A limit of 1 us needs gaps recorded from 1 us on.  */
		.name = "rhel-rt-virt",
		.max = "1us",
		.threshold = "1us",
		.min_duration_ns = HOUR_NS,
		.source = "RHEL for Real Time 10, host BIOS setup for real-time virtualization: "
			  "hwlatdetect --threshold=1us --duration=60m",
	},
	{
		.name = "bits",
		.max = "150us",
		.min_duration_ns = 15 * NS_PER_S,
		.source = "Intel BIOS Implementation Test Suite, smilatency.py: 150 us, 15 s",
	},
	{
		/* Percentiles, no verdict: no limit is published. */
		.name = "hft",
		.threshold = "200ns",
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

/* Append whole seconds: "12 h", "59 s"; a time below one second in smaller units. */
static void add_time(struct text *t, uint64_t ns)
{
	uint64_t s = ns / NS_PER_S;

	if (!s)
		text_duration(t, ns);
	else if (s % 3600 == 0)
		text_add(t, "%llu h", (unsigned long long)(s / 3600));
	else if (s % 60 == 0)
		text_add(t, "%llu m", (unsigned long long)(s / 60));
	else
		text_add(t, "%llu s", (unsigned long long)s);
}

void preset_shortfall(const struct preset *preset, uint64_t sampled_ns, struct text *t)
{
	add_time(t, sampled_ns);
	text_add(t, " of sampling is short of the ");
	add_time(t, preset->min_duration_ns);
	text_add(t, " that preset %s requires", preset->name);
}
