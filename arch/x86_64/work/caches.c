/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Caches and instructions of this processor, for the kernels; both vendors' cache leaves have one
 * layout.
 */
#include "caches.h"

#include "arch/kernels.h"
#include "asm.h"

#define LEAF_INTEL   0x4u
#define LEAF_AMD     0x8000001du
#define LEAF_AMD_HAS 0x80000001u
#define ECX_TOPOLOGY (1u << 22) /* LEAF_AMD_HAS: TopologyExtensions */
#define CACHES_MAX   16u

#define ECX_FMA     (1u << 12) /* CPUID.01H */
#define ECX_OSXSAVE (1u << 27)
#define ECX_AVX     (1u << 28)
#define XCR0_AVX    0x6u /* SSE and AVX state */

/* EAX[4:0] */
#define TYPE_NONE        0u
#define TYPE_INSTRUCTION 2u

static void caches_from_cpuid(struct caches *c, const struct cpuid *r)
{
	uint64_t ways = (r->ebx >> 22) + 1, parts = (r->ebx >> 12 & 0x3ff) + 1;
	uint64_t bytes = ways * parts * ((r->ebx & 0xfff) + 1) * ((uint64_t)r->ecx + 1);
	uint32_t last_sharer = r->eax >> 14 & 0xfff, level = r->eax >> 5 & 7;

	caches_add(c, level, bytes);
	if (level != 3)
		return;
	for (c->l3_bits = 0; last_sharer >> c->l3_bits; c->l3_bits++)
		;
}

static bool read_leaf(struct caches *c, struct cpuid (*read)(uint32_t leaf, uint32_t subleaf),
		      uint32_t leaf)
{
	bool any = false;

	for (uint32_t n = 0; n < CACHES_MAX; n++) {
		struct cpuid r = read(leaf, n);

		if ((r.eax & 0x1f) == TYPE_NONE)
			break;
		any = true;
		if ((r.eax & 0x1f) != TYPE_INSTRUCTION)
			caches_from_cpuid(c, &r);
	}
	return any;
}

void caches_read(struct caches *c, struct cpuid (*read)(uint32_t leaf, uint32_t subleaf))
{
	*c = (struct caches){ 0 };
	if (read(0, 0).eax >= LEAF_INTEL && read_leaf(c, read, LEAF_INTEL))
		return;
	if (read(0x80000000u, 0).eax >= LEAF_AMD && read(LEAF_AMD_HAS, 0).ecx & ECX_TOPOLOGY)
		read_leaf(c, read, LEAF_AMD);
}

bool kernels_vectors(void)
{
	const uint32_t wanted = ECX_FMA | ECX_OSXSAVE | ECX_AVX;

	return (cpuid(1, 0).ecx & wanted) == wanted && (read_xcr0() & XCR0_AVX) == XCR0_AVX;
}

/* The TSC is fine enough to time any number of chunks. */
uint32_t kernels_chunks(void)
{
	return KERNEL_CHUNKS;
}

void kernels_caches(struct caches *c)
{
	caches_read(c, cpuid);
}
