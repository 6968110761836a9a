/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of evidence, tested with register files of several processors: which counters are
 * found, armed and read, and that each register is restored bit by bit.
 */
#include "tests/unit/arch/mocked_core.h"
#include "tests/unit/attribution_rows.h"

#include <stdio.h>
#include <string.h>

#define HZ       UINT64_C(2000000000)
#define MC_VALID BIT(63)

/* Counts of the handlers in a gap. */
static const struct gap_evidence nothing, one_smi = { .smi = 1 };

static const struct regs mock = { mocked_cpuid, mocked_rdmsr, mocked_wrmsr, mocked_clock };

static void reset(void)
{
	memset(&mocked, 0, sizeof(mocked));
	mocked_leaves = 0;
	mocked.clock = 123456789;
	mocked.clock_step = 5;
}

#define MCA_MCE (BIT(7) | BIT(14))

static void add_banks(unsigned banks)
{
	mocked_add(0x179, banks | BIT(24), STANDS);
	for (unsigned i = 0; i < banks; i++)
		mocked_add(0x401 + 4 * i, 0, STANDS);
}

static struct arch_identity skylake_sp(void)
{
	reset();
	mocked_set(0, MOCKED_ANY, 0x16, 0, 0, 0);
	mocked_set(1, MOCKED_ANY, 0x50654, 0, BIT(15), MCA_MCE | BIT(22));
	mocked_set(6, MOCKED_ANY, BIT(0) | BIT(6), 2, BIT(0), 0);
	mocked_set(7, MOCKED_ANY, 0, BIT(1), 0, 0);
	mocked_set(0xa, MOCKED_ANY, 4 | 4 << 8 | 48 << 16, 0, 0, 3 | 48 << 5);
	mocked_add(0x34, 610, STANDS);
	mocked_reg(0x34)->read_only = true;
	mocked_add(0x3b, 0, STANDS);
	mocked_add(0xe7, 1000, AT_CLOCK);
	mocked_add(0xe8, 2000, AT_CORE);
	add_banks(20);
	for (unsigned i = 0; i < 4; i++)
		mocked_add(0x186 + i, 0x10000 + i, STANDS);
	mocked_add(0x19c, 0x88230000, STANDS);
	mocked_add(0x1b1, 0x88200000, STANDS);
	mocked_add(DEBUGCTL, 0x1, STANDS);
	mocked_add(0x309, 0x1111, FIXED0);
	mocked_add(0x30a, 0x2222, FIXED1);
	mocked_add(0x30b, 0x3333, FIXED2);
	mocked_add(0x345, 0x33c5 | BIT(12), STANDS);
	mocked_add(FIXED_CTR_CTRL, 0x8000, STANDS);
	mocked_add(GLOBAL_CTRL, 0xf, STANDS);
	return (struct arch_identity){ .vendor = "GenuineIntel", .family = 6, .model = 0x55 };
}

/* A Core 2: no SMI counter, no PDCM, perfmon 1 with no global control. */
static struct arch_identity core2(void)
{
	reset();
	mocked_set(0, MOCKED_ANY, 0xa, 0, 0, 0);
	mocked_set(1, MOCKED_ANY, 0x6f6, 0, 0, MCA_MCE);
	mocked_set(6, MOCKED_ANY, 0, 0, 0, 0);
	mocked_set(0xa, MOCKED_ANY, 1 | 2 << 8 | 40 << 16, 0, 0, 3 | 48 << 5);
	add_banks(6);
	mocked_add(0x186, 0, STANDS);
	mocked_add(0x187, 0, STANDS);
	return (struct arch_identity){ .vendor = "GenuineIntel", .family = 6, .model = 15 };
}

static void add_amd_counters(unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		mocked_add(0xc0010200u + 2 * i, 0x10000 + i, STANDS);
		mocked_add(0xc0010201u + 2 * i, 0x4400 + i, AMD_EVENT);
	}
}

static struct arch_identity zen2(void)
{
	reset();
	mocked_set(0, MOCKED_ANY, 0x10, 0, 0, 0);
	mocked_set(1, MOCKED_ANY, 0x830f10, 0, 0, MCA_MCE);
	mocked_set(6, MOCKED_ANY, 4, 0, BIT(0), 0);
	mocked_set(7, MOCKED_ANY, 0, 0, 0, 0);
	mocked_set(0x80000000u, MOCKED_ANY, 0x80000020u, 0, 0, 0);
	mocked_set(0x80000001u, MOCKED_ANY, 0, 0, BIT(23), 0);
	mocked_add(0xe7, 1000, AT_CLOCK);
	mocked_add(0xe8, 2000, AT_CORE);
	add_banks(23);
	add_amd_counters(6);
	return (struct arch_identity){ .vendor = "AuthenticAMD", .family = 0x17, .model = 0x31 };
}

static struct arch_identity zen4(void)
{
	struct arch_identity id = zen2();

	mocked_set(0x80000000u, MOCKED_ANY, 0x80000028u, 0, 0, 0);
	mocked_set(0x80000022u, MOCKED_ANY, BIT(0), 6, 0, 0);
	mocked_add(AMD_GLOBAL, 0x20, STANDS);
	id.family = 0x19;
	return id;
}

/* Signature "KVMKVMKVM" in EBX, ECX, EDX. */
static void add_kvm(uint32_t leaf, uint32_t features)
{
	mocked_set(leaf, MOCKED_ANY, leaf + 1, 0x4b4d564b, 0x564b4d56, 0x4d);
	mocked_set(leaf + 1, MOCKED_ANY, features, 0, 0, 0);
}

/* A guest of a host that shows a PMU, MPERF and thermal registers. */
static struct arch_identity kvm_guest(void)
{
	struct arch_identity id = skylake_sp();

	mocked_set(1, MOCKED_ANY, 0, 0, (uint32_t)BIT(31) | BIT(15), MCA_MCE | BIT(22));
	add_kvm(0x40000000u, BIT(5));
	mocked_add(STEAL_MSR, 0, STANDS);
	strcpy(id.hypervisor, "KVM");
	return id;
}

static struct arch_identity tcg_guest(void)
{
	reset();
	mocked.answers_zero = true;
	mocked_set(0, MOCKED_ANY, 0xd, 0, 0, 0);
	mocked_set(1, MOCKED_ANY, 0x60fb1, 0, (uint32_t)BIT(31), MCA_MCE | BIT(22));
	mocked_add(0x34, 0, STANDS);
	add_banks(10);
	return (struct arch_identity){
		.vendor = "AuthenticAMD", .family = 15, .model = 107, .hypervisor = "TCG"
	};
}

/* CPUID claims all features, but no register exists: reads return 0, and writes do nothing. */
static struct arch_identity liar(void)
{
	struct arch_identity id = skylake_sp();

	mocked.regs = 0;
	mocked.answers_zero = true;
	return id;
}

static struct arch_identity amd_liar(void)
{
	struct arch_identity id = zen4();

	mocked.regs = 0;
	mocked.answers_zero = true;
	return id;
}

static struct arch_identity id;
static struct counters c;

/* The register that counts SMIs; 0: there is none. */
static uint32_t smi_msr(void)
{
	const struct counter_slot *slot = counters_armed(&c, EVIDENCE_SMI);

	return slot ? slot->msr : 0;
}

static bool smi_proved(void)
{
	const struct counter_slot *slot = counters_armed(&c, EVIDENCE_SMI);

	return slot && slot->proved;
}

static void detect(struct arch_identity identity)
{
	id = identity;
	counters_detect(&c, &mock, &id, HZ, &mocked.area);
	assert_int_equal(mocked.writes, 0);
}

static void arm(struct arch_identity identity)
{
	detect(identity);
	counters_arm(&c, false);
}

/* Counters that the tests below list. Another has tests of its own. */
#define LISTED                                                                             \
	" mperf reference aperf cycles instructions freeze_in_smm smi_count smi_received " \
	"nmi_count mce_count tsc_adjust steal_clock mce_banks thermal package_thermal "

static bool is_listed(const char *name)
{
	char word[40];

	snprintf(word, sizeof(word), " %s ", name);
	return strstr(LISTED, word) != NULL;
}

/* The counters in that state, of those that are listed above, are these. */
static void check_names(enum counter_state state, const char *want)
{
	const char *names[COUNTER_ROWS_MAX];
	char joined[400] = "";
	size_t n = counters_names(&c, state, names, COUNTER_ROWS_MAX);

	for (size_t i = 0; i < n; i++) {
		if (!is_listed(names[i]))
			continue;
		strcat(joined, *joined ? " " : "");
		strcat(joined, names[i]);
	}
	assert_string_equal(joined, want);
}

/* True for registers that count by themselves, or for the firmware: they need not stand still. */
static bool may_move(const struct mocked_reg *r)
{
	return r->runs == AT_CLOCK || r->runs == AT_CORE || r->runs == AT_CLOCK_SLOW;
}

static void check_as_found(const struct mocked_reg *found)
{
	for (unsigned i = 0; i < mocked.regs; i++) {
		const struct mocked_reg *r = &mocked.reg[i];

		if (!may_move(r) && r->value != found[i].value)
			fail_msg("register %#x: found %#llx, left %#llx", r->msr,
				 (unsigned long long)found[i].value, (unsigned long long)r->value);
	}
}

#define ZEN "mperf aperf cycles instructions smi_received nmi_count mce_count mce_banks"

/*
 * Every model is armed, used and restored, twice. A readable register need not exist: those that
 * ignore writes, or never move, are listed as silent.
 */
TEST(test_put_back)
{
	static const struct {
		struct arch_identity (*model)(void);
		const char *armed, *silent;
		uint32_t smi_msr; /* 0: no register counts SMIs */
		bool writes;
	} rows[] = {
		{ skylake_sp,
		  "mperf reference aperf cycles instructions freeze_in_smm smi_count nmi_count "
		  "mce_count tsc_adjust mce_banks thermal package_thermal",
		  "", 0x34, true },
		{ core2, "nmi_count mce_count mce_banks", "", 0, false },
		{ zen2, ZEN, "", 0xc0010205u, true },
		{ zen4, ZEN, "", 0xc0010205u, true },
		/* PMU, MPERF and sensors of a guest are no evidence. */
		{ kvm_guest, "smi_count nmi_count mce_count tsc_adjust steal_clock mce_banks", "",
		  0x34, true },
		{ tcg_guest, "smi_count nmi_count mce_count mce_banks", "", 0x34, false },
		{ liar, "smi_count nmi_count mce_count tsc_adjust",
		  "mperf reference aperf cycles instructions thermal package_thermal", 0x34, true },
		{ amd_liar, "nmi_count mce_count", "mperf aperf cycles instructions smi_received",
		  0, true },
	};
	struct mocked_reg found[64];
	struct evidence e = { .gap = 100 };

	for (unsigned m = 0; m < sizeof(rows) / sizeof(rows[0]); m++) {
		detect(rows[m].model());
		assert_int_equal(smi_msr(), 0);
		memcpy(found, mocked.reg, sizeof(found));
		for (unsigned round = 0; round < 2; round++) {
			counters_arm(&c, false);
			check_names(COUNTER_ARMED, rows[m].armed);
			check_names(COUNTER_SILENT, rows[m].silent);
			check_names(COUNTER_BUSY, "");
			assert_int_equal(smi_msr(), rows[m].smi_msr);
			assert_int_equal(mocked.writes != 0, rows[m].writes);
			mocked_pass(1000, LOOP);
			counters_step(&c, &e);
			mocked_pass(1000, IN_SMM);
			counters_step(&c, &e);
			counters_restore(&c);
			check_as_found(found);
			assert_int_equal(c.columns, 0);
			mocked.writes = 0;
			/* Silent registers are not tried again. */
			if (*rows[m].silent)
				break;
		}
		check_names(COUNTER_ARMED, "");
	}
}

TEST(test_skylake)
{
	detect(skylake_sp());
	assert_null(counters_armed(&c, EVIDENCE_TSC_ADJUST));
	counters_arm(&c, false);
	assert_int_equal(c.columns, 6);
	assert_int_equal(counters_armed(&c, EVIDENCE_TSC_ADJUST)->msr, 0x3b);
	assert_int_equal(mocked_value(FIXED_CTR_CTRL), 0x8111);
	assert_int_equal(mocked_value(GLOBAL_CTRL), UINT64_C(0x70000000f));
	assert_int_equal(mocked_value(DEBUGCTL), 0x1 | FREEZE);
}

/* A calm span, as the sampling loop makes one. */
static void learn(uint64_t ticks)
{
	struct evidence e = { .gap = 0 };

	counters_step(&c, &e);
	mocked_pass(ticks, LOOP);
	counters_step(&c, &e);
	counters_learn(&c, &e);
}

static void learn_all(void)
{
	for (unsigned n = 0; n < COUNTER_SPANS; n++)
		learn(8000000);
}

static void check_gap(struct evidence *e, const char *row, enum cause cause, uint64_t smm)
{
	struct attribution a;
	uint64_t ticks[CAUSES] = { 0 };

	attribution_decide(e, &a);
	assert_string_equal(smm_row_names[a.row], row);
	assert_int_equal(a.cause, cause);
	attribution_add(&a, e->gap, ticks);
	/* The loop between the readings, and the readings, do not belong to the gap. */
	assert_in_range(ticks[CAUSE_SMI], smm > 300 ? smm - 300 : 0, smm + 300);
}

/* End the gap, and check the row and the cause that it gets. */
static void end_gap(struct evidence *e, bool smi_known, const struct gap_evidence *counted,
		    const char *row, enum cause cause, uint64_t smm)
{
	counters_step(&c, e);
	counters_counted(&c, smi_known ? EVIDENCE(SMI) : 0, counted, e);
	check_gap(e, row, cause, smm);
}

/* From registers to causes. The freeze is believed once an SMI has shown it. */
TEST(test_skylake_causes)
{
	struct evidence e = { .gap = 100000 };

	arm(skylake_sp());
	counters_step(&c, &e);
	assert_int_equal(e.have, EVIDENCE(APERF) | EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS) |
					 EVIDENCE(TSC_ADJUST));
	learn(2000000);
	assert_in_range(c.context.loop_ipc, 65536 / 4 - 300, 65536 / 4 + 300);
	assert_false(c.context.freeze);

	mocked_pass(500000, LOOP);
	mocked_pass(100000, STALLED);
	counters_step(&c, &e);
	assert_int_equal(e.have, EVIDENCE(APERF) | EVIDENCE(CYCLES) | EVIDENCE(INSTRUCTIONS) |
					 EVIDENCE(TSC_ADJUST) | EVIDENCE(MPERF) |
					 EVIDENCE(REFERENCE));
	assert_in_range(e.span, 600000, 601000);
	assert_in_range(e.step[EVIDENCE_MPERF], e.span - 50, e.span + 50);
	assert_true(e.slack < 600);
	counters_counted(&c, EVIDENCE(SMI), &nothing, &e);
	check_gap(&e, "stall", CAUSE_STALL, 0);

	mocked_pass(500000, LOOP);
	mocked_pass(100000, HALTED);
	end_gap(&e, true, &nothing, "stopped", CAUSE_STOPPED, 0);

	mocked_pass(500000, LOOP);
	mocked_pass(60000, IN_SMM);
	mocked_pass(40000, LOOP);
	end_gap(&e, true, &(struct gap_evidence){ .smi = 1, .nmi = 1 }, "smi and nmi, smm measured",
		CAUSE_SMI, 60000);
	assert_true(c.context.freeze);

	/* A handler sets the clock back to hide its time. */
	mocked_pass(500000, LOOP);
	mocked_reg(0x3b)->value -= 90000;
	end_gap(&e, true, &one_smi, "smi wrote clock", CAUSE_SMI, 100000);
	assert_int_equal((int64_t)e.step[EVIDENCE_TSC_ADJUST], -90000);
}

/* Check the row and the cause of a gap of 20 us after `loop` ticks of the loop. */
static void after(uint64_t loop, enum doing doing, unsigned smi, const char *row, enum cause cause,
		  uint64_t smm)
{
	struct evidence e = { .gap = 40000 };

	counters_step(&c, &e);
	mocked_pass(loop, LOOP);
	mocked_pass(e.gap, doing);
	end_gap(&e, true, &(struct gap_evidence){ .smi = smi }, row, cause, smm);
}

/*
 * The TSC is made from the crystal, MPERF from the bus clock: on an i9-13900K they are 1600 ppm
 * apart. Such a difference is never taken for a stopped clock, and stopped clocks are still found.
 */
TEST(test_bus_clock_apart)
{
	static const int ppm[] = { 0, -30, 30, -727, 727, -1600, 1600, -4000, 4000, -10000, 10000 };
	const char *names[COUNTER_ROWS_MAX];

	for (unsigned i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		detect(skylake_sp());
		mocked.bus_ppm = ppm[i];
		counters_arm(&c, false);
		assert_int_equal(counters_believed(&c, EVIDENCE(SMI), names, COUNTER_ROWS_MAX), 11);
		learn_all();
		assert_int_equal(counters_believed(&c, EVIDENCE(SMI), names, COUNTER_ROWS_MAX), 13);
		assert_int_equal(counters_believed(&c, 0, names, COUNTER_ROWS_MAX), 12);
		/* In a whole second, 20 us are not taken for a stopped clock. */
		after(HZ, LOOP, 0, "clock ran", CAUSE_UNKNOWN, 0);
		after(HZ, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
		after(100000, STALLED, 0, "stall", CAUSE_STALL, 0);
		after(100000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
		after(100000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
		/* From here on the freeze is believed. */
		after(HZ, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
		after(HZ, LOOP, 0, "clock ran", CAUSE_UNKNOWN, 0);
		after(HZ, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
	}
}

/*
 * Forced idle, for temperature or power: MPERF runs on, APERF and the core's cycles stop, and the
 * reference counter may run. That is neither code that ran nor SMM.
 */
TEST(test_forced_idle)
{
	for (unsigned how = 0; how < 4; how++) {
		detect(skylake_sp());
		mocked.idle_counts = how & 1;
		counters_arm(&c, false);
		learn_all();
		if (how & 2) {
			after(100000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
			assert_true(c.context.freeze);
		}
		after(100000, FORCED_IDLE, 0, "stopped", CAUSE_STOPPED, 0);
		after(1000000, FORCED_IDLE, 0, "stopped", CAUSE_STOPPED, 0);
		after(100000, STALLED, 0, "stall", CAUSE_STALL, 0);
		after(100000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
		after(100000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
		/* In a whole second, only the reference counter can show forced idle. */
		if (!(how & 1))
			after(HZ, FORCED_IDLE, 0, "stopped", CAUSE_STOPPED, 0);
		else
			after(HZ, FORCED_IDLE, 0, "clock ran", CAUSE_UNKNOWN, 0);
	}
}

/* Forced idle on a machine without an SMI counter that is believed. */
TEST(test_forced_idle_without_smi_counter)
{
	struct evidence e = { .gap = 100000 };

	for (unsigned how = 0; how < 2; how++) {
		detect(skylake_sp());
		mocked.idle_counts = how;
		counters_arm(&c, false);
		learn_all();
		mocked_pass(500000, LOOP);
		mocked_pass(100000, FORCED_IDLE);
		end_gap(&e, false, &nothing, "stopped", CAUSE_STOPPED, 0);
		/* At another frequency than the one learned, nothing is concluded. */
		mocked_pass(500000, LOOP);
		mocked_pass(100000, FORCED_IDLE);
		mocked_reg(0xe8)->value -= 60000;
		mocked_reg(0x30a)->value -= 60000;
		mocked_reg(0x309)->value -= 15000;
		end_gap(&e, false, &nothing, "clock ran", CAUSE_UNKNOWN, 0);
	}
}

/* Rates of spans in which a counter was held up are not learned. */
TEST(test_rate_of_the_calm)
{
	struct evidence e = { .gap = 0 };

	detect(skylake_sp());
	mocked.bus_ppm = -727;
	counters_arm(&c, false);
	for (unsigned n = 0; n < COUNTER_SPANS; n++) {
		counters_step(&c, &e);
		mocked_pass(8000000, LOOP);
		if (n % 2)
			mocked_pass(9000, HALTED);
		counters_step(&c, &e);
		counters_learn(&c, &e);
	}
	after(HZ, LOOP, 0, "clock ran", CAUSE_UNKNOWN, 0);
	after(HZ, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
}

/* More spans than there is room for change nothing. */
TEST(test_spans_past_the_last)
{
	detect(skylake_sp());
	counters_arm(&c, false);
	learn_all();
	learn_all();
	after(HZ, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
}

static const int unsteady[] = { 0, 30, -30, 25, -25, 30, 0, -30 };

/*
 * Rates of spans that agree only within some ppm. Over a second of sampling, that error is as long
 * as a gap, so nothing is concluded from the clock; over a short time, conclusions are drawn.
 */
TEST(test_rates_that_are_not_quite_one)
{
	arm(skylake_sp());
	for (unsigned n = 0; n < COUNTER_SPANS; n++) {
		mocked.bus_ppm = unsteady[n % 8];
		learn(8000000);
	}
	mocked.bus_ppm = 0;
	after(100000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
	for (int at = -7; at <= 7; at += 7) {
		mocked.bus_ppm = at;
		after(HZ, LOOP, 0, "blurred", CAUSE_UNKNOWN, 0);
	}
}

/* Periodic noise, which begins before the core is prepared. */
static struct {
	uint64_t period, ticks, next;
	enum doing doing;
} noise;

/* Mock of calibrate_span(): a gap ends the span unless `through` is set. */
static bool sample_among_noise(struct cpu *unused, uint64_t ticks, bool through)
{
	uint64_t end = mocked.clock + ticks;
	bool whole = true;

	(void)unused;
	while (noise.next < end && (whole || through)) {
		mocked_pass(noise.next > mocked.clock ? noise.next - mocked.clock : 0, LOOP);
		mocked_pass(noise.ticks, noise.doing);
		noise.next = mocked.clock + noise.period;
		whole = false;
	}
	if (mocked.clock < end && (whole || through))
		mocked_pass(end - mocked.clock, LOOP);
	return whole;
}

static void learn_among_noise(spans_sample *sample, enum doing doing, uint64_t ticks,
			      uint64_t period)
{
	arm(skylake_sp());
	noise.doing = doing;
	noise.ticks = ticks;
	noise.period = period;
	noise.next = mocked.clock + period / 2;
	counters_learn_from(&c, NULL, sample);
}

/*
 * Firmware that takes 10 us of each ms also does so while rates are learned. The reference counter,
 * which SMM freezes, must then not be taken for one that is 1 % slow; nor must MPERF, if a clock is
 * switched off so often. The length of an SMI after a ms of sampling is known nevertheless.
 */
TEST(test_noise_from_power_on)
{
	static const struct {
		uint64_t ticks, period;
	} rows[] = {
		{ 20000, 2000000 }, { 2000, 2000000 },   { 20000, 1200000 },
		{ 40000, 3000000 }, { 100000, 9000000 }, { 200000, 30000000 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		learn_among_noise(sample_among_noise, IN_SMM, rows[i].ticks, rows[i].period);
		after(2000000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
		assert_true(c.context.freeze);
		after(2000000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
		after(500000, STALLED, 0, "stall", CAUSE_STALL, 0);
		after(2000000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
		learn_among_noise(sample_among_noise, HALTED, rows[i].ticks, rows[i].period);
		after(2000000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
		after(500000, STALLED, 0, "stall", CAUSE_STALL, 0);
		after(2000000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
	}
}

static unsigned sampled;

static bool sample_unsteadily(struct cpu *unused, uint64_t ticks, bool through)
{
	mocked.bus_ppm = unsteady[sampled++ / 2 % 8]; /* every second span is whole */
	return sample_among_noise(unused, ticks, through);
}

/*
 * With gaps between spans, one span may read too much without the next reading too little. The mean
 * may be off by half their difference, which is a gap's length in a quarter of a second.
 */
TEST(test_rates_of_spans_apart)
{
	sampled = 0;
	learn_among_noise(sample_unsteadily, HALTED, 20000, 9000000);
	mocked.bus_ppm = 0;
	after(100000, HALTED, 0, "stopped", CAUSE_STOPPED, 0);
	for (int at = -20; at <= 20; at += 20) {
		mocked.bus_ppm = at;
		after(HZ / 4, LOOP, 0, "blurred", CAUSE_UNKNOWN, 0);
	}
}

/* Noise in every span: learning ends, and nothing false is concluded. */
TEST(test_noise_without_a_pause)
{
	learn_among_noise(sample_among_noise, IN_SMM, 20000, 400000);
	after(100000, IN_SMM, 1, "smi", CAUSE_SMI, 40000);
	after(100000, LOOP, 0, "clock ran", CAUSE_UNKNOWN, 0);
}

/* A processor that takes the bit but does not freeze: SMIs are still found as SMIs. */
TEST(test_freeze_not_seen)
{
	struct evidence e = { .gap = 100000 };

	arm(skylake_sp());
	learn(2000000);
	mocked_reg(DEBUGCTL)->value &= ~FREEZE;
	mocked_pass(100000, IN_SMM);
	end_gap(&e, true, &one_smi, "smi", CAUSE_SMI, 100000);
	assert_false(c.context.freeze);
}

/* Intel's families after 6 are 18 and 19; 15 was the Pentium 4. */
TEST(test_smi_counter_by_family)
{
	static const struct {
		uint32_t family;
		bool has;
	} rows[] = { { 5, false }, { 6, true }, { 15, false }, { 18, true }, { 19, true } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		id = skylake_sp();
		id.family = rows[i].family;
		arm(id);
		assert_int_equal(smi_msr() != 0, rows[i].has);
	}
	/* If the guarded read fails, there is no counter, whatever the family. */
	id = skylake_sp();
	id.family = 19;
	mocked_reg(0x34)->msr = 1;
	arm(id);
	assert_int_equal(smi_msr(), 0);
}

TEST(test_zen2)
{
	struct evidence e = { .gap = 50000 };

	arm(zen2());
	assert_int_equal(mocked_value(0xc0010200u), UINT64_C(0x420076));
	assert_int_equal(mocked_value(0xc0010202u), UINT64_C(0x4200c0));
	assert_int_equal(mocked_value(0xc0010204u), UINT64_C(0x42002b));
	assert_int_equal(mocked_value(0xc0010205u), 0);

	learn(2000000);
	mocked_pass(50000, IN_SMM);
	end_gap(&e, false, &one_smi, "smi", CAUSE_SMI, 50000);
	assert_false(c.context.freeze);
	/*
	 * An SMI counter that was never seen to count is ignored. Instructions count too much in
	 * SMM.
	 */
	mocked_pass(50000, IN_SMM);
	end_gap(&e, false, &nothing, "clock ran", CAUSE_UNKNOWN, 0);
	assert_false(e.have & EVIDENCE(SMI));
}

/*
 * A clean AMD machine: its SMI counter never moved. The same counter was seen to count
 * instructions, which proves that it works, but not before family 17h, where the SMI event is
 * undocumented.
 */
TEST(test_amd_without_smis)
{
	struct evidence e = { .gap = 50000 };
	const char *names[COUNTER_ROWS_MAX];

	detect(zen2());
	assert_false(smi_proved());
	counters_arm(&c, false);
	assert_true(smi_proved());
	assert_int_equal(mocked_value(0xc0010205u), 0);
	assert_int_equal(mocked_value(0xc0010204u), UINT64_C(0x42002b));
	/* cycles, instructions and aperf run; MPERF's rate is not learned yet */
	assert_int_equal(counters_believed(&c, 0, names, COUNTER_ROWS_MAX), 7);
	learn(2000000);
	mocked_pass(50000, IN_SMM);
	end_gap(&e, smi_proved(), &nothing, "clock ran", CAUSE_UNKNOWN, 0);
	assert_true(e.have & EVIDENCE(SMI));
	id = zen2();
	id.family = 0x15;
	arm(id);
	assert_false(smi_proved());
	/* This counter takes what is written, and never counts. */
	arm(amd_liar());
	assert_false(smi_proved());
	arm(skylake_sp());
	assert_false(smi_proved());
}

TEST(test_zen4)
{
	struct evidence e = { .gap = 50000 };

	arm(zen4());
	assert_int_equal(mocked_value(AMD_GLOBAL), 0x27);
	learn(2000000);
	mocked_pass(50000, IN_SMM);
	end_gap(&e, false, &nothing, "code ran", CAUSE_UNKNOWN, 0);
	/* Hygon's processors have the same counters. */
	id = zen4();
	strcpy(id.vendor, "HygonGenuine");
	detect(id);
	assert_int_equal(c.slot[4].state, COUNTER_FOUND);
}

/* Before family 15h there are none of these counters. */
TEST(test_old_amd)
{
	id = zen2();
	mocked_set(0x80000001u, MOCKED_ANY, 0, 0, 0, 0);
	detect(id);
	check_names(COUNTER_FOUND, "mperf aperf nmi_count mce_count mce_banks");
}

/* The firmware counts in fixed counter 0: it and the freeze are left alone. */
TEST(test_intel_busy)
{
	struct evidence e = { .gap = 100000 };

	id = skylake_sp();
	mocked_reg(FIXED_CTR_CTRL)->value = 0x3;
	mocked_reg(GLOBAL_CTRL)->value = BIT(32);
	detect(id);
	check_names(COUNTER_BUSY, "instructions freeze_in_smm");
	counters_arm(&c, false);
	check_names(COUNTER_ARMED, "mperf reference aperf cycles smi_count nmi_count mce_count "
				   "tsc_adjust mce_banks thermal package_thermal");
	check_names(COUNTER_BUSY, "instructions freeze_in_smm");
	assert_int_equal(mocked_value(FIXED_CTR_CTRL), 0x113);
	/* A lack of the reference counter is no freeze, as we did not enable that. */
	learn(2000000);
	mocked_pass(100000, LOOP);
	mocked_reg(0x30b)->value -= 90000;
	counters_step(&c, &e);
	counters_counted(&c, EVIDENCE(SMI), &one_smi, &e);
	assert_false(c.context.freeze);
	counters_restore(&c);
	assert_int_equal(mocked_value(FIXED_CTR_CTRL), 0x3);
	assert_int_equal(mocked_value(GLOBAL_CTRL), BIT(32));
	for (unsigned i = 0; i < mocked.writes; i++) {
		assert_int_not_equal(mocked.written[i], 0x309);
		assert_int_not_equal(mocked.written[i], DEBUGCTL);
	}
}

/* The firmware counts in a programmable counter, which we do not use: freezing would falsify it. */
TEST(test_intel_programmable_busy)
{
	id = skylake_sp();
	mocked_reg(0x188)->value |= EVENT_ENABLE;
	detect(id);
	check_names(COUNTER_BUSY, "freeze_in_smm");
}

/* The firmware has enabled the freeze: nothing is written, and nothing restored. */
TEST(test_freeze_found_on)
{
	id = skylake_sp();
	mocked_reg(DEBUGCTL)->value |= FREEZE;
	arm(id);
	assert_int_equal(c.slot[7].state, COUNTER_ARMED);
	counters_restore(&c);
	assert_int_equal(mocked_value(DEBUGCTL), 0x1 | FREEZE);
	for (unsigned i = 0; i < mocked.writes; i++)
		assert_int_not_equal(mocked.written[i], DEBUGCTL);
}

TEST(test_amd_busy)
{
	id = zen4();
	mocked_reg(0xc0010200u)->value |= EVENT_ENABLE;
	mocked_reg(0xc0010206u)->value |= EVENT_ENABLE;
	arm(id);
	assert_int_equal(smi_msr(), 0xc0010209u);
	counters_restore(&c);
	for (unsigned i = 0; i < mocked.writes; i++) {
		assert_int_not_equal(mocked.written[i] & ~1u, 0xc0010200u);
		assert_int_not_equal(mocked.written[i] & ~1u, 0xc0010206u);
	}

	/* One counter is left for three events: the first event gets it. */
	id = zen4();
	for (unsigned i = 0; i < 5; i++)
		mocked_reg(0xc0010200u + 2 * i)->value |= EVENT_ENABLE;
	detect(id);
	check_names(COUNTER_BUSY, "instructions smi_received");
	counters_arm(&c, false);
	assert_int_equal(smi_msr(), 0);
	assert_int_equal(mocked_value(0xc001020au), UINT64_C(0x420076));
}

TEST(test_kvm)
{
	struct evidence e = { .gap = 100000 };

	detect(kvm_guest());
	assert_int_equal(c.context.hypervisor, HYPERVISOR_KVM);
	mocked.area.steal_ns = 12345; /* left over; arming clears it */
	counters_arm(&c, false);
	check_names(COUNTER_ABSENT, "mperf reference aperf cycles cycles instructions instructions "
				    "freeze_in_smm smi_received thermal package_thermal");
	assert_int_equal(mocked_value(STEAL_MSR), (uintptr_t)&mocked.area | 1);
	/* A steal clock that has not moved yet is evidence, too. */
	assert_int_equal(c.context.armed, EVIDENCE(TSC_ADJUST) | EVIDENCE(STEAL));
	counters_step(&c, &e);
	assert_true(e.have & EVIDENCE(STEAL));
	assert_int_equal(e.step[EVIDENCE_STEAL], 0);

	mocked.area.steal_ns += 47500;
	mocked.area.version += 2;
	mocked_pass(100000, HALTED);
	counters_step(&c, &e);
	assert_int_equal(e.have, EVIDENCE(TSC_ADJUST) | EVIDENCE(STEAL));
	assert_int_equal(e.step[EVIDENCE_STEAL], 95000);
	counters_counted(&c, EVIDENCE(SMI), &nothing, &e);
	check_gap(&e, "stolen", CAUSE_STEAL, 0);

	/* The host never ends an update: there is no evidence, and no hang. */
	mocked.area.version++;
	counters_step(&c, &e);
	assert_false(e.have & EVIDENCE(STEAL));
	mocked.area.version++;
	counters_step(&c, &e);
	assert_false(e.have & EVIDENCE(STEAL)); /* the step covers the time before, too */
	counters_step(&c, &e);
	assert_true(e.have & EVIDENCE(STEAL));
	counters_restore(&c);
	assert_int_equal(mocked_value(STEAL_MSR), 0);
}

/* The slot of the first row with that name. */
static const struct counter_slot *slot_of(const char *name)
{
	for (unsigned i = 0; i < counter_rows_count; i++)
		if (!strcmp(counter_rows[i].name, name))
			return &c.slot[i];
	fail_msg("no row is called %s", name);
	return NULL;
}

static void check_steal(struct arch_identity identity, struct counter_steal_area *area, uint64_t hz,
			enum counter_state want)
{
	id = identity;
	counters_detect(&c, &mock, &id, hz, area);
	counters_arm(&c, false);
	assert_int_equal(slot_of("steal_clock")->state, want);
}

TEST(test_steal_clock_or_not)
{
	check_steal(kvm_guest(), &mocked.area, HZ, COUNTER_ARMED);
	check_steal(kvm_guest(), NULL, HZ, COUNTER_ABSENT);
	check_steal(kvm_guest(), &mocked.area, 0, COUNTER_ABSENT);
	/* The leaf lacks the feature; then the feature lacks its register. */
	id = kvm_guest();
	mocked_set(0x40000001u, MOCKED_ANY, ~(uint32_t)BIT(5), 0, 0, 0);
	check_steal(id, &mocked.area, HZ, COUNTER_ABSENT);
	id = kvm_guest();
	mocked_reg(STEAL_MSR)->msr = 1;
	check_steal(id, &mocked.area, HZ, COUNTER_ABSENT);
	/* Leaves that look like KVM's, but no hypervisor bit. */
	id = kvm_guest();
	mocked_set(1, MOCKED_ANY, 0, 0, 0, MCA_MCE);
	check_steal(id, &mocked.area, HZ, COUNTER_ABSENT);
	/* Another hypervisor. */
	id = kvm_guest();
	mocked_set(0x40000000u, MOCKED_ANY, 0, 0x4b4d564b, 0x564b4d56, 0x4e);
	check_steal(id, &mocked.area, HZ, COUNTER_ABSENT);
	/* KVM behind Hyper-V's leaves. */
	id = kvm_guest();
	mocked_set(0x40000000u, MOCKED_ANY, 0, 0x7263694d, 0, 0);
	add_kvm(0x40000100u, BIT(5));
	strcpy(id.hypervisor, "Hyper-V");
	check_steal(id, &mocked.area, HZ, COUNTER_ARMED);
	assert_int_equal(c.context.hypervisor, HYPERVISOR_OTHER);
	/* The firmware uses the steal clock itself. */
	id = kvm_guest();
	mocked_reg(STEAL_MSR)->value = 0x7f000001;
	check_steal(id, &mocked.area, HZ, COUNTER_BUSY);
	assert_int_equal(mocked_value(STEAL_MSR), 0x7f000001);
	/* The host takes the address, and never writes there. */
	id = kvm_guest();
	mocked.steal_dead = true;
	check_steal(id, &mocked.area, HZ, COUNTER_SILENT);
	assert_int_equal(mocked_value(STEAL_MSR), 0);
	/* The host refuses the address. */
	id = kvm_guest();
	mocked_reg(STEAL_MSR)->read_only = true;
	check_steal(id, &mocked.area, HZ, COUNTER_SILENT);
}

TEST(test_tcg)
{
	struct evidence e = { .gap = 1000 };

	detect(tcg_guest());
	assert_int_equal(c.context.hypervisor, HYPERVISOR_TCG);
	counters_arm(&c, true);
	assert_int_equal(mocked.writes, 0);
	end_gap(&e, false, &nothing, "guest", CAUSE_UNKNOWN, 0);
	/* A processor lies in its counters: only a plausible one is evidence. */
	arm(liar());
	counters_step(&c, &e);
	assert_int_equal(e.have, EVIDENCE(TSC_ADJUST));
}

/* Registers that fault when written, or drop the value: the other registers are still used. */
TEST(test_writes_refused)
{
	static const struct {
		struct arch_identity (*model)(void);
		uint32_t msr;
		const char *silent;
	} cases[] = {
		{ skylake_sp, 0x30a, "cycles" },
		{ skylake_sp, FIXED_CTR_CTRL, "reference cycles instructions" },
		{ skylake_sp, GLOBAL_CTRL, "reference cycles instructions" },
		{ skylake_sp, DEBUGCTL, "freeze_in_smm" },
		{ zen4, 0xc0010202u, "instructions" },
		{ zen4, 0xc0010201u, "cycles" },
		{ zen4, AMD_GLOBAL, "cycles instructions smi_received" },
	};
	struct mocked_reg found[64];

	for (unsigned i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool faults = i % 2;

		id = cases[i / 2].model();
		mocked_reg(cases[i / 2].msr)->read_only = faults;
		mocked_reg(cases[i / 2].msr)->ignores = !faults;
		/* A counter that ignores writes but runs can be used. */
		if (!faults && mocked_reg(cases[i / 2].msr)->runs != STANDS)
			continue;
		memcpy(found, mocked.reg, sizeof(found));
		arm(id);
		check_names(COUNTER_SILENT, cases[i / 2].silent);
		counters_restore(&c);
		check_as_found(found);
	}
}

/* Registers that CPUID promises and that fault when read. */
TEST(test_reads_refused)
{
	static const struct {
		struct arch_identity (*model)(void);
		uint32_t msr;
		const char *absent;
	} cases[] = {
		{ skylake_sp, 0x34, "cycles instructions smi_count smi_received steal_clock" },
		{ skylake_sp, 0x3b, "cycles instructions smi_received tsc_adjust steal_clock" },
		{ skylake_sp, 0xe7, "mperf cycles instructions smi_received steal_clock" },
		{ skylake_sp, 0x30b, "reference cycles instructions smi_received steal_clock" },
		{ skylake_sp, 0x345, "cycles instructions freeze_in_smm smi_received steal_clock" },
		{ skylake_sp, DEBUGCTL,
		  "cycles instructions freeze_in_smm smi_received steal_clock" },
		{ skylake_sp, GLOBAL_CTRL,
		  "reference cycles cycles instructions instructions smi_received steal_clock" },
		{ skylake_sp, 0x179, "cycles instructions smi_received steal_clock mce_banks" },
		{ skylake_sp, 0x19c, "cycles instructions smi_received steal_clock thermal" },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		id = cases[i].model();
		mocked_reg(cases[i].msr)->msr = 1;
		detect(id);
		check_names(COUNTER_ABSENT, cases[i].absent);
	}
	/* Without the control of all fixed counters there are none, and no freeze. */
	id = skylake_sp();
	mocked_reg(FIXED_CTR_CTRL)->msr = 1;
	detect(id);
	check_names(COUNTER_BUSY, "freeze_in_smm");
	id = zen4();
	mocked_reg(0xc0010200u)->msr = 1;
	detect(id);
	check_names(COUNTER_FOUND, "mperf aperf nmi_count mce_count mce_banks");
	id = zen4();
	mocked_reg(AMD_GLOBAL)->msr = 1;
	detect(id);
	check_names(COUNTER_FOUND, "mperf aperf nmi_count mce_count mce_banks");
}

/* CPUID also has the counters' widths, which may be wrong. */
TEST(test_fixed_widths)
{
	static const struct {
		uint32_t width;
		enum counter_state want;
	} cases[] = {
		{ 0, COUNTER_ABSENT }, { 31, COUNTER_ABSENT }, { 32, COUNTER_FOUND },
		{ 48, COUNTER_FOUND }, { 64, COUNTER_ABSENT }, { 255, COUNTER_ABSENT },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		id = skylake_sp();
		mocked_set(0xa, MOCKED_ANY, 4, 0, 0, 3 | cases[i].width << 5);
		detect(id);
		assert_int_equal(c.slot[1].state, cases[i].want);
	}
	/* The counters are listed by bit only, as version 5 may do. */
	id = skylake_sp();
	mocked_set(0xa, MOCKED_ANY, 5, 0, 5, 48 << 5);
	detect(id);
	assert_int_equal(c.slot[1].state, COUNTER_FOUND);
	assert_int_equal(c.slot[3].state, COUNTER_ABSENT);
}

/* A step is right even if the counter wraps. */
TEST(test_wrap)
{
	struct evidence e = { .gap = 1000 };

	arm(skylake_sp());
	mocked_reg(0x30a)->value = BIT(48) - 100;
	counters_step(&c, &e);
	mocked_reg(0x30a)->value = (mocked_reg(0x30a)->value + 3000) & (BIT(48) - 1);
	counters_step(&c, &e);
	assert_in_range(e.step[EVIDENCE_CYCLES], 3000, 4000);
}

/* MPERF at nine tenths of the clock would show every core as stopped at times: it is not used. */
TEST(test_other_rate)
{
	struct evidence e = { .gap = 1000 };

	detect(skylake_sp());
	mocked_reg(0xe7)->runs = AT_CLOCK_SLOW;
	counters_arm(&c, false);
	for (unsigned i = 0; i < 3; i++)
		learn(2000000);
	counters_step(&c, &e);
	assert_false(e.have & EVIDENCE(MPERF));
	assert_true(e.have & EVIDENCE(REFERENCE));

	/* One calm span among noisy ones is enough. */
	arm(skylake_sp());
	mocked_pass(1000000, HALTED);
	counters_step(&c, &e);
	counters_learn(&c, &e);
	counters_step(&c, &e);
	assert_false(e.have & EVIDENCE(MPERF));
	learn(2000000);
	counters_step(&c, &e);
	assert_true(e.have & EVIDENCE(MPERF));
}

/* A delay of a reading widens the slack of the gaps before and after it. */
TEST(test_slack)
{
	struct evidence e = { .gap = 1000 };
	uint64_t calm;

	arm(skylake_sp());
	counters_step(&c, &e);
	calm = e.slack;
	mocked.clock_step = 50005;
	counters_step(&c, &e);
	mocked.clock_step = 5;
	assert_in_range(e.slack, calm + 50000, calm + 50010);
	counters_step(&c, &e);
	assert_in_range(e.slack, calm + 50000, calm + 50010);
	counters_step(&c, &e);
	assert_int_equal(e.slack, calm);
	/* A long span adds a millionth of its length. */
	mocked_pass(100000000, LOOP);
	counters_step(&c, &e);
	assert_in_range(e.slack, calm + 90, calm + 100);
}

/* Bits that logs have shown since the last call. */
static uint32_t throttled(void)
{
	c.throttled = 0;
	counters_logs(&c);
	return c.throttled;
}

TEST(test_throttle)
{
	id = skylake_sp();
	mocked_reg(0x19c)->value |= BIT(1); /* thermal log, from before */
	arm(id);
	assert_int_equal(throttled(), 0);
	mocked_reg(0x19c)->value |= BIT(3) | BIT(11); /* PROCHOT and power limit logs */
	mocked_reg(0x1b1)->value |= BIT(10);          /* power limit status */
	assert_int_equal(throttled(), THROTTLE_PROCHOT | THROTTLE_POWER);
	assert_int_equal(throttled(), 0);
	/* If a log is set already, the status still shows it. Thresholds are no throttling. */
	mocked_reg(0x19c)->value |= BIT(0) | BIT(6) | BIT(7) | BIT(8) | BIT(9);
	assert_int_equal(throttled(), THROTTLE_THERMAL);
	mocked_reg(0x19c)->value |= BIT(4) | BIT(13) | BIT(15);
	assert_int_equal(throttled(), THROTTLE_CRITICAL | THROTTLE_CURRENT | THROTTLE_DOMAIN);
	/* New bits are added to those that were not reported yet. */
	mocked_reg(0x19c)->value = 0x88230000;
	counters_logs(&c);
	mocked_reg(0x19c)->value |= BIT(1);
	counters_logs(&c);
	assert_int_equal(c.throttled,
			 THROTTLE_THERMAL | THROTTLE_CRITICAL | THROTTLE_CURRENT | THROTTLE_DOMAIN);
}

TEST(test_clear_logs)
{
	for (unsigned clear = 0; clear < 2; clear++) {
		id = skylake_sp();
		mocked_reg(0x19c)->value |= BIT(1);
		detect(id);
		counters_arm(&c, clear);
		assert_int_equal(mocked_value(0x19c), clear ? 0 : 0x88230002);
		assert_int_equal(mocked_value(0x1b1), clear ? 0 : 0x88200000);
		assert_int_equal(c.throttled, 0);
		mocked_reg(0x19c)->value |= BIT(1);
		assert_int_equal(throttled(), clear ? THROTTLE_THERMAL : 0);
	}
}

TEST(test_machine_check_logs)
{
	arm(skylake_sp());
	mocked_reg(0x401 + 4 * 7)->value = MC_VALID | 0x136;
	counters_logs(&c);
	assert_int_equal(c.banks, BIT(7));
	mocked_reg(0x401 + 4 * 9)->value = MC_VALID;
	mocked_reg(0x401 + 4 * 3)->value = ~MC_VALID; /* rubbish, not valid */
	counters_logs(&c);
	assert_int_equal(c.banks, BIT(7) | BIT(9));
	c.banks = 0;
	counters_logs(&c);
	assert_int_equal(c.banks, 0);
}

TEST(test_banks)
{
	/* More banks than there are addresses for. */
	detect(skylake_sp());
	mocked_reg(0x179)->value = 255;
	detect(id);
	assert_int_equal(slot_of("mce_banks")->mask, UINT32_MAX);
	mocked_reg(0x179)->value = 0;
	detect(id);
	assert_int_equal(slot_of("mce_banks")->state, COUNTER_ABSENT);
	mocked_set(1, MOCKED_ANY, 0, 0, 0, BIT(14));
	mocked_reg(0x179)->value = 8;
	detect(id);
	assert_int_equal(slot_of("mce_banks")->state, COUNTER_ABSENT);
}

TEST(test_learn_nothing)
{
	struct evidence e = { .gap = 0 };

	arm(skylake_sp());
	e.have = EVIDENCE(INSTRUCTIONS);
	counters_learn(&c, &e);
	assert_int_equal(c.context.loop_ipc, 0);
	e.have |= EVIDENCE(CYCLES);
	e.step[EVIDENCE_INSTRUCTIONS] = 1000;
	counters_learn(&c, &e);
	assert_int_equal(c.context.loop_ipc, 0);
	e.step[EVIDENCE_CYCLES] = 2000;
	e.step[EVIDENCE_INSTRUCTIONS] = BIT(32);
	counters_learn(&c, &e);
	assert_int_equal(c.context.loop_ipc, 0);
	e.step[EVIDENCE_INSTRUCTIONS] = 1000;
	counters_learn(&c, &e);
	assert_int_equal(c.context.loop_ipc, 32768);
}

TEST(test_names_find_room)
{
	const char *names[2];

	detect(skylake_sp());
	assert_int_equal(counters_names(&c, COUNTER_FOUND, names, 2), 2);
}
