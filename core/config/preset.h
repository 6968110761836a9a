/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: published limits, by name, each with its source. */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct preset {
	const char *name;
	/* Values of keys that are not given themselves; NULL: none. */
	const char *max, *threshold;
	/* Sampling time, ns, below which the source considers a result invalid: whole seconds. */
	uint64_t min_duration_ns;
	const char *source; /* publisher and title */
};

/* The preset of that name; NULL when there is none. */
const struct preset *preset_find(const char *name, size_t bytes);

/* The n-th preset, from 0; NULL past the last. */
const struct preset *preset_at(size_t n);

/* True if `sampled_ns` is below the time that the preset's source requires. */
bool preset_is_short(const struct preset *preset, uint64_t sampled_ns);

/*
 * Print the shortfall as a sentence without a full stop: "2 s of sampling is short of the 12 h that
 * preset openshift requires". Rounded down to seconds.
 */
void preset_shortfall(const struct preset *preset, uint64_t sampled_ns, struct text *t);
