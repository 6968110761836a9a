/* SPDX-License-Identifier: BSD-2-Clause */
/* Presets: published limits, by name, each with its source. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct preset {
	const char *name;
	/* Configuration text: what the preset sets unless the key itself is given. */
	const char *settings;
	/*
	 * Sampling time, ns, below which the source considers a result invalid; reports mention it.
	 */
	uint64_t min_duration_ns;
	const char *source; /* publisher and title */
};

/* The preset of that name; NULL when there is none. */
const struct preset *preset_find(const char *name, size_t bytes);

/* The n-th preset, from 0; NULL past the last. */
const struct preset *preset_at(size_t n);
