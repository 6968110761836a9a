/* SPDX-License-Identifier: BSD-2-Clause */
/* The place of a logical core: package, core, thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct topology {
	bool known;       /* false: the three numbers below mean nothing */
	uint32_t package; /* unique in the machine, not dense */
	uint32_t core;    /* unique in its package, not dense; on AMD family 15h a compute unit */
	uint32_t thread;  /* from 0 in its core */
	const char *type; /* "P" "E"; NULL if all cores are of one type */
};

/* True if both are known, and are cores of one package. */
static inline bool topology_same_package(const struct topology *a, const struct topology *b)
{
	return a->known && b->known && a->package == b->package;
}

/* True if both are known, and are threads of one core. */
static inline bool topology_same_core(const struct topology *a, const struct topology *b)
{
	return topology_same_package(a, b) && a->core == b->core;
}
