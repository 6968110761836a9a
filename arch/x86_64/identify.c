/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's identity, as any program can read it. Source: Intel SDM vol. 2, CPUID. */
#include "identify.h"

#include "asm.h"
#include "core/lib/mem.h"
#include "core/lib/splitmix.h"
#include "core/lib/ticks.h"

#define LEAF_VENDOR         0u
#define LEAF_VERSION        1u
#define LEAF_TSC_RATIO      0x15u
#define LEAF_FREQUENCY      0x16u
#define LEAF_HYPERVISOR     0x40000000u
#define LEAF_HYPERVISOR_END 0x40010000u
#define LEAF_BRAND          0x80000002u
#define LEAF_POWER          0x80000007u
#define ECX_RDRAND          (1u << 30)
#define EDX_INVARIANT       (1u << 8)
#define LEAF_TDX            0x21u
#define TDX_INTE            0x65746e49u /* "Inte" */
#define TDX_LTDX            0x5844546cu /* "lTDX" */
#define LEAF_SEV            0x8000001fu
#define EAX_SEV             (1u << 1)
#define MSR_SEV_STATUS      0xc0010131u
#define SEV_ON              (UINT64_C(1) << 0)
#define SEV_ES_ON           (UINT64_C(1) << 1)
#define SEV_SNP_ON          (UINT64_C(1) << 2)
#define LEAF_TIMING         0x10u /* behind a hypervisor's first */
#define EAX_KVM_CLOCK       (1u << 3)
#define MSR_KVM_CLOCK       0x4b564d01u
#define KVM_CLOCK_ENABLE    UINT64_C(1)

#define EAX_HYPERV_FREQUENCIES (1u << 11)
#define MSR_HYPERV_TSC_HZ      0x40000022u

static void identify_put(char *at, uint32_t a, uint32_t b, uint32_t c)
{
	memcpy(at, &a, 4);
	memcpy(at + 4, &b, 4);
	memcpy(at + 8, &c, 4);
}

/* VMware's and ACRN's leaf 40000010h, which KVM may show too: EAX is the TSC's rate in kHz. */
static uint64_t by_timing_leaf(const struct regs *regs, uint32_t base)
{
	if (regs->cpuid(base, 0).eax < base + LEAF_TIMING)
		return 0;
	return (uint64_t)regs->cpuid(base + LEAF_TIMING, 0).eax * 1000;
}

/* Linux, Documentation/virt/kvm/x86/msr.rst, MSR_KVM_SYSTEM_TIME_NEW */
struct kvm_clock {
	uint32_t version, padding;
	uint64_t tsc, system_ns;
	uint32_t mul; /* ns = (ticks << shift) * mul >> 32 */
	int8_t shift;
	uint8_t flags, reserved[2];
} __attribute__((aligned(64)));

static uint64_t rate_of(const struct kvm_clock *clock)
{
	uint64_t hz;

	if (!clock->version || !clock->mul || clock->shift < -31 || clock->shift > 31)
		return 0;
	hz = (NS_PER_S << 32) / clock->mul;
	return clock->shift < 0 ? hz << -clock->shift : hz >> clock->shift;
}

/* KVM's clock is switched on for a moment; it fills it in before the guest goes on. */
static uint64_t by_kvm_clock(const struct regs *regs, uint32_t base)
{
	static volatile struct kvm_clock clock;
	uint64_t found, hz = by_timing_leaf(regs, base);

	if (hz || !regs->wrmsr || !(regs->cpuid(base + 1, 0).eax & EAX_KVM_CLOCK) ||
	    !regs->rdmsr(MSR_KVM_CLOCK, &found) || (found & KVM_CLOCK_ENABLE))
		return hz;
	memset((void *)(uintptr_t)&clock, 0, sizeof(clock));
	if (!regs->wrmsr(MSR_KVM_CLOCK, (uintptr_t)&clock | KVM_CLOCK_ENABLE))
		return 0;
	regs->wrmsr(MSR_KVM_CLOCK, found);
	return rate_of((const struct kvm_clock *)(uintptr_t)&clock);
}

/* Hyper-V TLFS, 2.4.3 and HV_X64_MSR_TSC_FREQUENCY */
static uint64_t by_hyperv_msr(const struct regs *regs, uint32_t base)
{
	uint64_t hz;

	if (!regs->rdmsr || regs->cpuid(base, 0).eax < base + 3 ||
	    !(regs->cpuid(base + 3, 0).eax & EAX_HYPERV_FREQUENCIES))
		return 0;
	return regs->rdmsr(MSR_HYPERV_TSC_HZ, &hz) ? hz : 0;
}

/* Xen, public/arch-x86/cpuid.h, leaf 4, sub-leaf 0: ECX is the guest's rate in kHz. */
static uint64_t by_xen_leaf(const struct regs *regs, uint32_t base)
{
	if (regs->cpuid(base, 0).eax < base + 3)
		return 0;
	return (uint64_t)regs->cpuid(base + 3, 0).ecx * 1000;
}

/*
 * KVM and Xen may show the leaves of Hyper-V as well, and first, for Windows's sake ("Microsoft
 * Hv", or "Linux KVM Hv" as KVM itself fills them in): of several, the first row counts.
 */
static const struct hypervisor {
	const char *signature, *name;
	/* The guest's clock rate from the hypervisor, Hz; 0: unknown. `base` is its first leaf. */
	uint64_t (*rate)(const struct regs *regs, uint32_t base); /* NULL: it has none */
} hypervisors[] = {
	{ "KVMKVMKVM", "KVM", by_kvm_clock },
	{ "TCGTCGTCGTCG", "TCG", NULL },
	{ "VMwareVMware", "VMware", by_timing_leaf },
	{ "XenVMMXenVMM", "Xen", by_xen_leaf },
	{ "bhyve bhyve ", "bhyve", NULL },
	{ "ACRNACRNACRN", "ACRN", by_timing_leaf },
	{ "Jailhouse", "Jailhouse", NULL },
	{ "Linux KVM Hv", "KVM", NULL },
	{ "Microsoft Hv", "Hyper-V", by_hyperv_msr },
};

#define HYPERVISORS (sizeof(hypervisors) / sizeof(hypervisors[0]))
#define KVM         (&hypervisors[0])

/* The row of the interface at `base`; the end of the table if it is unknown. */
static const struct hypervisor *row_at(const struct regs *regs, uint32_t base)
{
	const struct hypervisor *row = hypervisors;
	char signature[13] = "";
	struct cpuid r = regs->cpuid(base, 0);

	identify_put(signature, r.ebx, r.ecx, r.edx);
	while (row < hypervisors + HYPERVISORS && strcmp(signature, row->signature))
		row++;
	return row;
}

/* Find a guest's first row that is shown, and its first leaf. NULL: no guest, or none is known. */
static const struct hypervisor *find_hypervisor(const struct regs *regs, uint32_t *base)
{
	const struct hypervisor *found = hypervisors + HYPERVISORS;

	if (!regs_is_guest(regs))
		return NULL;
	for (uint32_t leaf = LEAF_HYPERVISOR; leaf < LEAF_HYPERVISOR_END; leaf += 0x100) {
		const struct hypervisor *row = row_at(regs, leaf);

		if (row < found) {
			found = row;
			*base = leaf;
		}
	}
	return found < hypervisors + HYPERVISORS ? found : NULL;
}

uint32_t identify_kvm_features(const struct regs *regs)
{
	uint32_t base;

	return find_hypervisor(regs, &base) == KVM ? regs->cpuid(base + 1, 0).eax : 0;
}

static void name_hypervisor(const struct regs *regs, char *name, size_t cap)
{
	uint32_t base;
	const struct hypervisor *row = find_hypervisor(regs, &base);
	const char *found = row ? row->name : regs_is_guest(regs) ? "unknown" : "";

	for (size_t i = 0; i < cap - 1 && found[i]; i++)
		name[i] = found[i];
}

static void find_brand(const struct regs *regs, char brand[49])
{
	size_t start = 0;

	for (uint32_t i = 0; i < 3; i++) {
		struct cpuid r = regs_leaf(regs, LEAF_BRAND + i, 0);

		identify_put(brand + i * 16, r.eax, r.ebx, r.ecx);
		memcpy(brand + i * 16 + 12, &r.edx, 4);
	}
	while (brand[start] == ' ')
		start++;
	memmove(brand, brand + start, 49 - start);
}

/* The string may be a hypervisor's, of any bytes. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if (*s < ' ' || *s > '~')
			*s = '?';
}

static void find_model(const struct regs *regs, struct arch_identity *id)
{
	uint32_t eax = regs->cpuid(LEAF_VERSION, 0).eax;

	id->family = eax >> 8 & 0xf;
	id->model = eax >> 4 & 0xf;
	id->stepping = eax & 0xf;
	if (id->family == 6 || id->family == 15)
		id->model |= eax >> 12 & 0xf0;
	if (id->family == 15)
		id->family += eax >> 20 & 0xff;
}

static bool is_invariant(const struct regs *regs)
{
	return regs_leaf(regs, LEAF_POWER, 0).edx & EDX_INVARIANT;
}

void identify(const struct regs *regs, struct arch_identity *id)
{
	struct cpuid r = regs->cpuid(LEAF_VENDOR, 0);

	memset(id, 0, sizeof(*id));
	identify_put(id->vendor, r.ebx, r.edx, r.ecx);
	find_brand(regs, id->brand);
	make_printable(id->vendor);
	make_printable(id->brand);
	find_model(regs, id);
	name_hypervisor(regs, id->hypervisor, sizeof(id->hypervisor));
	id->clock_invariant = is_invariant(regs);
}

/* Other registers than CPUID's are for the machine's owner. */
static const struct regs any_program = { .cpuid = cpuid };

void arch_identify(struct arch_identity *id)
{
	identify(&any_program, id);
}

static uint64_t by_hypervisor(const struct regs *regs)
{
	uint32_t base;
	const struct hypervisor *row = find_hypervisor(regs, &base);

	return row && row->rate ? row->rate(regs, base) : 0;
}

/*
 * Leaf 15h: the TSC is the crystal's rate times a ratio. It gives no rate without the crystal's:
 * ECX is 0 on clients from Skylake to Comet Lake, servers to Cascade Lake, and Atom C3000.
 */
static uint64_t by_crystal(const struct regs *regs)
{
	struct cpuid r = regs_leaf(regs, LEAF_TSC_RATIO, 0);

	return r.eax ? (uint64_t)r.ecx * r.ebx / r.eax : 0;
}

/* Leaf 16h is rounded to MHz, and only an invariant TSC runs at the base frequency. */
static uint64_t by_base_frequency(const struct regs *regs)
{
	uint64_t mhz = regs_leaf(regs, LEAF_FREQUENCY, 0).eax & 0xffff;

	return is_invariant(regs) ? mhz * 1000000 : 0;
}

unsigned identify_clock(const struct regs *regs, struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	uint64_t crystal = by_crystal(regs), base = by_base_frequency(regs);
	uint64_t host = by_hypervisor(regs);
	unsigned n = 0;

	if (host)
		source[n++] = (struct tsc_rate_source){ "hypervisor", host, TSC_RATE_EXACT };
	if (crystal)
		source[n++] = (struct tsc_rate_source){ "cpuid15", crystal, TSC_RATE_EXACT };
	if (base)
		source[n++] = (struct tsc_rate_source){ "cpuid16", base, TSC_RATE_NOMINAL };
	return n;
}

unsigned arch_clock_sources(struct tsc_rate_source source[ARCH_CLOCK_SOURCES])
{
	return identify_clock(&any_program, source);
}

/*
 * IA32_BIOS_SIGN_ID: on Intel the revision is in the high half once CPUID ran after writing 0
 * (SDM vol. 3, 9.11.7.1), and so on Zhaoxin's, which follow it; AMD's patch level is in the low
 * half, and Hygon's, whose cores are AMD's.
 */
static const struct {
	const char *vendor;
	bool high;
} microcodes[] = {
	{ "GenuineIntel", true },  { "CentaurHauls", true },  { "  Shanghai  ", true },
	{ "AuthenticAMD", false }, { "HygonGenuine", false },
};

#define MICROCODES (sizeof(microcodes) / sizeof(microcodes[0]))

void identify_microcode(const struct regs *regs, struct arch_identity *id)
{
	size_t n = 0;
	uint64_t v;

	while (n < MICROCODES && strcmp(id->vendor, microcodes[n].vendor) != 0)
		n++;
	if (id->hypervisor[0] || n == MICROCODES ||
	    (microcodes[n].high && !regs->wrmsr(MSR_BIOS_SIGN, 0)))
		return;
	regs->cpuid(LEAF_VERSION, 0);
	if (!regs->rdmsr(MSR_BIOS_SIGN, &v))
		return;
	v = microcodes[n].high ? v >> 32 : v & 0xffffffff;
	id->microcode = (struct maybe){ .value = v, .known = v != 0 };
}

/*
 * Intel TDX module specification, CPUID leaf 21h; AMD APM vol. 2, 15.34.10, SEV_STATUS, which may
 * be read where leaf 8000001Fh has the bit.
 */
const char *identify_sealed(const struct regs *regs)
{
	struct cpuid r;
	uint64_t v;

	if (!regs_is_guest(regs))
		return NULL;
	r = regs_leaf(regs, LEAF_TDX, 0);
	if (r.ebx == TDX_INTE && r.edx == TDX_LTDX)
		return "Intel TDX";
	if (!(regs_leaf(regs, LEAF_SEV, 0).eax & EAX_SEV) || !regs->rdmsr(MSR_SEV_STATUS, &v) ||
	    !(v & SEV_ON))
		return NULL;
	return v & SEV_SNP_ON ? "AMD SEV-SNP" : v & SEV_ES_ON ? "AMD SEV-ES" : "AMD SEV";
}

uint64_t arch_entropy(void)
{
	uint64_t v = 0;

	/* If it has no number at the moment, it returns 0 (SDM vol. 2, RDRAND). */
	if (cpuid(LEAF_VERSION, 0).ecx & ECX_RDRAND)
		__asm__ volatile("rdrand %0" : "=r"(v) : : "cc");
	/* Every bit of the count reaches every bit of the result. */
	return splitmix_mix(v ^ clock_now() * UINT64_C(0x9e3779b97f4a7c15));
}

void arch_topology(struct topology *t, const struct acpi_info *acpi)
{
	(void)acpi;
	identify_topology(&any_program, t);
}
