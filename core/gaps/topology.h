/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a logical core sits: package, core, thread; decoded from CPUID leaves.
 * Sources: Intel SDM vol. 2 (CPUID) and vol. 3, "Hierarchical mapping of shared
 * resources"; AMD APM vol. 3, appendix E.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct topology {
	bool known;       /* false: the three numbers below mean nothing */
	uint32_t package; /* unique in the machine, not dense */
	uint32_t core;    /* unique in its package, not dense; on AMD family 15h a compute unit */
	uint32_t thread;  /* from 0 in its core */
	const char *type; /* "P" "E"; NULL where all cores are of one type */
};

struct topology_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/* CPUID on the core in question. The decoder asks for no leaf past the highest announced. */
typedef struct topology_leaf topology_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/*
 * Decode by the first of these that exists and does not contradict itself:
 * leaf 1Fh; 0Bh; AMD's 8000001Eh; leaves 1 and 4 (AMD: 80000008h).
 */
void topology_decode(struct topology *t, topology_cpuid *cpuid, void *ctx);

/* Are both known to be threads of one core, cores of one package? */
bool topology_same_core(const struct topology *a, const struct topology *b);
bool topology_same_package(const struct topology *a, const struct topology *b);
