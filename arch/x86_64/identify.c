/* SPDX-License-Identifier: BSD-2-Clause */
/* What the processor reports of itself to any program. Source: Intel SDM vol. 2, CPUID. */
#include "identify.h"

#include "asm.h"
#include "core/lib/mem.h"

#define LEAF_VENDOR         0u
#define LEAF_VERSION        1u
#define LEAF_TSC_RATIO      0x15u
#define LEAF_FREQUENCY      0x16u
#define LEAF_HYPERVISOR     0x40000000u
#define LEAF_HYPERVISOR_END 0x40010000u
#define LEAF_BRAND          0x80000002u
#define LEAF_POWER          0x80000007u
#define ECX_HYPERVISOR      (1u << 31)
#define ECX_RDRAND          (1u << 30)
#define EDX_INVARIANT       (1u << 8)

static const struct {
	const char *signature, *name;
} hypervisors[] = {
	{ "KVMKVMKVM", "KVM" },       { "TCGTCGTCGTCG", "TCG" },    { "Microsoft Hv", "Hyper-V" },
	{ "VMwareVMware", "VMware" }, { "XenVMMXenVMM", "Xen" },    { "bhyve bhyve ", "bhyve" },
	{ "ACRNACRNACRN", "ACRN" },   { "Jailhouse", "Jailhouse" },
};

static void put(char *at, uint32_t a, uint32_t b, uint32_t c)
{
	memcpy(at, &a, 4);
	memcpy(at + 4, &b, 4);
	memcpy(at + 8, &c, 4);
}

static void find_hypervisor(char *name, size_t cap)
{
	const char *found = "unknown";
	char signature[13] = "";

	if (!(cpuid(LEAF_VERSION, 0).ecx & ECX_HYPERVISOR))
		return;
	for (uint32_t leaf = LEAF_HYPERVISOR; leaf < LEAF_HYPERVISOR_END; leaf += 0x100) {
		struct cpuid r = cpuid(leaf, 0);

		put(signature, r.ebx, r.ecx, r.edx);
		for (size_t i = 0; i < sizeof(hypervisors) / sizeof(hypervisors[0]); i++) {
			if (!strcmp(signature, hypervisors[i].signature)) {
				found = hypervisors[i].name;
				leaf = LEAF_HYPERVISOR_END;
				break;
			}
		}
	}
	for (size_t i = 0; i < cap - 1 && found[i]; i++)
		name[i] = found[i];
}

static void find_brand(char brand[49])
{
	size_t start = 0;

	if (!cpuid_has(LEAF_BRAND + 2))
		return;
	for (uint32_t i = 0; i < 3; i++) {
		struct cpuid r = cpuid(LEAF_BRAND + i, 0);

		put(brand + i * 16, r.eax, r.ebx, r.ecx);
		memcpy(brand + i * 16 + 12, &r.edx, 4);
	}
	while (brand[start] == ' ')
		start++;
	memmove(brand, brand + start, 49 - start);
}

static void find_model(struct arch_identity *id)
{
	uint32_t eax = cpuid(LEAF_VERSION, 0).eax;

	id->family = eax >> 8 & 0xf;
	id->model = eax >> 4 & 0xf;
	id->stepping = eax & 0xf;
	if (id->family == 6 || id->family == 15)
		id->model |= eax >> 12 & 0xf0;
	if (id->family == 15)
		id->family += eax >> 20 & 0xff;
}

void arch_identify(struct arch_identity *id)
{
	struct cpuid r = cpuid(LEAF_VENDOR, 0);

	memset(id, 0, sizeof(*id));
	put(id->vendor, r.ebx, r.edx, r.ecx);
	find_brand(id->brand);
	find_model(id);
	find_hypervisor(id->hypervisor, sizeof(id->hypervisor));
	id->clock_invariant = cpuid_has(LEAF_POWER) &&
			      (cpuid(LEAF_POWER, 0).edx & EDX_INVARIANT) != 0;
}

/*
 * Leaf 15h: the TSC is the crystal's rate times a ratio. Without the crystal's rate (ECX 0, on
 * clients from Skylake to Comet Lake and servers to Cascade Lake) it gives none.
 */
static uint64_t by_crystal(const struct regs *regs)
{
	struct cpuid r = regs->cpuid(LEAF_TSC_RATIO, 0);

	return regs_has_leaf(regs, LEAF_TSC_RATIO) && r.eax ? (uint64_t)r.ecx * r.ebx / r.eax : 0;
}

/* Leaf 16h is rounded to MHz, and the TSC runs at base frequency only where it is invariant. */
static uint64_t by_base_frequency(const struct regs *regs)
{
	if (!regs_has_leaf(regs, LEAF_FREQUENCY) || !regs_has_leaf(regs, LEAF_POWER) ||
	    !(regs->cpuid(LEAF_POWER, 0).edx & EDX_INVARIANT))
		return 0;
	return (uint64_t)(regs->cpuid(LEAF_FREQUENCY, 0).eax & 0xffff) * 1000000;
}

unsigned identify_clock(const struct regs *regs, struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	uint64_t crystal = by_crystal(regs), base = by_base_frequency(regs);
	unsigned n = 0;

	if (crystal)
		source[n++] = (struct tsc_rate_source){ "cpuid15", crystal, TSC_RATE_EXACT };
	if (base)
		source[n++] = (struct tsc_rate_source){ "cpuid16", base, TSC_RATE_NOMINAL };
	return n;
}

unsigned arch_clock_sources(struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	static const struct regs any_program = { .cpuid = cpuid };

	return identify_clock(&any_program, source);
}

static bool rdrand(uint64_t *v)
{
	uint8_t ok = 0;

	if (cpuid(LEAF_VERSION, 0).ecx & ECX_RDRAND)
		__asm__ volatile("rdrand %0; setc %1" : "=r"(*v), "=qm"(ok) : : "cc");
	return ok;
}

uint64_t arch_entropy(void)
{
	uint64_t v = 0;

	if (!rdrand(&v))
		v = 0;
	v ^= clock_now() * UINT64_C(0x9e3779b97f4a7c15);
	/* splitmix64's finish: every bit of the count reaches every bit of the result. */
	v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
	return v ^ v >> 31;
}
