/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A mocked core: model-specific registers of which some count while time passes in the sampling
 * loop, in SMM, or in a halt. Registers that are not listed fault.
 */
#pragma once

#include "arch/x86_64/counters/counters.h"
#include "mocked_leaves.h"

#define MOCKED_READ_TICKS 20 /* ticks that an access takes */
#define BIT(n)            (UINT64_C(1) << (n))

#define DEBUGCTL       0x1d9u
#define FIXED_CTR_CTRL 0x38du
#define GLOBAL_CTRL    0x38fu
#define AMD_GLOBAL     0xc0000301u
#define STEAL_MSR      0x4b564d03u
#define FREEZE         BIT(14)
#define EVENT_ENABLE   BIT(22)

/* Counting of a register while it is enabled. */
enum runs {
	STANDS,
	AT_CLOCK,  /* ticks of the clock in C0 */
	AT_CORE,   /* core cycles in C0: 3/2 of the clock */
	FIXED0,    /* instructions: 1/4 of core cycles in the loop, 2/3 in SMM */
	FIXED1,    /* core cycles */
	FIXED2,    /* clock */
	AMD_EVENT, /* the event in the control register before it */
	AT_CLOCK_SLOW,
	AT_SMI, /* one each time in SMM */
};

struct mocked_reg {
	uint32_t msr;
	uint64_t value;
	enum runs runs;
	bool read_only; /* writing faults */
	bool ignores;   /* writing does nothing */
	uint64_t part;  /* fraction of the next count, 10^-6 */
};

/* The processor under test. */
static struct {
	struct mocked_reg reg[64];
	unsigned regs;
	bool answers_zero; /* missing registers read as 0, and take any value */
	uint64_t clock;
	uint64_t clock_step; /* ticks that a read of the clock takes */
	uint32_t written[64];
	unsigned writes;
	struct counter_steal_area area;
	bool steal_dead;  /* the host never fills the area */
	bool idle_counts; /* the reference counter counts in forced idle */
	int bus_ppm;      /* difference of the bus clock from the TSC, ppm */
} mocked;

static inline struct mocked_reg *mocked_reg(uint32_t msr)
{
	for (unsigned i = 0; i < mocked.regs; i++) {
		if (mocked.reg[i].msr == msr)
			return &mocked.reg[i];
	}
	return NULL;
}

static inline uint64_t mocked_value(uint32_t msr)
{
	struct mocked_reg *r = mocked_reg(msr);

	assert_non_null(r);
	return r->value;
}

static inline uint64_t mocked_value_or_0(uint32_t msr)
{
	struct mocked_reg *r = mocked_reg(msr);

	return r ? r->value : 0;
}

enum doing {
	LOOP,
	IN_SMM,
	HALTED,
	STALLED,
	FORCED_IDLE, /* only MPERF counts: SDM vol. 3, HDC */
};

static inline bool mocked_fixed_on(unsigned n, enum doing doing)
{
	if ((doing == IN_SMM && (mocked_value_or_0(DEBUGCTL) & FREEZE)) ||
	    (doing == FORCED_IDLE && (n != 2 || !mocked.idle_counts)))
		return false;
	return (mocked_value_or_0(FIXED_CTR_CTRL) >> 4 * n & 1) &&
	       (mocked_value_or_0(GLOBAL_CTRL) & BIT(32 + n));
}

static inline uint64_t mocked_instructions(uint64_t ticks, enum doing doing)
{
	if (doing == STALLED)
		return 0;
	return doing == IN_SMM ? ticks : ticks * 3 / 8;
}

/* A counter's control is 1 below its address. */
static inline uint64_t mocked_amd_counts(uint32_t ctr, uint64_t ticks, enum doing doing)
{
	uint32_t n = (ctr - 0xc0010201u) / 2;
	uint64_t control = mocked_value_or_0(ctr - 1);

	if (!(control & EVENT_ENABLE) ||
	    (mocked_reg(AMD_GLOBAL) && !(mocked_value(AMD_GLOBAL) & BIT(n))))
		return 0;
	switch (control & 0xff) {
	case 0x76:
		return ticks * 3 / 2;
	case 0xc0:
		return mocked_instructions(ticks, doing);
	case 0x2b:
		return doing == IN_SMM;
	default:
		return 0;
	}
}

/* Ticks of the bus clock in `ticks` of the TSC; the rates may differ. */
static inline uint64_t mocked_bus(struct mocked_reg *r, uint64_t ticks)
{
	r->part += ticks * (uint64_t)(1000000 + mocked.bus_ppm);
	ticks = r->part / 1000000;
	r->part %= 1000000;
	return ticks;
}

static inline uint64_t mocked_counts(struct mocked_reg *r, uint64_t ticks, enum doing doing)
{
	switch (r->runs) {
	case AT_CLOCK:
		return mocked_bus(r, ticks);
	case AT_CLOCK_SLOW:
		return doing == FORCED_IDLE ? 0 : ticks * 9 / 10;
	case AT_CORE:
		return doing == FORCED_IDLE ? 0 : ticks * 3 / 2;
	case FIXED0:
		return mocked_fixed_on(0, doing) ? mocked_instructions(ticks, doing) : 0;
	case FIXED1:
		return mocked_fixed_on(1, doing) ? ticks * 3 / 2 : 0;
	case FIXED2:
		return mocked_fixed_on(2, doing) ? mocked_bus(r, ticks) : 0;
	case AMD_EVENT:
		return doing == FORCED_IDLE ? 0 : mocked_amd_counts(r->msr, ticks, doing);
	case AT_SMI:
		return doing == IN_SMM;
	default:
		return 0;
	}
}

/* Let `ticks` go by. */
static inline void mocked_pass(uint64_t ticks, enum doing doing)
{
	mocked.clock += ticks;
	for (unsigned i = 0; i < mocked.regs && doing != HALTED; i++)
		mocked.reg[i].value += mocked_counts(&mocked.reg[i], ticks, doing);
}

static inline bool mocked_rdmsr(uint32_t msr, uint64_t *v)
{
	struct mocked_reg *r = mocked_reg(msr);

	mocked_pass(MOCKED_READ_TICKS, LOOP);
	*v = r ? r->value : 0;
	return r || mocked.answers_zero;
}

static inline bool mocked_wrmsr(uint32_t msr, uint64_t v)
{
	struct mocked_reg *r = mocked_reg(msr);

	mocked_pass(MOCKED_READ_TICKS, LOOP);
	assert_true(mocked.writes < 64);
	mocked.written[mocked.writes++] = msr;
	if (!r || r->read_only)
		return mocked.answers_zero;
	if (!r->ignores)
		r->value = v;
	if (msr == STEAL_MSR && (v & 1) && !mocked.steal_dead) {
		assert_ptr_equal((void *)(uintptr_t)(v & ~BIT(0)), &mocked.area);
		mocked.area.version += 2;
	}
	return true;
}

static inline uint64_t mocked_clock(void)
{
	mocked_pass(mocked.clock_step, LOOP);
	return mocked.clock;
}

/* Add a register, or change it. */
static inline void mocked_add(uint32_t msr, uint64_t v, enum runs runs)
{
	struct mocked_reg *r = mocked_reg(msr);

	if (!r) {
		assert_true(mocked.regs < 64);
		r = &mocked.reg[mocked.regs++];
	}
	*r = (struct mocked_reg){ .msr = msr, .value = v, .runs = runs };
}
