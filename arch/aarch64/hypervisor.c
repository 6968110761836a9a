/* SPDX-License-Identifier: BSD-2-Clause */
/* Asks the hypervisor. A function is called only after an earlier call has shown that it exists. */
#include "hypervisor.h"

#include "core/lib/mem.h"

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

static struct smccc_registers hypervisor_call(const struct hypervisor *h, uint32_t function,
					      uint32_t argument)
{
	struct smccc_registers r = { { function, argument, 0, 0 } };

	h->call(&r);
	return r;
}

/* Call a 32-bit function: the upper half of its result is undefined. */
static int32_t hypervisor_ask(const struct hypervisor *h, uint32_t function, uint32_t argument)
{
	return (int32_t)hypervisor_call(h, function, argument).x[0];
}

/* Get the name, up to the first invalid character. */
static const char *name_in_tables(struct hypervisor *h, uint64_t in_tables)
{
	char *identity = h->identity;
	unsigned n = 0;

	for (; n < 8 && (uint8_t)in_tables > ' ' && (uint8_t)in_tables < 0x7f; in_tables >>= 8)
		identity[n++] = (char)in_tables;
	identity[n] = '\0';
	for (size_t i = 0; i < COUNT(identities); i++)
		if (strcmp(identity, identities[i].identity) == 0)
			return identities[i].name;
	return n ? identity : NULL;
}

static const char *name_of_uid(const struct smccc_registers *r)
{
	for (size_t i = 0; i < COUNT(uids); i++) {
		unsigned n = 0;

		while (n < 4 && (uint32_t)r->x[n] == uids[i].uid[n])
			n++;
		if (n == 4)
			return uids[i].name;
	}
	return NULL;
}

static const char *name_by_uid(const struct hypervisor *h)
{
	struct smccc_registers vendor = hypervisor_call(h, VENDOR_UID, 0), standard;
	const char *name = name_of_uid(&vendor);

	if (name)
		return name;
	standard = hypervisor_call(h, STANDARD_UID, 0);
	return name_of_uid(&standard);
}

/* True if the calling convention is 1.1 or later, which has the functions used here. */
static bool has_features(const struct hypervisor *h)
{
	return hypervisor_ask(h, PSCI_VERSION, 0) >= PSCI_1_0 &&
	       hypervisor_ask(h, PSCI_FEATURES, SMCCC_VERSION) >= 0 &&
	       hypervisor_ask(h, SMCCC_VERSION, 0) >= SMCCC_1_1;
}

void hypervisor_find(struct hypervisor *h, bool by_hvc, uint64_t identity)
{
	const char *name = NULL;
	bool features;

	h->name = name_in_tables(h, identity);
	h->steals = false;
	features = has_features(h);
	if (features && by_hvc)
		name = name_by_uid(h);
	if (name)
		h->name = name;
	h->steals = features && hypervisor_ask(h, SMCCC_FEATURES, PV_TIME) >= 0 &&
		    hypervisor_ask(h, PV_TIME, PV_TIME_ST) == 0;
	/* Software that takes HVC or reports stolen time is a hypervisor. */
	if (!h->name && (by_hvc || h->steals))
		h->name = "unknown";
}

uint64_t hypervisor_stolen_time(const struct hypervisor *h)
{
	uint64_t at = h->steals ? hypervisor_call(h, PV_TIME_ST, 0).x[0] : 0;

	return (int64_t)at > 0 ? at : 0;
}

enum evidence_hypervisor hypervisor_below(const struct hypervisor *h, unsigned level)
{
	if (h->name && strcmp(h->name, "KVM") == 0)
		return HYPERVISOR_KVM;
	return h->name || level < 2 ? HYPERVISOR_OTHER : HYPERVISOR_NONE;
}
