/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the hypervisor. A function is called only after an earlier call has shown that it exists. */
#include "hypervisor.h"

#include "core/lib/mem.h"
#include "smccc.h"

#include <stddef.h>

#define PSCI_VERSION   0x84000000u
#define PSCI_FEATURES  0x8400000au
#define SMCCC_VERSION  0x80000000u
#define SMCCC_FEATURES 0x80000001u /* SMCCC_ARCH_FEATURES */
#define PV_TIME        0xc5000020u /* PV_TIME_FEATURES */
#define PV_TIME_ST     0xc5000021u
#define VENDOR_UID     0x8600ff01u
#define STANDARD_UID   0x8500ff01u
#define PSCI_1_0       0x10000
#define SMCCC_1_1      0x10001

/* UIDs as in the four registers; the lowest byte is the UID's first. */
static const struct known_uid {
	uint32_t uid[4];
	const char *name;
} uids[] = {
	/* 28b46fb6-2ec5-11e9-a9ca-4b564d003a74; Linux, virt/kvm/arm/hypercalls.rst */
	{ { 0xb66fb428, 0xe911c52e, 0x564bcaa9, 0x743a004d }, "KVM" },
	/* 58ba324d-6447-24cd-756c-ef8e24705916; Linux, arch/arm64/hyperv/mshyperv.c */
	{ { 0x4d32ba58, 0xcd244764, 0x8eef6c75, 0x16597024 }, "Hyper-V" },
	/* c1d58fcd-a453-5fdb-9265-ce36673d5f14, once from its end; Qualcomm's build has its own */
	{ { 0xcd8fd5c1, 0xdb5f53a4, 0x36ce6592, 0x145f3d67 }, "Gunyah" },
	{ { 0x673d5f14, 0x9265ce36, 0xa4535fdb, 0xc1d58fcd }, "Gunyah" },
	{ { 0x19bd54bd, 0x0b37571b, 0x946f609b, 0x54539de6 }, "Gunyah" },
	/* a71812dc-c698-4369-9acf-79d18ddee667, before 4.12 with the highest byte first */
	{ { 0xdc1218a7, 0x694398c6, 0xd179cf9a, 0x67e6de8d }, "Xen" },
	{ { 0xa71812dc, 0xc6984369, 0x9acf79d1, 0x8ddee667 }, "Xen" },
};

/* Identities in the FADT that differ from the name, as QEMU's does. */
static const struct known_identity {
	const char *identity, *name;
} identities[] = {
	{ "MsHyperV", "Hyper-V" },
	{ "XenVMM", "Xen" },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static struct {
	const char *name;
	bool steals;
	char identity[9]; /* room for the name */
} found;

/* Call a 32-bit function: the upper half of its result is undefined. */
static int32_t hypervisor_ask(uint32_t function, uint32_t argument)
{
	return (int32_t)smccc_call(function, argument, 0, 0).x[0];
}

/* Get the name, up to the first invalid character. */
static const char *name_in_tables(uint64_t in_tables)
{
	unsigned n = 0;

	for (; n < 8 && (uint8_t)in_tables > ' ' && (uint8_t)in_tables < 0x7f; in_tables >>= 8)
		found.identity[n++] = (char)in_tables;
	found.identity[n] = '\0';
	for (size_t i = 0; i < COUNT(identities); i++)
		if (strcmp(found.identity, identities[i].identity) == 0)
			return identities[i].name;
	return n ? found.identity : NULL;
}

/* Call a function that returns a UID; NULL: it is not of a known hypervisor. */
static const char *name_by_uid(uint32_t function)
{
	struct smccc_registers r = smccc_call(function, 0, 0, 0);

	for (size_t i = 0; i < COUNT(uids); i++) {
		unsigned n = 0;

		while (n < 4 && (uint32_t)r.x[n] == uids[i].uid[n])
			n++;
		if (n == 4)
			return uids[i].name;
	}
	return NULL;
}

/* True if the calling convention is 1.1 or later, which has the functions used here. */
static bool has_features(void)
{
	return hypervisor_ask(PSCI_VERSION, 0) >= PSCI_1_0 &&
	       hypervisor_ask(PSCI_FEATURES, SMCCC_VERSION) >= 0 &&
	       hypervisor_ask(SMCCC_VERSION, 0) >= SMCCC_1_1;
}

void hypervisor_find(uint64_t identity)
{
	bool by_hvc = smccc_is_by_hvc(), features;
	const char *name = NULL;

	found.name = name_in_tables(identity);
	found.steals = false;
	features = has_features();
	if (features && by_hvc) {
		name = name_by_uid(VENDOR_UID);
		if (!name)
			name = name_by_uid(STANDARD_UID);
	}
	if (name)
		found.name = name;
	found.steals = features && hypervisor_ask(SMCCC_FEATURES, PV_TIME) >= 0 &&
		       hypervisor_ask(PV_TIME, PV_TIME_ST) == 0;
	/* Software that takes HVC or reports stolen time is a hypervisor. */
	if (!found.name && (by_hvc || found.steals))
		found.name = "unknown";
}

const char *hypervisor_name(void)
{
	return found.name;
}

bool hypervisor_steals(void)
{
	return found.steals;
}

uint64_t hypervisor_stolen_time(void)
{
	uint64_t at = found.steals ? smccc_call(PV_TIME_ST, 0, 0, 0).x[0] : 0;

	return (int64_t)at > 0 ? at : 0;
}

enum evidence_hypervisor hypervisor_below(unsigned level)
{
	if (found.name && strcmp(found.name, "KVM") == 0)
		return HYPERVISOR_KVM;
	return found.name || level < 2 ? HYPERVISOR_OTHER : HYPERVISOR_NONE;
}
