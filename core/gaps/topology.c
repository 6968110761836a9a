/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every method gives an APIC id whose lowest bits number the threads of a core, the next ones the
 * cores of a package, and the rest the packages. The methods differ in how they find the id and the
 * two widths.
 */
#include "topology.h"

#include <stddef.h>

#define LEAF_VENDOR       0u
#define LEAF_VERSION      1u
#define LEAF_CACHE        4u
#define LEAF_FEATURES     7u
#define LEAF_TOPOLOGY     0x0bu
#define LEAF_HYBRID       0x1au
#define LEAF_TOPOLOGY_V2  0x1fu
#define LEAF_EXTENDED     0x80000000u
#define LEAF_AMD_FEATURES 0x80000001u
#define LEAF_AMD_SIZES    0x80000008u
#define LEAF_AMD_TOPOLOGY 0x8000001eu
#define LEAF_AMD_LEVELS   0x80000026u

/* Leaves 0Bh and 1Fh: ECX[15:8] is the level's type, EAX[4:0] the bits below the next level. */
#define LEVEL_NONE   0u
#define LEVEL_THREAD 1u
#define LEVELS_MAX   16u /* more than there are types */

#define EDX_HTT            (1u << 28) /* leaf 1: EBX[23:16] counts */
#define EDX_HYBRID         (1u << 15) /* leaf 7 */
#define ECX_AMD_TOPOLOGY   (1u << 22) /* 80000001h: TopologyExtensions */
#define EAX_AMD_HYBRID     (1u << 30) /* 80000026h: HeterogeneousCores */
#define HYBRID_TYPE_ATOM   0x20u      /* leaf 1Ah, EAX[31:24] */
#define HYBRID_TYPE_CORE   0x40u
#define AMD_TYPE_EFFICIENT 1u /* 80000026h, EBX[31:28] */

struct asker {
	topology_cpuid *cpuid;
	void *ctx;
	uint32_t highest, highest_extended; /* 0: none */
	bool amd;
};

struct layout {
	uint32_t id;
	unsigned thread_bits, package_bits; /* low bits of the APIC id: in a core, in a package */
};

static struct topology_leaf topology_ask(const struct asker *a, uint32_t leaf, uint32_t subleaf)
{
	return a->cpuid(a->ctx, leaf, subleaf);
}

static bool topology_has(const struct asker *a, uint32_t leaf)
{
	return leaf <= (leaf >= LEAF_EXTENDED ? a->highest_extended : a->highest);
}

/* "AuthenticAMD" and its licensee "HygonGenuine", by EBX. */
static bool is_amd(uint32_t ebx)
{
	return ebx == 0x68747541 || ebx == 0x6f677948;
}

static struct asker introduce(topology_cpuid *cpuid, void *ctx)
{
	struct asker a = { .cpuid = cpuid, .ctx = ctx };
	struct topology_leaf vendor = topology_ask(&a, LEAF_VENDOR, 0);
	uint32_t extended = topology_ask(&a, LEAF_EXTENDED, 0).eax;

	a.highest = vendor.eax;
	a.amd = is_amd(vendor.ebx);
	/* Processors without extended leaves answer with other numbers. */
	a.highest_extended = extended >> 16 == LEAF_EXTENDED >> 16 ? extended : 0;
	return a;
}

/* Bits needed to number `count` things; 0 for one, and for none. */
static unsigned bits_for(uint32_t count)
{
	unsigned bits = 0;

	while ((UINT64_C(1) << bits) < count)
		bits++;
	return bits;
}

/*
 * Leaf 0Bh or 1Fh. The last level's shift gives the package, whatever levels (module, tile, die)
 * are between. Firmware and hypervisors may leave the leaf empty, and some processors have shift 0
 * for a core of two threads.
 */
static bool by_levels(const struct asker *a, uint32_t leaf, struct layout *l)
{
	if (!topology_has(a, leaf))
		return false;

	*l = (struct layout){ 0 };
	for (uint32_t level = 0; level < LEVELS_MAX; level++) {
		struct topology_leaf r = topology_ask(a, leaf, level);
		uint32_t type = r.ecx >> 8 & 0xff;
		uint32_t processors = r.ebx & 0xffff;
		unsigned shift = r.eax & 0x1f;

		if (type == LEVEL_NONE || !processors)
			return level != 0;
		if (type == LEVEL_THREAD) {
			shift = shift ? shift : bits_for(processors);
			l->thread_bits = shift;
		}
		if (shift < l->package_bits || (level && r.edx != l->id))
			return false;
		l->package_bits = shift;
		l->id = r.edx;
	}
	return false;
}

/* Bits of the APIC id below the package: ApicIdSize, else enough for NC + 1 cores. */
static unsigned amd_package_bits(const struct asker *a)
{
	uint32_t ecx = topology_ask(a, LEAF_AMD_SIZES, 0).ecx;
	unsigned size = ecx >> 12 & 0xf;

	return size ? size : bits_for((ecx & 0xff) + 1);
}

static bool by_amd_leaf(const struct asker *a, struct layout *l)
{
	struct topology_leaf r;

	if (!a->amd || !topology_has(a, LEAF_AMD_TOPOLOGY) ||
	    !(topology_ask(a, LEAF_AMD_FEATURES, 0).ecx & ECX_AMD_TOPOLOGY))
		return false;

	r = topology_ask(a, LEAF_AMD_TOPOLOGY, 0);
	l->id = r.eax;
	l->thread_bits = bits_for((r.ebx >> 8 & 0xff) + 1);
	l->package_bits = amd_package_bits(a);
	return l->thread_bits <= l->package_bits;
}

/* Cores in a package: the number of ids reserved for them. Subleaf 0 is empty if the leaf is. */
static uint32_t cores_by_cache_leaf(const struct asker *a)
{
	uint32_t eax = topology_has(a, LEAF_CACHE) ? topology_ask(a, LEAF_CACHE, 0).eax : 0;

	return eax & 0x1f ? (eax >> 26) + 1 : 1;
}

/* AMD before 8000001Eh had no threads. */
static bool by_first_leaves(const struct asker *a, struct layout *l)
{
	struct topology_leaf r;

	if (!topology_has(a, LEAF_VERSION))
		return false;

	r = topology_ask(a, LEAF_VERSION, 0);
	*l = (struct layout){ .id = r.ebx >> 24 };
	if (!(r.edx & EDX_HTT))
		return true;
	if (a->amd && topology_has(a, LEAF_AMD_SIZES)) {
		l->package_bits = amd_package_bits(a);
		return true;
	}

	unsigned core_bits = bits_for(cores_by_cache_leaf(a));

	l->package_bits = bits_for(r.ebx >> 16 & 0xff);
	if (l->package_bits < core_bits)
		l->package_bits = core_bits;
	l->thread_bits = l->package_bits - core_bits;
	return true;
}

static bool find_layout(const struct asker *a, struct layout *l)
{
	return by_levels(a, LEAF_TOPOLOGY_V2, l) || by_levels(a, LEAF_TOPOLOGY, l) ||
	       by_amd_leaf(a, l) || by_first_leaves(a, l);
}

static const char *intel_type(const struct asker *a)
{
	if (!topology_has(a, LEAF_HYBRID) || !(topology_ask(a, LEAF_FEATURES, 0).edx & EDX_HYBRID))
		return NULL;
	switch (topology_ask(a, LEAF_HYBRID, 0).eax >> 24) {
	case HYBRID_TYPE_ATOM:
		return "E";
	case HYBRID_TYPE_CORE:
		return "P";
	default:
		return NULL;
	}
}

static const char *amd_type(const struct asker *a)
{
	struct topology_leaf r;

	if (!topology_has(a, LEAF_AMD_LEVELS))
		return NULL;
	r = topology_ask(a, LEAF_AMD_LEVELS, 0);
	if (!(r.eax & EAX_AMD_HYBRID) || r.ebx >> 28 > AMD_TYPE_EFFICIENT)
		return NULL;
	return r.ebx >> 28 == AMD_TYPE_EFFICIENT ? "E" : "P";
}

void topology_decode(struct topology *t, topology_cpuid *cpuid, void *ctx)
{
	struct asker a = introduce(cpuid, ctx);
	struct layout l;

	*t = (struct topology){ .type = a.amd ? amd_type(&a) : intel_type(&a) };
	if (!find_layout(&a, &l))
		return;
	t->known = true;
	t->thread = l.id & ((1u << l.thread_bits) - 1);
	t->core = (l.id & ((1u << l.package_bits) - 1)) >> l.thread_bits;
	t->package = l.id >> l.package_bits;
}

bool topology_same_package(const struct topology *a, const struct topology *b)
{
	return a->known && b->known && a->package == b->package;
}

bool topology_same_core(const struct topology *a, const struct topology *b)
{
	return topology_same_package(a, b) && a->core == b->core;
}
