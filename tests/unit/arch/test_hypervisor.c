/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Hypervisors and firmware as they answer calls: who is named, whether stolen time is found, and
 * that nobody is asked what he may not know.
 */
#include "arch/aarch64/hypervisor.c"

#include <string.h>

#include "tests/unit/common/test.h"

#define UNKNOWN UINT64_C(0xffffffff) /* -1 as some return it: 32 bits */
#define TIME_AT UINT64_C(0x1234567890)

static const uint8_t kvm[] = { 0x28, 0xb4, 0x6f, 0xb6, 0x2e, 0xc5, 0x11, 0xe9,
			       0xa9, 0xca, 0x4b, 0x56, 0x4d, 0x00, 0x3a, 0x74 };
static const uint8_t hyperv[] = { 0x58, 0xba, 0x32, 0x4d, 0x64, 0x47, 0x24, 0xcd,
				  0x75, 0x6c, 0xef, 0x8e, 0x24, 0x70, 0x59, 0x16 };
static const uint8_t gunyah[] = { 0xc1, 0xd5, 0x8f, 0xcd, 0xa4, 0x53, 0x5f, 0xdb,
				  0x92, 0x65, 0xce, 0x36, 0x67, 0x3d, 0x5f, 0x14 };
static const uint8_t xen[] = { 0xa7, 0x18, 0x12, 0xdc, 0xc6, 0x98, 0x43, 0x69,
			       0x9a, 0xcf, 0x79, 0xd1, 0x8d, 0xde, 0xe6, 0x67 };
static const uint8_t nobody[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static struct machine {
	uint32_t psci, smccc; /* versions; smccc 0: PSCI does not list it */
	const uint8_t *vendor, *standard;
	bool by_hvc;
	bool lists_time, has_time;
	uint64_t time;
	unsigned uids; /* requests for the UID */
} machine;

static void give_uid(struct smccc_registers *r, const uint8_t *uid)
{
	machine.uids++;
	for (unsigned n = 0; uid && n < 4; n++, uid += 4)
		r->x[n] = uid[0] | (uint64_t)uid[1] << 8 | (uint64_t)uid[2] << 16 |
			  (uint64_t)uid[3] << 24;
}

/* The convention's numbers, of DEN0028, DEN0022 and DEN0057A. */
struct smccc_registers smccc_call(uint64_t function, uint64_t argument, uint64_t b, uint64_t c)
{
	struct smccc_registers r = { { UNKNOWN, argument, b, c } };

	switch (function) {
	case 0x84000000:
		r.x[0] = machine.psci;
		break;
	case 0x8400000a:
		if (argument == 0x80000000 && machine.smccc)
			r.x[0] = 0;
		break;
	case 0x80000000:
		assert_true(machine.psci >= 0x10000);
		r.x[0] = machine.smccc;
		break;
	case 0x80000001:
		assert_true(machine.smccc >= 0x10001);
		if (argument == 0xc5000020 && machine.lists_time)
			r.x[0] = 0;
		break;
	case 0xc5000020:
		assert_true(machine.lists_time);
		r.x[0] = argument == 0xc5000021 && machine.has_time ? 0 : UINT64_MAX;
		break;
	case 0xc5000021:
		assert_true(machine.has_time);
		r.x[0] = machine.time;
		break;
	case 0x8600ff01:
		give_uid(&r, machine.vendor);
		break;
	case 0x8500ff01:
		give_uid(&r, machine.standard);
		break;
	default:
		fail_msg("function 0x%llx", (unsigned long long)function);
	}
	return r;
}

bool smccc_is_by_hvc(void)
{
	return machine.by_hvc;
}

static uint64_t identity_of(const char *text)
{
	uint64_t identity = 0;

	for (unsigned n = 0; text[n]; n++)
		identity |= (uint64_t)(uint8_t)text[n] << 8 * n;
	return identity;
}

/* clang-format off */
#define PSCI(version) { .psci = (version) }
#define SMCCC(version, ...) { .psci = 0x10001, .smccc = (version), __VA_ARGS__ }
/* clang-format on */
#define NONE  HYPERVISOR_NONE
#define KVM   HYPERVISOR_KVM
#define OTHER HYPERVISOR_OTHER

static const struct story {
	struct machine machine;
	bool by_hvc;
	const char *identity; /* in the FADT */
	const char *name;
	enum evidence_hypervisor level1, level2;
} stories[] = {
	{ SMCCC(0x10001, .vendor = kvm), true, "QEMU", "KVM", KVM, KVM },
	{ SMCCC(0x10004, .vendor = hyperv), true, "", "Hyper-V", OTHER, OTHER },
	{ SMCCC(0x10001, .vendor = gunyah), true, "", "Gunyah", OTHER, OTHER },
	{ SMCCC(0x10001, .standard = xen), true, "XenVMM", "Xen", OTHER, OTHER },
	{ SMCCC(0x10001, .vendor = nobody), true, "", "unknown", OTHER, OTHER },
	{ SMCCC(0x10001, .vendor = NULL), true, "CROSVM", "CROSVM", OTHER, OTHER },
	{ PSCI(0x10001), true, "", "unknown", OTHER, OTHER },
	/* SMC calls are answered by the firmware if the machine is real. */
	{ SMCCC(0x10001, .vendor = kvm), false, "", NULL, OTHER, NONE },
	{ SMCCC(0x10001, .vendor = NULL), false, "MsHyperV", "Hyper-V", OTHER, OTHER },
	{ PSCI(2), false, "CLOUDHYP", "CLOUDHYP", OTHER, OTHER },
	{ PSCI((uint32_t)-1), false, "", NULL, OTHER, NONE },
	{ SMCCC(0x10000, .vendor = kvm), false, "\x7f", NULL, OTHER, NONE },
	/* On a machine without a hypervisor, no time is stolen. */
	{ SMCCC(0x10001, .lists_time = true, .has_time = true), false, "", "unknown", OTHER,
	  OTHER },
};

TEST(test_names)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		const struct story *s = &stories[i];

		machine = s->machine;
		machine.by_hvc = s->by_hvc;
		hypervisor_find(identity_of(s->identity));
		if (s->name)
			assert_string_equal(hypervisor_name(), s->name);
		else
			assert_null(hypervisor_name());
		assert_int_equal(hypervisor_below(1), s->level1);
		assert_int_equal(hypervisor_below(2), s->level2);
		assert_true(s->by_hvc || !machine.uids);
		assert_int_equal(hypervisor_steals(), machine.has_time);
	}
}

/* Each thing that can be missing on the way to the structure. */
TEST(test_stolen_time)
{
	static const struct {
		struct machine machine;
		uint64_t at;
	} cases[] = {
		{ SMCCC(0x10001, .lists_time = true, .has_time = true, .time = TIME_AT), TIME_AT },
		{ SMCCC(0x10001, .lists_time = true), 0 },
		{ SMCCC(0x10001, .has_time = false), 0 },
		{ SMCCC(0x10000, .has_time = false), 0 },
		{ PSCI(0x10001), 0 },
		{ PSCI(2), 0 },
		{ PSCI((uint32_t)-1), 0 },
		{ SMCCC(0x10001, .lists_time = true, .has_time = true, .time = UINT64_MAX), 0 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		machine = cases[i].machine;
		machine.by_hvc = true;
		hypervisor_find(0);
		assert_int_equal(hypervisor_stolen_time(), cases[i].at);
	}
}
