/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A processor that lies: its CPUID leaves and its model-specific registers are the input's, some of
 * them move, fault or forget, and reads may give anything.
 *
 * No leaf is asked for past those that are announced, nothing is written while it is only looked
 * at, and whatever stands still and gives true values is put back.
 */
#include "counters/counters.h"
#include "identify.h"

#include "core/gaps/topology.h"

#include "tests/fuzz/take.h"

#define LEAVES 32
#define REGS   48
#define STEPS  24

#define MSR_KVM_CLOCK 0x4b564d01u
#define MSR_KVM_STEAL 0x4b564d03u
#define KVM_CLOCK     64u /* bytes that the host fills in */
#define ENABLE        1u

enum flags { ANSWERS_ZERO = 1, CLEARS_LOGS = 2, KNOWS_SMI = 4 };
enum kind { STANDS, MOVES, FAULTS, FORGETS, KINDS };

static struct {
	uint8_t flags;
	struct {
		uint32_t leaf, subleaf;
		struct cpuid value;
	} leaf[LEAVES];
	unsigned leaves;
	struct reg {
		uint32_t msr;
		uint64_t value, before;
		enum kind kind;
	} reg[REGS];
	unsigned regs, writes;
	unsigned truths, lies;
	bool lied, in_topology;
	uint64_t clock;
	struct counter_steal_area area;
} p;

static struct cpuid ask(uint32_t leaf, uint32_t subleaf)
{
	for (unsigned i = 0; i < p.leaves; i++)
		if (p.leaf[i].leaf == leaf && p.leaf[i].subleaf == subleaf)
			return p.leaf[i].value;
	return (struct cpuid){ .eax = 0 };
}

static struct topology_leaf ask_topology(void *ctx, uint32_t leaf, uint32_t subleaf)
{
	struct cpuid r = ask(leaf, subleaf);

	(void)ctx;
	insist(!(leaf & 0x7fffffff) || leaf <= ask(leaf & 0x80000000, 0).eax);
	return (struct topology_leaf){ r.eax, r.ebx, r.ecx, r.edx };
}

static struct reg *find(uint32_t msr)
{
	for (unsigned i = 0; i < p.regs; i++)
		if (p.reg[i].msr == msr)
			return &p.reg[i];
	return NULL;
}

static bool read_msr(uint32_t msr, uint64_t *value)
{
	struct reg *r = find(msr);

	p.clock += 20;
	*value = r ? r->value : 0;
	if (r && r->kind == MOVES)
		r->value += take_byte() + 1u;
	if (p.truths) {
		p.truths--;
	} else if (p.lies && take_more()) {
		p.lies--;
		p.lied = true;
		*value = take_number64(8);
		return take_byte() & 1;
	}
	return r || p.flags & ANSWERS_ZERO;
}

/* What a hypervisor writes to memory that it is given. */
static void fill(uint32_t msr, uint64_t value)
{
	uint8_t *at = (uint8_t *)(uintptr_t)(value & ~(uint64_t)ENABLE);
	size_t bytes = msr == MSR_KVM_CLOCK ? KVM_CLOCK : sizeof(p.area);

	if (!(value & ENABLE) || (find(msr)->before & ENABLE))
		return;
	insist(msr == MSR_KVM_CLOCK || at == (uint8_t *)&p.area);
	for (size_t i = 0; i < bytes; i++)
		at[i] = take_byte();
}

static bool write_msr(uint32_t msr, uint64_t value)
{
	struct reg *r = find(msr);

	p.writes++;
	p.clock += 20;
	if (!r)
		return p.flags & ANSWERS_ZERO;
	if (r->kind == FAULTS)
		return false;
	if (r->kind == FORGETS)
		return true;
	if (msr == MSR_KVM_CLOCK || msr == MSR_KVM_STEAL)
		fill(msr, value);
	r->value = value;
	return true;
}

static uint64_t read_clock(void)
{
	p.clock += take_byte();
	return p.clock;
}

static const struct regs regs = { ask, read_msr, write_msr, read_clock };

static void lay_leaf(void)
{
	static const uint32_t leaves[] = {
		0x0,        0x1,        0x4,        0x6,        0x7,        0xa,        0xb,
		0xb,        0xb,        0x15,       0x16,       0x1a,       0x1f,       0x1f,
		0x1f,       0x21,       0x40000000, 0x40000001, 0x40000003, 0x40000010, 0x40000100,
		0x40000101, 0x80000000, 0x80000001, 0x80000002, 0x80000003, 0x80000004, 0x80000007,
		0x80000008, 0x8000001e, 0x8000001f, 0x80000022, 0x80000026,
	};
	unsigned n = take_byte();

	p.leaf[p.leaves].leaf = leaves[n % (sizeof(leaves) / sizeof(leaves[0]))];
	p.leaf[p.leaves].subleaf = n >> 6;
	p.leaf[p.leaves].value.eax = take_number(4);
	p.leaf[p.leaves].value.ebx = take_number(4);
	p.leaf[p.leaves].value.ecx = take_number(4);
	p.leaf[p.leaves++].value.edx = take_number(4);
}

static void lay_reg(void)
{
	static const uint32_t msrs[] = {
		0x34,       0x3b,       0x8b,       0xe7,       0xe8,       0x179,      0x401,
		0x405,      0x409,      0x186,      0x187,      0x19c,      0x1b1,      0x1d9,
		0x309,      0x30a,      0x30b,      0x345,      0x38d,      0x38f,      0xc0010000,
		0xc0010001, 0xc0010002, 0xc0010003, 0xc0010004, 0xc0010005, 0xc0010006, 0xc0010007,
		0xc0010200, 0xc0010201, 0xc0010202, 0xc0010203, 0xc0010204, 0xc0010205, 0xc0010206,
		0xc0010207, 0xc0000301, 0xc0010131, 0x40000022, 0x4b564d01, 0x4b564d03,
	};
	uint32_t msr = msrs[take_byte() % (sizeof(msrs) / sizeof(msrs[0]))];
	struct reg *r = find(msr);

	if (!r)
		r = &p.reg[p.regs++];
	r->msr = msr;
	r->kind = take_byte() % KINDS;
	r->value = r->before = take_number64(8);
}

static void lay(void)
{
	p.flags = take_byte();
	for (unsigned n = take_byte() % (LEAVES + 1); n; n--)
		lay_leaf();
	for (unsigned n = take_byte() % (REGS + 1); n; n--)
		lay_reg();
	p.truths = take_number(2);
	p.lies = take_byte();
}

/* What stands still is as it was: where one has lied, nobody could know how that was. */
static void check_back(void)
{
	for (unsigned i = 0; i < p.regs && !p.lied; i++)
		insist(p.reg[i].kind == MOVES || p.reg[i].value == p.reg[i].before);
}

static void decode(void)
{
	struct topology t;

	topology_decode(&t, ask_topology, NULL);
	insist(topology_same_core(&t, &t) == t.known && topology_same_package(&t, &t) == t.known);
}

static void name(struct arch_identity *id)
{
	const char *sealed = identify_sealed(&regs);

	identify(&regs, id);
	insist_showable(id->vendor, sizeof(id->vendor));
	insist_showable(id->brand, sizeof(id->brand));
	insist_showable(id->hypervisor, sizeof(id->hypervisor));
	insist(!p.writes && (!sealed || *sealed));
	identify_microcode(&regs, id);
}

/* KVM's clock is on for a moment only. */
static void rate(void)
{
	struct tsc_rate_source source[ARCH_CLOCK_SOURCES];
	struct tsc_rate chosen;
	char buffer[400];
	struct text t;
	struct reg *clock = find(MSR_KVM_CLOCK);
	unsigned count = identify_clock(&regs, source);

	insist(count <= ARCH_CLOCK_SOURCES);
	for (unsigned i = 0; i < count; i++)
		insist(source[i].hz);
	insist(!clock || p.lied || clock->kind == MOVES || clock->value == clock->before);
	tsc_rate_choose(&chosen, source, count);
	text_init(&t, buffer, sizeof(buffer));
	tsc_rate_explain(&chosen, &t);
	insist_showable(buffer, sizeof(buffer));
}

static void step(struct counters *c)
{
	struct evidence e = { .gap = take_number(3) };
	uint8_t how = take_byte();
	const struct gap_evidence counted = { .smi = how >> 6, .mce = how >> 7 };

	p.clock += take_number64(how & 7);
	counters_step(c, how & 8, &e);
	if (how & 16)
		counters_counted(c, p.flags & KNOWS_SMI ? EVIDENCE(SMI) : 0, &counted, &e);
	if (how & 32)
		counters_learn(c, &e);
	insist(!(e.have >> EVIDENCE_KINDS));
}

static void count(const struct arch_identity *id)
{
	const char *names[COUNTER_ROWS_MAX];
	struct counters c;
	uint64_t hz = take_number64(5), value;
	uint32_t msr;

	p.writes = 0;
	counters_detect(&c, &regs, id, hz, &p.area);
	insist(!p.writes);
	counters_arm(&c, p.flags & CLEARS_LOGS);
	for (unsigned n = 0; n < STEPS && take_more(); n++)
		step(&c);
	insist(counters_names(&c, COUNTER_ARMED, names, 3) <= 3);
	insist(counters_believed(&c, EVIDENCE(SMI), names, COUNTER_ROWS_MAX) <= COUNTER_ROWS_MAX);
	counters_register(&c, EVIDENCE_SMI, &msr);
	counters_tsc_adjust(&c, &value);
	counters_restore(&c);
	insist(!counters_names(&c, COUNTER_ARMED, names, 3));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct arch_identity id;

	memset(&p, 0, sizeof(p));
	take_from(data, bytes);
	lay();
	decode();
	name(&id);
	rate();
	for (unsigned i = 0; i < p.regs; i++)
		p.reg[i].before = p.reg[i].value;
	count(&id);
	if (!(p.flags & CLEARS_LOGS))
		check_back();
	return 0;
}
