/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A core's evidence besides exceptions. Stolen time is the ns that the core was ready to run while
 * its hypervisor ran something else. Source: Arm DEN0057A, PV_TIME_ST, which gives each core the
 * address of a structure of its own.
 */
#pragma once

#include "pmu.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Little-endian; 64 bytes of it are the core's. */
struct stolen_time {
	uint32_t revision;   /* 0 */
	uint32_t attributes; /* 0 */
	uint64_t ns;         /* written in a single access */
};

struct stolen {
	const volatile struct stolen_time *at; /* NULL: none */
	uint64_t last;
};

/* Open the structure at `at`, and count from now on; false: its format is unknown. */
static inline bool stolen_open(struct stolen *s, const volatile struct stolen_time *at)
{
	*s = (struct stolen){ .at = NULL };
	if (!at || (uintptr_t)at % 8 || at->revision || at->attributes)
		return false;
	*s = (struct stolen){ .at = at, .last = at->ns };
	return true;
}

/* ns since the last call. */
static inline uint64_t stolen_step(struct stolen *s, uint64_t now)
{
	uint64_t step = now - s->last;

	s->last = now;
	return step;
}

struct counters {
	struct pmu pmu;
	struct stolen stolen;
	/* The last reading. */
	struct pmu_now now;
	uint64_t stolen_now; /* ns */
};
