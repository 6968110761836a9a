/* SPDX-License-Identifier: BSD-2-Clause */
/* The processor's identity, by mocked leaves. */
#include "identify.h"

#include "mocked_leaves.h"

#define MHZ       UINT64_C(1000000)
#define INVARIANT (1u << 8)
#define GUEST     (1u << 31)

/* The one register that there is. */
static struct {
	uint32_t number;
	uint64_t value;
	bool keeps; /* its value, whatever is written */
	unsigned reads, writes;
	bool kvm_clock; /* writing an address with bit 0 fills in what is there */
	uint32_t mul;
	int8_t shift;
} msr;

static bool mock_rdmsr(uint32_t number, uint64_t *value)
{
	msr.reads++;
	*value = msr.value;
	return number == msr.number;
}

static bool mock_wrmsr(uint32_t number, uint64_t value)
{
	msr.writes++;
	if (number != msr.number)
		return false;
	if (!msr.keeps)
		msr.value = value;
	if (msr.kvm_clock && (value & 1)) {
		uint8_t *area = (uint8_t *)(uintptr_t)(value & ~UINT64_C(1));

		area[0] = 2; /* version */
		memcpy(area + 24, &msr.mul, 4);
		memcpy(area + 28, &msr.shift, 1);
	}
	return true;
}

static const struct regs mock = { mocked_cpuid, mock_rdmsr, mock_wrmsr, NULL };

/* Add a processor's vendor, in leaf 0, and signature, in leaf 1. */
static void add_processor(const char *vendor, uint32_t signature)
{
	mocked_vendor(mocked_cpuid(0, 0).eax, vendor);
	mocked_set(1, MOCKED_ANY, signature, 0, 0, 0);
}

static void lay(uint32_t highest, bool invariant)
{
	mocked_leaves = 0;
	memset(&msr, 0, sizeof(msr));
	mocked_set(0, MOCKED_ANY, highest, 0, 0, 0);
	mocked_set(0x80000000u, MOCKED_ANY, 0x80000008u, 0, 0, 0);
	mocked_set(0x80000007u, MOCKED_ANY, 0, 0, 0, invariant ? INVARIANT : 0);
}

static void check_source(const struct tsc_rate_source *s, const char *name, uint64_t hz,
			 enum tsc_rate_kind kind)
{
	assert_string_equal(s->name, name);
	assert_int_equal(s->hz, hz);
	assert_int_equal(s->kind, kind);
}

/*
 * Leaf 15h is exact if it has the crystal's rate, and shows nothing without it; leaf 16h is
 * nominal.
 */
TEST(test_clock_leaves)
{
	static const struct {
		uint32_t highest, ratio[2], crystal, mhz;
		uint64_t exact, nominal; /* 0: there is none */
		bool varies;
	} rows[] = {
		/* An i9-13900K: 38.4 MHz * 156 / 2 */
		{ 0x20, { 2, 156 }, 38400000, 3000, 2995200000, 3000 * MHZ, false },
		/* Cascade Lake: no crystal's rate. */
		{ 0x16, { 2, 168 }, 0, 2100, 0, 2100 * MHZ, false },
		/* Denverton: none either, nor a leaf 16h. Apollo Lake reports a crystal's rate. */
		{ 0x15, { 3, 240 }, 0, 0, 0, 0, false },
		{ 0x15, { 3, 171 }, 19200000, 0, 1094400000, 0, false },
		/* No ratio; no leaf; a TSC that is not invariant. */
		{ 0x15, { 0, 156 }, 38400000, 0, 0, 0, false },
		{ 0x14, { 2, 156 }, 38400000, 3000, 0, 0, false },
		{ 0x16, { 0, 0 }, 0, 3000, 0, 0, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsc_rate_source s[ARCH_CLOCK_SOURCES];
		unsigned n = 0;

		lay(rows[i].highest, !rows[i].varies);
		mocked_set(0x15, MOCKED_ANY, rows[i].ratio[0], rows[i].ratio[1], rows[i].crystal,
			   0);
		mocked_set(0x16, MOCKED_ANY, rows[i].mhz, 5800, 100, 0);
		assert_int_equal(identify_clock(&mock, s), !!rows[i].exact + !!rows[i].nominal);
		if (rows[i].exact)
			check_source(&s[n++], "cpuid15", rows[i].exact, TSC_RATE_EXACT);
		if (rows[i].nominal)
			check_source(&s[n], "cpuid16", rows[i].nominal, TSC_RATE_NOMINAL);
	}
}

TEST(test_models)
{
	static const struct {
		const char *vendor;
		uint32_t signature, family, model, stepping;
	} rows[] = {
		{ "GenuineIntel", 0x50657, 6, 0x55, 7 },
		{ "GenuineIntel", 0xf29, 15, 2, 9 },
		{ "AuthenticAMD", 0x830f10, 0x17, 0x31, 0 },
		{ "AuthenticAMD", 0x100f42, 0x10, 4, 2 },
		/* The model of another family is of four bits. */
		{ "GenuineIntel", 0x30543, 5, 4, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct arch_identity id;

		lay(0x16, i & 1);
		add_processor(rows[i].vendor, rows[i].signature);
		identify(&mock, &id);
		assert_string_equal(id.vendor, rows[i].vendor);
		assert_int_equal(id.family, rows[i].family);
		assert_int_equal(id.model, rows[i].model);
		assert_int_equal(id.stepping, rows[i].stepping);
		assert_int_equal(id.clock_invariant, i & 1);
	}
}

static void lay_guest(void)
{
	lay(0x16, true);
	mocked_set(1, MOCKED_ANY, 0x50654, 0, GUEST, 0);
}

static void check_hypervisor(const char *name)
{
	struct arch_identity id;

	identify(&mock, &id);
	assert_string_equal(id.hypervisor, name);
}

TEST(test_hypervisors)
{
	static const struct {
		const char *signature, *name;
	} rows[] = {
		{ "KVMKVMKVM\0\0\0", "KVM" },       { "Linux KVM Hv", "KVM" },
		{ "TCGTCGTCGTCG", "TCG" },          { "Microsoft Hv", "Hyper-V" },
		{ "VMwareVMware", "VMware" },       { "XenVMMXenVMM", "Xen" },
		{ "bhyve bhyve ", "bhyve" },        { "ACRNACRNACRN", "ACRN" },
		{ "Jailhouse\0\0\0", "Jailhouse" }, { "NobodyKnows.", "unknown" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lay_guest();
		mocked_hypervisor(0x40000000u, 0x40000001u, rows[i].signature);
		check_hypervisor(rows[i].name);
		/* Without the hypervisor bit of leaf 1, the leaves mean nothing. */
		lay(0x16, true);
		mocked_set(1, MOCKED_ANY, 0x50654, 0, 0, 0);
		mocked_hypervisor(0x40000000u, 0x40000001u, rows[i].signature);
		check_hypervisor("");
	}
	lay_guest();
	check_hypervisor("unknown");
}

/* KVM and Xen show Hyper-V's leaves first, for guests that know no others. */
TEST(test_hypervisors_in_disguise)
{
	lay_guest();
	mocked_hypervisor(0x40000000u, 0x40000005u, "Microsoft Hv");
	mocked_hypervisor(0x40000100u, 0x40000101u, "KVMKVMKVM\0\0\0");
	check_hypervisor("KVM");
	lay_guest();
	mocked_hypervisor(0x40000000u, 0x40000005u, "Microsoft Hv");
	mocked_hypervisor(0x4000ff00u, 0x4000ff05u, "XenVMMXenVMM");
	check_hypervisor("Xen");
	lay_guest();
	mocked_hypervisor(0x40000000u, 0x40000005u, "Microsoft Hv");
	mocked_hypervisor(0x40000100u, 0x40000005u, "Microsoft Hv");
	check_hypervisor("Hyper-V");
	/* Leaves outside the range do not exist. */
	lay_guest();
	mocked_hypervisor(0x40010000u, 0x40010001u, "KVMKVMKVM\0\0\0");
	check_hypervisor("unknown");
}

/* Check the rate that the hypervisor gives, and that no other source is used. */
static void check_rate(uint64_t hz)
{
	struct tsc_rate_source s[ARCH_CLOCK_SOURCES];
	unsigned n = identify_clock(&mock, s);

	assert_int_equal(n, hz != 0);
	if (hz)
		check_source(&s[0], "hypervisor", hz, TSC_RATE_EXACT);
}

TEST(test_clock_of_hypervisors)
{
	/* The timing leaf is read if the first leaf lists it. */
	static const struct {
		const char *signature;
		uint32_t base, highest, leaf, eax, ecx;
		uint64_t hz;
	} rows[] = {
		{ "VMwareVMware", 0x40000000u, 0x40000010u, 0x40000010u, 2194843, 0, 2194843000 },
		{ "VMwareVMware", 0x40000000u, 0x4000000fu, 0x40000010u, 2194843, 0, 0 },
		{ "ACRNACRNACRN", 0x40000000u, 0x40000010u, 0x40000010u, 1900000, 0, 1900000000 },
		{ "KVMKVMKVM\0\0\0", 0x40000100u, 0x40000110u, 0x40000110u, 2400003, 0,
		  2400003000 },
		{ "XenVMMXenVMM", 0x40000000u, 0x40000005u, 0x40000003u, 1, 2992968, 2992968000 },
		{ "bhyve bhyve ", 0x40000000u, 0x40000001u, 0x40000002u, 1, 1, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		lay_guest();
		mocked_hypervisor(rows[i].base, rows[i].highest, rows[i].signature);
		mocked_set(rows[i].leaf, MOCKED_ANY, rows[i].eax, 0, rows[i].ecx, 0);
		check_rate(rows[i].hz);
	}
	lay_guest();
	check_rate(0);
	/* The leaves of a machine that is no guest. */
	lay(0x16, true);
	mocked_hypervisor(0x40000000u, 0x40000010u, "VMwareVMware");
	mocked_set(0x40000010u, MOCKED_ANY, 2194843, 66000, 0, 0);
	check_rate(0);
}

static void lay_hyperv(uint32_t highest, uint32_t features)
{
	lay_guest();
	mocked_hypervisor(0x40000000u, highest, "Microsoft Hv");
	mocked_set(0x40000003u, MOCKED_ANY, features, 0, 0, 0);
	msr.number = 0x40000022u;
	msr.value = 2294608000;
}

/* Generation 2 has neither HPET nor PM timer. */
TEST(test_clock_of_hyperv)
{
	lay_hyperv(0x40000005u, 1u << 11);
	check_rate(2294608000);
	lay_hyperv(0x40000005u, ~(1u << 11));
	check_rate(0);
	lay_hyperv(0x40000002u, 1u << 11);
	check_rate(0);
	lay_hyperv(0x40000005u, 1u << 11);
	msr.number = 0x40000023u; /* this hypervisor refuses the MSR */
	check_rate(0);
	assert_int_equal(msr.writes, 0);
}

static void lay_kvm(uint32_t features)
{
	lay_guest();
	mocked_hypervisor(0x40000000u, 0x40000001u, "KVMKVMKVM\0\0\0");
	mocked_set(0x40000001u, MOCKED_ANY, features, 0, 0, 0);
	msr.number = 0x4b564d01u;
	msr.value = 0;
	msr.kvm_clock = true;
}

TEST(test_clock_of_kvm)
{
	/* 10^9 << 32 over 2 GHz, and over 3 GHz, which takes a shift. */
	lay_kvm(1u << 3);
	msr.mul = 0x80000000u;
	check_rate(2000000000);
	/* Off again, as it was found. */
	assert_int_equal(msr.value, 0);
	assert_int_equal(msr.writes, 2);
	lay_kvm(1u << 3);
	msr.mul = 0xaaaaaaabu;
	msr.shift = -1;
	check_rate(2999999998);
	lay_kvm(1u << 3);
	msr.mul = 0x80000000u;
	msr.shift = 2;
	check_rate(500000000);
	/* A divisor of 0, and shifts past the number's width. */
	for (unsigned i = 0; i < 3; i++) {
		lay_kvm(1u << 3);
		msr.mul = i ? 0x80000000u : 0;
		msr.shift = i == 2 ? 32 : i ? -32 : 0;
		check_rate(0);
	}
	/* No such clock; the firmware's own; one that is never filled in. */
	lay_kvm(~(1u << 3));
	check_rate(0);
	assert_int_equal(msr.writes, 0);
	lay_kvm(1u << 3);
	msr.value = 0x7001;
	check_rate(0);
	assert_int_equal(msr.writes, 0);
	lay_kvm(1u << 3);
	msr.kvm_clock = false;
	check_rate(0);
	lay_kvm(1u << 3);
	msr.number = 0;
	check_rate(0);
}

static void check_sealed(const char *want)
{
	const char *found = identify_sealed(&mock);

	assert_int_equal(found != NULL, want != NULL);
	if (want)
		assert_string_equal(found, want);
	assert_int_equal(msr.writes, 0);
}

static void lay_sev(uint32_t highest, uint64_t status)
{
	lay_guest();
	mocked_set(0x80000000u, MOCKED_ANY, highest, 0, 0, 0);
	mocked_set(0x8000001fu, MOCKED_ANY, 2, 0, 0, 0);
	msr.number = 0xc0010131u;
	msr.value = status;
}

TEST(test_sealed)
{
	static const char *const sealed[] = {
		[1] = "AMD SEV", [3] = "AMD SEV-ES", [7] = "AMD SEV-SNP"
	};

	lay_guest();
	check_sealed(NULL);
	lay_sev(0x80000008u, 1);
	check_sealed(NULL); /* above the highest leaf */
	/* At 0: a processor that could seal memory, and does not. */
	for (uint64_t status = 0; status < 8; status += status + 1) {
		lay_sev(0x80000021u, status);
		check_sealed(sealed[status]);
	}
	/* A host, which has memory of its own. */
	lay_sev(0x80000021u, 1);
	mocked_set(1, MOCKED_ANY, 0x50654, 0, 0, 0);
	check_sealed(NULL);
	assert_int_equal(msr.reads, 0);
	lay_guest();
	mocked_set(0, MOCKED_ANY, 0x21, 0, 0, 0);
	mocked_set(0x21, MOCKED_ANY, 0, 0x65746e49, 0x20202020, 0x5844546c);
	check_sealed("Intel TDX");
	mocked_set(0, MOCKED_ANY, 0x20, 0, 0, 0);
	check_sealed(NULL);
}

static void check_microcode(const char *vendor, uint64_t value, uint64_t want)
{
	struct arch_identity id = { 0 };

	strcpy(id.vendor, vendor);
	msr.value = value;
	identify_microcode(&mock, &id);
	assert_int_equal(id.microcode.known, want != 0);
	assert_int_equal(id.microcode.value, want);
}

/* A processor may refuse the register, as Bochs does; then it is not known. */
TEST(test_microcode)
{
	lay(0x16, true);
	msr.number = 0x8b;
	msr.keeps = true;
	check_microcode("GenuineIntel", UINT64_C(0x500320a00000000), 0x500320a);
	check_microcode("AuthenticAMD", 0x830107a, 0x830107a);
	check_microcode("GenuineIntel", 0, 0);
	check_microcode("HygonGenuine", 0x80901047, 0x80901047);
	check_microcode("  Shanghai  ", UINT64_C(0x1230000abcd), 0x123);
	check_microcode("CentaurHauls", UINT64_C(0x1230000abcd), 0x123);
	check_microcode("Geode by NSC", 7, 0);
	msr.number = 0;
	check_microcode("GenuineIntel", 7, 0);
	check_microcode("AuthenticAMD", 7, 0);
}

/* A hypervisor's strings cannot control a terminal, whatever it fills in. */
TEST(test_names_are_printable)
{
	struct arch_identity id;

	lay(0x16, true);
	mocked_vendor(0x16, "\x1b[2JNone!!\n\x9b");
	for (uint32_t leaf = 0x80000002u; leaf <= 0x80000004u; leaf++)
		mocked_set(leaf, MOCKED_ANY, 0x6d31331b, 0x2e357e20, 0x7f80ff00, 0);
	identify(&mock, &id);
	assert_string_equal(id.vendor, "?[2JNone!!??");
	assert_string_equal(id.brand, "?31m ~5.");
}
