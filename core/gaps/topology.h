/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of a logical core: package, core, thread; decoded from CPUID leaves. Sources: Intel SDM
 * vol. 2 (CPUID) and vol. 3, "Hierarchical mapping of shared resources"; AMD APM vol. 3, appendix
 * E.
 */
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

struct topology_leaf {
	uint32_t eax, ebx, ecx, edx;
};

/* Runs CPUID on the core to decode. It is not called for leaves above the highest. */
typedef struct topology_leaf topology_cpuid(void *ctx, uint32_t leaf, uint32_t subleaf);

/*
 * Decode the first of these sources that exists and is consistent: leaf 1Fh; 0Bh; AMD's 8000001Eh;
 * leaves 1 and 4 (AMD: 80000008h).
 */
void topology_decode(struct topology *t, topology_cpuid *cpuid, void *ctx);

/* True if both are known, and are threads of one core, or cores of one package. */
bool topology_same_core(const struct topology *a, const struct topology *b);
bool topology_same_package(const struct topology *a, const struct topology *b);
