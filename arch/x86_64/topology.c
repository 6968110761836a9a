/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The place of a logical core, by the first of these sources that exists and is consistent: leaf
 * 1Fh; 0Bh; AMD's 8000001Eh. Core 2, Atoms before Silvermont, AMD before family 15h and some guests
 * have none. Each gives an APIC id whose lowest bits number the threads of a core, the next ones
 * the cores of a package, and the rest the packages. Sources: Intel SDM vol. 2 (CPUID) and vol. 3,
 * "Hierarchical mapping of shared resources"; AMD APM vol. 3, appendix E.
 */
#include "identify.h"

#define LEAF_VENDOR       0u
#define LEAF_FEATURES     7u
#define LEAF_TOPOLOGY     0x0bu
#define LEAF_HYBRID       0x1au
#define LEAF_TOPOLOGY_V2  0x1fu
#define LEAF_AMD_FEATURES 0x80000001u
#define LEAF_AMD_SIZES    0x80000008u
#define LEAF_AMD_TOPOLOGY 0x8000001eu
#define LEAF_AMD_LEVELS   0x80000026u

/* Leaves 0Bh and 1Fh: ECX[15:8] is the level's type, EAX[4:0] the bits below the next level. */
#define LEVEL_NONE   0u
#define LEVEL_THREAD 1u
#define LEVELS_MAX   16u /* more than there are types */

#define EDX_HYBRID         (1u << 15) /* leaf 7 */
#define ECX_AMD_TOPOLOGY   (1u << 22) /* 80000001h: TopologyExtensions */
#define EAX_AMD_HYBRID     (1u << 30) /* 80000026h: HeterogeneousCores */
#define HYBRID_TYPE_ATOM   0x20u      /* leaf 1Ah, EAX[31:24] */
#define HYBRID_TYPE_CORE   0x40u
#define AMD_TYPE_EFFICIENT 1u /* 80000026h, EBX[31:28] */

struct layout {
	uint32_t id;
	unsigned thread_bits, package_bits; /* low bits of the APIC id: in a core, in a package */
};

/* "AuthenticAMD" and its licensee "HygonGenuine", by EBX. */
static bool is_amd(const struct regs *regs)
{
	uint32_t ebx = regs->cpuid(LEAF_VENDOR, 0).ebx;

	return ebx == 0x68747541 || ebx == 0x6f677948;
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
static bool by_levels(const struct regs *regs, uint32_t leaf, struct layout *l)
{
	*l = (struct layout){ 0 };
	for (uint32_t level = 0; level < LEVELS_MAX; level++) {
		struct cpuid r = regs_leaf(regs, leaf, level);
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
static unsigned amd_package_bits(const struct regs *regs)
{
	uint32_t ecx = regs->cpuid(LEAF_AMD_SIZES, 0).ecx;
	unsigned size = ecx >> 12 & 0xf;

	return size ? size : bits_for((ecx & 0xff) + 1);
}

static bool by_amd_leaf(const struct regs *regs, struct layout *l)
{
	struct cpuid r = regs_leaf(regs, LEAF_AMD_TOPOLOGY, 0);

	if (!is_amd(regs) || !regs_has_leaf(regs, LEAF_AMD_TOPOLOGY) ||
	    !(regs->cpuid(LEAF_AMD_FEATURES, 0).ecx & ECX_AMD_TOPOLOGY))
		return false;
	l->id = r.eax;
	l->thread_bits = bits_for((r.ebx >> 8 & 0xff) + 1);
	l->package_bits = amd_package_bits(regs);
	return l->thread_bits <= l->package_bits;
}

static bool find_layout(const struct regs *regs, struct layout *l)
{
	return by_levels(regs, LEAF_TOPOLOGY_V2, l) || by_levels(regs, LEAF_TOPOLOGY, l) ||
	       by_amd_leaf(regs, l);
}

static const char *intel_type(const struct regs *regs)
{
	uint32_t type = regs_leaf(regs, LEAF_HYBRID, 0).eax >> 24;

	if (!(regs_leaf(regs, LEAF_FEATURES, 0).edx & EDX_HYBRID))
		return NULL;
	if (type == HYBRID_TYPE_ATOM)
		return "E";
	return type == HYBRID_TYPE_CORE ? "P" : NULL;
}

static const char *amd_type(const struct regs *regs)
{
	struct cpuid r = regs_leaf(regs, LEAF_AMD_LEVELS, 0);

	if (!(r.eax & EAX_AMD_HYBRID) || r.ebx >> 28 > AMD_TYPE_EFFICIENT)
		return NULL;
	return r.ebx >> 28 == AMD_TYPE_EFFICIENT ? "E" : "P";
}

void identify_topology(const struct regs *regs, struct topology *t)
{
	struct layout l;

	*t = (struct topology){ .type = is_amd(regs) ? amd_type(regs) : intel_type(regs) };
	if (!find_layout(regs, &l))
		return;
	t->known = true;
	t->thread = l.id & ((1u << l.thread_bits) - 1);
	t->core = (l.id & ((1u << l.package_bits) - 1)) >> l.thread_bits;
	t->package = l.id >> l.package_bits;
}
