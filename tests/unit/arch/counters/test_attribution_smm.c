/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes from evidence. Each story defines what happened in a gap. A model of the processor's
 * counters turns it into evidence, from which the attribution must find the story again, or report
 * an unknown cause.
 */
#include "arch/x86_64/counters/attribution_smm.h"
#include "tests/unit/common/test.h"
#include "tests/unit/attribution_rows.h"
#include "tests/unit/draw.h"

#include <stdio.h>
#include <string.h>

#define SMM     .rules = &attribution_smm
#define OUTSIDE 800000u
#define SLACK   300u

/* The loop retires one instruction per four core cycles; cores run at 3/2 of the clock. */
#define LOOP_IPC (65536u / 4)

#define CLOCKS  (EVIDENCE(MPERF) | EVIDENCE(APERF))
#define RETIRED (EVIDENCE(INSTRUCTIONS) | EVIDENCE(CYCLES))
#define COUNTS  (EVIDENCE(NMI) | EVIDENCE(MCE))

struct platform {
	struct evidence_context context;
	uint32_t have;
};

static const struct platform intel_freeze = {
	{ SMM, .hypervisor = HYPERVISOR_NONE, .freeze = true, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED | EVIDENCE(REFERENCE) | EVIDENCE(TSC_ADJUST),
};

/* A processor whose reference counter is in use by the firmware. */
static const struct platform intel_two_counters = {
	{ SMM, .hypervisor = HYPERVISOR_NONE, .freeze = true, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED | EVIDENCE(TSC_ADJUST),
};

static const struct platform intel_no_freeze = {
	{ SMM, .hypervisor = HYPERVISOR_NONE, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED | EVIDENCE(REFERENCE),
};

/* AMD's processors count SMIs by a core event, and freeze no counters. */
static const struct platform amd = {
	{ SMM, .hypervisor = HYPERVISOR_NONE, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED,
};

/* Zen before Zen 3 may count more instructions than retire. */
static const struct platform zen = {
	{ SMM, .hypervisor = HYPERVISOR_NONE, .loop_ipc = LOOP_IPC, .overcounts = true },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED,
};

/* A processor of AMD's whose event counters are all in use by the firmware. */
static const struct platform amd_no_counters = {
	{ SMM, .hypervisor = HYPERVISOR_NONE },
	COUNTS | CLOCKS,
};

static const struct platform bare_nothing = { { SMM, .hypervisor = HYPERVISOR_NONE }, COUNTS };

static const struct platform bare_smi = { { SMM, .hypervisor = HYPERVISOR_NONE },
					  EVIDENCE(SMI) | COUNTS };

static const struct platform kvm = {
	{ SMM, .hypervisor = HYPERVISOR_KVM },
	EVIDENCE(SMI) | COUNTS | EVIDENCE(STEAL),
};

/* A hypervisor that shows its guest MPERF and a PMU. */
static const struct platform kvm_pmu = {
	{ SMM, .hypervisor = HYPERVISOR_KVM, .freeze = true, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED | EVIDENCE(REFERENCE) | EVIDENCE(STEAL),
};

static const struct platform tcg = { { SMM, .hypervisor = HYPERVISOR_TCG },
				     EVIDENCE(SMI) | COUNTS };

static const struct platform other_guest = { { SMM, .hypervisor = HYPERVISOR_OTHER },
					     EVIDENCE(SMI) | COUNTS };

static const struct platform bare_with_steal = { { SMM, .hypervisor = HYPERVISOR_NONE },
						 EVIDENCE(SMI) | COUNTS | EVIDENCE(STEAL) };

static const struct platform guest_with_mperf = {
	{ SMM, .hypervisor = HYPERVISOR_OTHER, .loop_ipc = LOOP_IPC },
	EVIDENCE(SMI) | COUNTS | CLOCKS | RETIRED,
};

/* Events in a gap: ticks of each kind, and counts. */
struct story {
	const struct platform *on;
	uint64_t smm;     /* handler code in SMM */
	uint64_t halted;  /* the core halted, or its clock was off */
	uint64_t stalled; /* the clock was on, and nothing retired */
	uint64_t code;    /* handlers ran: two instructions per three cycles */
	uint64_t stolen;  /* the hypervisor ran something else; a guest's counters stand still */
	uint64_t smi, nmi, mce;
	int64_t tsc;      /* added to the clock, and so to the gap's length */
	uint32_t lost;    /* kinds of evidence that were not read */
	uint64_t outside; /* ticks of the span that are not the gap's; 0: OUTSIDE */
};

static uint64_t gap_of(const struct story *s)
{
	return s->smm + s->halted + s->stalled + s->code + s->stolen + (uint64_t)s->tsc;
}

static void play(const struct story *s, struct evidence *e)
{
	bool frozen = s->on->context.freeze;
	uint64_t outside = s->outside ? s->outside : OUTSIDE;
	uint64_t in_c0 = outside + s->stalled + s->code + s->smm;
	uint64_t unfrozen = frozen ? in_c0 - s->smm : in_c0;

	*e = (struct evidence){
		.context = &s->on->context,
		.gap = gap_of(s),
		.span = outside + gap_of(s),
		.slack = SLACK,
		.have = s->on->have & ~s->lost,
	};
	e->step[EVIDENCE_SMI] = s->smi;
	e->step[EVIDENCE_NMI] = s->nmi;
	e->step[EVIDENCE_MCE] = s->mce;
	e->step[EVIDENCE_MPERF] = in_c0;
	e->step[EVIDENCE_APERF] = in_c0 * 3 / 2;
	e->step[EVIDENCE_INSTRUCTIONS] = outside * 3 / 2 / 4 + s->code + (frozen ? 0 : s->smm);
	e->step[EVIDENCE_CYCLES] = unfrozen * 3 / 2;
	e->step[EVIDENCE_REFERENCE] = unfrozen;
	e->step[EVIDENCE_TSC_ADJUST] = (uint64_t)s->tsc;
	e->step[EVIDENCE_STEAL] = s->stolen;
}

struct reported {
	const char *row;
	enum cause cause;
	uint64_t ticks[CAUSES]; /* all zero: the whole gap is the cause's */
	const char *sentence;   /* NULL: not checked */
};

static bool seen[256]; /* rows that some story took */

static void check(const struct evidence *e, const struct reported *want)
{
	static const uint64_t none[CAUSES];
	uint64_t ticks[CAUSES] = { 0 }, all[CAUSES] = { 0 };
	TEXT_DEFINE(sentence, 400);
	struct attribution a;

	all[want->cause] = e->gap;
	attribution_decide(e, &a);
	seen[a.row] = true;
	assert_string_equal(smm_row_names[a.row], want->row);
	assert_string_equal(cause_name(a.cause), cause_name(want->cause));
	attribution_add(&a, e->gap, ticks);
	assert_memory_equal(ticks, memcmp(want->ticks, none, sizeof(none)) ? want->ticks : all,
			    sizeof(ticks));
	attribution_sentence(&a, e->gap, &sentence);
	if (want->sentence)
		assert_string_equal(sentence.buf, want->sentence);
}

#define STORY(...)          (&(const struct story){ __VA_ARGS__ })
#define WANT(name, of, ...) (&(const struct reported){ .row = name, .cause = of, ##__VA_ARGS__ })

/* clang-format off */
static const struct {
	struct story story;
	struct reported want;
} stories[] = {
	{ { &intel_freeze, .smm = 97000, .stalled = 3000, .smi = 1 },
	  { "smi", .cause = CAUSE_SMI,
	    .sentence = "SMI: counter +1, core cycles frozen 97 % of the gap" } },
	/* A core that halts in SMM, waiting for the others. */
	{ { &intel_freeze, .smm = 17000, .halted = 83000, .smi = 3 },
	  { "smi", .cause = CAUSE_SMI } },
	{ { &intel_freeze, .smm = 70000, .code = 30000, .smi = 1, .nmi = 1 },
	  { "smi and nmi, smm measured", .cause = CAUSE_SMI,
	    .ticks = { [CAUSE_SMI] = 70000, [CAUSE_NMI] = 30000 },
	    .sentence = "SMI: counter +1, NMI +1 for the rest, core cycles frozen 70 % of the "
			"gap" } },
	{ { &intel_freeze, .smm = 30000, .code = 70000, .smi = 1, .nmi = 2 },
	  { "smi and nmi, smm measured", .cause = CAUSE_NMI,
	    .ticks = { [CAUSE_SMI] = 30000, [CAUSE_NMI] = 70000 } } },
	{ { &intel_freeze, .smm = 60000, .code = 40000, .smi = 1, .mce = 1 },
	  { "smi and mce, smm measured", .cause = CAUSE_SMI,
	    .ticks = { [CAUSE_SMI] = 60000, [CAUSE_MCE] = 40000 } } },
	{ { &intel_freeze, .smm = 20000, .code = 80000, .smi = 1, .nmi = 1, .mce = 1 },
	  { "smi, mce and nmi, smm measured", .cause = CAUSE_MCE,
	    .ticks = { [CAUSE_SMI] = 20000, [CAUSE_MCE] = 80000 } } },
	{ { &intel_freeze, .smm = 10000, .stalled = 190000, .smi = 1 },
	  { "smi, in part", .cause = CAUSE_UNKNOWN,
	    .ticks = { [CAUSE_SMI] = 10000, [CAUSE_UNKNOWN] = 190000 } } },
	{ { &intel_freeze, .smm = 1000, .code = 199000, .smi = 1 },
	  { "smi, in part", .cause = CAUSE_UNKNOWN,
	    .ticks = { [CAUSE_SMI] = 1000, [CAUSE_UNKNOWN] = 199000 },
	    .sentence = "SMI: counter +1, for a part of the gap, core cycles frozen under 1 % "
			"of the gap" } },
	{ { &intel_freeze, .smm = 50000, .tsc = 20000, .smi = 1 },
	  { "smi wrote clock", .cause = CAUSE_SMI,
	    .sentence = "SMI: counter +1, and the clock was written (+20000 ticks): length "
			"not to be trusted" } },
	/* The handler hides most of its time. */
	{ { &intel_freeze, .smm = 50000, .tsc = -40000, .smi = 1 },
	  { "smi wrote clock", .cause = CAUSE_SMI,
	    .sentence = "SMI: counter +1, and the clock was written (-40000 ticks): length "
			"not to be trusted" } },
	{ { &intel_freeze, .code = 5000, .tsc = 60000 },
	  { "clock written", .cause = CAUSE_UNKNOWN } },
	{ { &intel_freeze, .code = 5000, .tsc = 60000, .lost = EVIDENCE(SMI) },
	  { "clock written", .cause = CAUSE_UNKNOWN } },
	/* Core cycles instead of the reference counter: MPERF and APERF turn them into ticks. */
	{ { &intel_two_counters, .smm = 100000, .stalled = 100000, .smi = 1, .nmi = 1 },
	  { "smi and nmi, smm measured", .cause = CAUSE_NMI,
	    .ticks = { [CAUSE_SMI] = 100000, [CAUSE_NMI] = 100000 } } },
	/* Without APERF, core cycles measure nothing. */
	{ { &intel_two_counters, .smm = 100000, .smi = 1, .lost = EVIDENCE(APERF) },
	  { "smi", .cause = CAUSE_SMI } },
	{ { &intel_two_counters, .smm = 100000, .smi = 1, .lost = EVIDENCE(CYCLES) },
	  { "smi", .cause = CAUSE_SMI } },
	{ { &intel_no_freeze, .smm = 100000, .smi = 2 }, { "smi", .cause = CAUSE_SMI } },
	{ { &intel_no_freeze, .smm = 60000, .code = 40000, .smi = 1, .nmi = 1 },
	  { "smi and nmi", .cause = CAUSE_SMI } },
	{ { &intel_no_freeze, .smm = 60000, .code = 40000, .smi = 1, .mce = 1 },
	  { "smi and mce", .cause = CAUSE_SMI } },
	{ { &intel_no_freeze, .smm = 60000, .code = 40000, .smi = 1, .nmi = 1, .mce = 1 },
	  { "smi, mce and nmi", .cause = CAUSE_SMI } },
	{ { &intel_no_freeze, .halted = 100000, .stalled = 2000 },
	  { "stopped", .cause = CAUSE_STOPPED } },
	{ { &intel_no_freeze, .stalled = 40000 }, { "stall", .cause = CAUSE_STALL } },
	{ { &intel_no_freeze, .halted = 20000, .stalled = 60000 },
	  { "stopped and stalled", .cause = CAUSE_STALL,
	    .ticks = { [CAUSE_STOPPED] = 20000, [CAUSE_STALL] = 60000 },
	    .sentence = "stopped and stalled: 0 instructions retired, core clock off 25 % of "
			"the gap" } },
	{ { &intel_no_freeze, .halted = 20000, .stalled = 60000, .lost = RETIRED },
	  { "stopped in part", .cause = CAUSE_UNKNOWN,
	    .ticks = { [CAUSE_STOPPED] = 20000, [CAUSE_UNKNOWN] = 60000 } } },
	{ { &intel_no_freeze, .halted = 20000, .code = 30000, .nmi = 1 },
	  { "nmi", .cause = CAUSE_NMI,
	    .ticks = { [CAUSE_STOPPED] = 20000, [CAUSE_NMI] = 30000 } } },
	{ { &intel_no_freeze, .code = 90000 }, { "code ran", .cause = CAUSE_UNKNOWN } },
	/* The SMI counter rules out SMM, so up to an eighth of the loop's rate counts as idle. */
	{ { &intel_no_freeze, .code = 2000, .stalled = 98000 },
	  { "stall", .cause = CAUSE_STALL,
	    .sentence = "stall: the core's clock ran, 2000 instructions retired" } },
	{ { &amd, .smm = 100000, .smi = 1 }, { "smi", .cause = CAUSE_SMI } },
	{ { &amd, .code = 10000, .nmi = 1 }, { "nmi", .cause = CAUSE_NMI } },
	{ { &amd, .code = 10000, .mce = 1 },
	  { "mce", .cause = CAUSE_MCE, .sentence = "machine check: exceptions +1" } },
	{ { &amd, .code = 10000, .mce = 1, .nmi = 1 }, { "mce and nmi", .cause = CAUSE_MCE } },
	{ { &zen, .code = 50000 }, { "clock ran", .cause = CAUSE_UNKNOWN } },
	{ { &zen, .stalled = 50000 }, { "stall", .cause = CAUSE_STALL } },
	/* An SMI that is not counted leaves instructions behind. */
	{ { &amd, .smm = 50000, .lost = EVIDENCE(SMI) }, { "code ran", .cause = CAUSE_UNKNOWN } },
	{ { &amd, .stalled = 50000, .lost = EVIDENCE(SMI), .outside = 200000 },
	  { "stall", .cause = CAUSE_STALL } },
	/* Over a longer span the loop's own rate is not known well enough to see such an SMI. */
	{ { &amd, .stalled = 50000, .lost = EVIDENCE(SMI) },
	  { "clock ran", .cause = CAUSE_UNKNOWN } },
	{ { &amd_no_counters, .smm = 50000, .smi = 1 }, { "clock ran", .cause = CAUSE_UNKNOWN } },
	{ { &amd_no_counters, .halted = 50000 }, { "stopped", .cause = CAUSE_STOPPED } },
	{ { &kvm, .stolen = 95000, .code = 5000 },
	  { "stolen", .cause = CAUSE_STEAL,
	    .sentence = "steal: KVM ran something else, stolen 95 % of the gap" } },
	{ { &kvm, .stolen = 40000, .code = 60000 },
	  { "stolen in part", .cause = CAUSE_UNKNOWN,
	    .ticks = { [CAUSE_STEAL] = 40000, [CAUSE_UNKNOWN] = 60000 } } },
	{ { &kvm, .code = 60000 }, { "guest, not stolen", .cause = CAUSE_UNKNOWN } },
	{ { &kvm, .stolen = 90000, .code = 10000, .nmi = 1 },
	  { "nmi", .cause = CAUSE_STEAL,
	    .ticks = { [CAUSE_STEAL] = 90000, [CAUSE_NMI] = 10000 } } },
	{ { &kvm, .smm = 60000, .stolen = 40000, .smi = 1 },
	  { "smi", .cause = CAUSE_SMI, .ticks = { [CAUSE_SMI] = 60000, [CAUSE_STEAL] = 40000 } } },
	{ { &kvm, .stolen = 95000, .lost = EVIDENCE(STEAL) }, { "guest", .cause = CAUSE_UNKNOWN } },
	{ { &tcg, .code = 95000 },
	  { "guest", .cause = CAUSE_UNKNOWN,
	    .sentence = "unknown: an emulator is underneath, missing: steal clock" } },
	{ { &tcg, .smm = 95000, .smi = 1 }, { "smi", .cause = CAUSE_SMI } },
	{ { &tcg, .smm = 95000, .code = 1000, .smi = 1, .nmi = 1 },
	  { "smi and nmi", .cause = CAUSE_SMI } },
	{ { &tcg, .code = 1000, .mce = 2 }, { "mce", .cause = CAUSE_MCE } },
	{ { &other_guest, .code = 95000 },
	  { "guest", .cause = CAUSE_UNKNOWN,
	    .sentence = "unknown: a hypervisor is underneath, missing: steal clock" } },
	{ { &bare_smi, .code = 50000 }, { "no smi, no nmi", .cause = CAUSE_UNKNOWN } },
	{ { &bare_nothing, .code = 50000 }, { "nothing known", .cause = CAUSE_UNKNOWN } },
	{ { &bare_nothing, .code = 50000, .lost = COUNTS },
	  { "nothing known", .cause = CAUSE_UNKNOWN,
	    .sentence = "unknown: nothing was counted, missing: SMI counter, NMI count, "
			"MPERF, instruction counter, cycle counter" } },
	/* 1,600 ticks against a slack of 300. */
	{ { &intel_no_freeze, .halted = 1600 }, { "blurred", .cause = CAUSE_UNKNOWN } },
	/* Some instructions, too many for a stall, too few to be sure of code. */
	{ { &intel_no_freeze, .code = 1500, .stalled = 5500 },
	  { "clock ran", .cause = CAUSE_UNKNOWN } },
	{ { &intel_no_freeze, .halted = 80000, .code = 20000 },
	  { "stopped", .cause = CAUSE_STOPPED } },
	{ { &intel_no_freeze, .halted = 79999, .code = 20001 },
	  { "stopped in part", .cause = CAUSE_STOPPED,
	    .ticks = { [CAUSE_STOPPED] = 79999, [CAUSE_UNKNOWN] = 20001 } } },
	{ { &kvm, .stolen = 79999, .code = 20001 },
	  { "stolen in part", .cause = CAUSE_STEAL,
	    .ticks = { [CAUSE_STEAL] = 79999, [CAUSE_UNKNOWN] = 20001 } } },
	{ { &intel_freeze, .smm = 80000, .code = 20000, .smi = 1 }, { "smi", .cause = CAUSE_SMI } },
	{ { &intel_freeze, .smm = 79999, .code = 20001, .smi = 1 },
	  { "smi, in part", .cause = CAUSE_SMI,
	    .ticks = { [CAUSE_SMI] = 79999, [CAUSE_UNKNOWN] = 20001 } } },
	/* "stopped" in a guest: its MPERF stands still whenever the host runs something else. */
	{ { &guest_with_mperf, .halted = 90000 }, { "guest", .cause = CAUSE_UNKNOWN } },
	/* "stall" in a guest: its instructions stand still as well. */
	{ { &guest_with_mperf, .stalled = 90000 }, { "guest", .cause = CAUSE_UNKNOWN } },
	/* "steal" without a steal clock, though the PMU stopped; then with one. */
	{ { &kvm_pmu, .stolen = 90000, .lost = EVIDENCE(STEAL) },
	  { "guest", .cause = CAUSE_UNKNOWN } },
	{ { &kvm_pmu, .stolen = 90000 }, { "stolen", .cause = CAUSE_STEAL } },
	/* "steal" without a hypervisor. */
	{ { &bare_with_steal, .stolen = 90000 }, { "no smi, no nmi", .cause = CAUSE_UNKNOWN } },
	/* "stopped" without MPERF. */
	{ { &intel_no_freeze, .halted = 90000, .lost = CLOCKS | RETIRED },
	  { "no smi, no nmi", .cause = CAUSE_UNKNOWN } },
	/* "stall" without MPERF: the clock may have stopped. */
	{ { &intel_no_freeze, .stalled = 90000, .lost = CLOCKS },
	  { "no smi, no nmi", .cause = CAUSE_UNKNOWN } },
	/* "stall" without retired instructions, without cycles. */
	{ { &intel_no_freeze, .stalled = 90000, .lost = EVIDENCE(INSTRUCTIONS) },
	  { "clock ran", .cause = CAUSE_UNKNOWN } },
	{ { &intel_no_freeze, .stalled = 90000, .lost = EVIDENCE(CYCLES) },
	  { "clock ran", .cause = CAUSE_UNKNOWN } },
	/* "smi" without an SMI counted, though everything SMM freezes stood still. */
	{ { &intel_freeze, .smm = 90000, .lost = EVIDENCE(SMI) },
	  { "clock ran", .cause = CAUSE_UNKNOWN } },
	/* "stopped" beside an SMI that is not measured: the core may have halted in SMM. */
	{ { &intel_no_freeze, .halted = 90000, .smi = 1 }, { "smi", .cause = CAUSE_SMI } },
	/* "nmi" and "mce" by counters that are not believed. */
	{ { &bare_smi, .code = 9000, .nmi = 1, .mce = 1, .lost = COUNTS },
	  { "no smi, no nmi", .cause = CAUSE_UNKNOWN } },
};
/* clang-format on */

TEST(test_stories)
{
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct evidence e;

		play(&stories[i].story, &e);
		check(&e, &stories[i].want);
	}
}

/*
 * A gap of 30000 ticks, 45000 cycles, after a quiet half second in which the loop retired half a
 * per cent more or less than was learned. The difference is not the gap's: so many instructions do
 * not fit into it.
 */
TEST(test_loop_that_is_not_as_learned)
{
	const struct platform *const on[] = { &amd, &kvm_pmu };

	for (int per_mille = -8; per_mille <= 8; per_mille += 2) {
		for (size_t i = 0; i < 2; i++) {
			struct story s = { .on = on[i], .stalled = 30000, .outside = 700000000 };
			struct evidence e;
			struct attribution a;
			TEXT_DEFINE(t, 400);

			play(&s, &e);
			e.step[EVIDENCE_INSTRUCTIONS] +=
				(uint64_t)((int64_t)e.step[EVIDENCE_INSTRUCTIONS] * per_mille /
					   1000);
			attribution_decide(&e, &a);
			attribution_sentence(&a, e.gap, &t);
			if (strstr(t.buf, "instructions retired") || a.cause != CAUSE_UNKNOWN)
				fail_msg("%d per mille: %s", per_mille, t.buf);
		}
	}
}

/* Evidence that can't all be true. */
TEST(test_contradictions)
{
	struct evidence e;

	play(STORY(&intel_freeze, .smm = 90000, .code = 10000), &e);
	check(&e, WANT("frozen without smi", CAUSE_UNKNOWN));
	play(STORY(&intel_freeze, .code = 100000, .smi = 1), &e);
	check(&e, WANT("smi without freeze", CAUSE_UNKNOWN));

	/* MPERF ran more than the clock did. */
	play(STORY(&intel_no_freeze, .stalled = 100000), &e);
	e.step[EVIDENCE_MPERF] = e.span + SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));
	e.step[EVIDENCE_MPERF] = e.span + SLACK;
	check(&e, WANT("stall", CAUSE_STALL));

	/* The frozen counter ran more than the one that never freezes. */
	play(STORY(&intel_freeze, .stalled = 100000), &e);
	e.step[EVIDENCE_REFERENCE] = e.step[EVIDENCE_MPERF] + SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));

	/* More ticks are missing than the gap has: some were lost elsewhere. */
	play(STORY(&intel_no_freeze, .halted = 100000), &e);
	e.step[EVIDENCE_MPERF] -= SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));
	/* An SMI that was counted then is the cause, but its share of the gap is not measured. */
	play(STORY(&intel_freeze, .smm = 50000, .code = 50000, .smi = 4, .nmi = 1), &e);
	e.step[EVIDENCE_REFERENCE] -= 60000;
	check(&e, WANT("smi and nmi", CAUSE_SMI));
	/* An excess within the slack is an error of reading: the parts fit the gap. */
	play(STORY(&intel_no_freeze, .halted = 100000), &e);
	e.step[EVIDENCE_MPERF] -= SLACK;
	check(&e, WANT("stopped", CAUSE_STOPPED));

	/* More time was stolen than passed. */
	play(STORY(&kvm, .stolen = 100000), &e);
	e.step[EVIDENCE_STEAL] = e.span + SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));
	/* More time was stolen than the gap took: the rest was in times too short to be gaps. */
	e.step[EVIDENCE_STEAL] = 120000;
	check(&e, WANT("stolen", CAUSE_STEAL));

	/* The gap is longer than the span it is in. */
	play(STORY(&intel_no_freeze, .stalled = 100000), &e);
	e.gap = e.span + SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));
	play(STORY(&kvm, .stolen = 100000), &e);
	e.gap = e.span + SLACK + 1;
	check(&e, WANT("contradiction", CAUSE_UNKNOWN));
	/* A gap longer than its span is no contradiction if nothing is measured over the span. */
	play(STORY(&bare_smi, .code = 50000), &e);
	e.span = 0;
	check(&e, WANT("no smi, no nmi", CAUSE_UNKNOWN));
}

/* The limits between one answer and the next. */
TEST(test_limits)
{
	struct evidence e;

	/* A lack within the slack counts as none; one tick more is counted. */
	play(STORY(&intel_no_freeze, .stalled = 40000), &e);
	e.step[EVIDENCE_MPERF] = e.span - SLACK;
	check(&e, WANT("stall", CAUSE_STALL));
	e.step[EVIDENCE_MPERF]--;
	check(&e,
	      WANT("stall", CAUSE_STALL,
		   .ticks = { [CAUSE_STOPPED] = SLACK + 1, [CAUSE_STALL] = 40000 - SLACK - 1 }));
}

/* Causes that other evidence may suggest, but never proves. */
TEST(test_forbidden)
{
	struct evidence e;

	/* "stall" without the loop's own rate. */
	play(STORY(&intel_no_freeze, .stalled = 90000), &e);
	e.context = &(const struct evidence_context){ SMM, .loop_ipc = 0 };
	check(&e, WANT("clock ran", CAUSE_UNKNOWN));
	/* "stall" where the loop's own instructions drown the gap's. */
	play(STORY(&intel_no_freeze, .stalled = 3000), &e);
	e.span += 2000000000;
	e.step[EVIDENCE_MPERF] += 2000000000;
	e.step[EVIDENCE_CYCLES] += 3000000000;
	e.step[EVIDENCE_INSTRUCTIONS] += 750000000;
	check(&e, WANT("clock ran", CAUSE_UNKNOWN));
}

/* Numbers at the ends of their ranges give no overflow, and no conclusion. */
TEST(test_extremes)
{
	struct evidence e;

	play(STORY(&intel_no_freeze, .stalled = 90000), &e);
	e.span += UINT64_C(1) << 40;
	e.step[EVIDENCE_MPERF] += UINT64_C(1) << 40;
	check(&e, WANT("clock ran", CAUSE_UNKNOWN));
	play(STORY(&intel_no_freeze, .stalled = 90000), &e);
	e.step[EVIDENCE_CYCLES] = UINT64_C(1) << 40;
	check(&e, WANT("clock ran", CAUSE_UNKNOWN));
	play(STORY(&intel_no_freeze, .stalled = 90000), &e);
	e.context = &(const struct evidence_context){ SMM, .loop_ipc = 16 << 16 };
	check(&e, WANT("clock ran", CAUSE_UNKNOWN));
	play(STORY(&intel_two_counters, .smm = UINT64_C(1) << 40, .smi = 1), &e);
	check(&e, WANT("smi", CAUSE_SMI));
	/* Counters that did not run at all. */
	play(STORY(&intel_two_counters, .smm = 90000, .smi = 1), &e);
	e.span = e.gap;
	e.step[EVIDENCE_MPERF] = 90000;
	e.step[EVIDENCE_APERF] = e.step[EVIDENCE_CYCLES] = e.step[EVIDENCE_INSTRUCTIONS] = 0;
	check(&e, WANT("smi", CAUSE_SMI));
	/* Counts beyond what an attribution keeps. */
	play(STORY(&tcg, .smm = 90000, .smi = UINT64_C(1) << 40), &e);
	check(&e, WANT("smi", CAUSE_SMI, .sentence = "SMI: counter +4294967295"));
}

/* Runs after the stories. A row that no story takes is not tested. */
TEST(test_every_row_taken)
{
	for (unsigned i = 0; i < SMM_ROWS; i++)
		if (!seen[i])
			fail_msg("no story for row \"%s\"", smm_row_names[i]);
}

/* If only SMI, NMI and #MC are counted, the quick answer is that of the table. */
TEST(test_quick_answer)
{
	const struct platform *const on[] = { &tcg, &bare_smi, &bare_nothing, &other_guest };
	struct attribution a;
	struct evidence e;

	for (unsigned p = 0; p < 4; p++) {
		for (unsigned i = 0; i < 27; i++) {
			struct story s = { on[p], .code = 5000 };

			if (on[p]->have & EVIDENCE(SMI))
				s.smi = i % 3;
			s.nmi = i / 3 % 3;
			s.mce = i / 9;
			play(&s, &e);
			attribution_decide(&e, &a);
			assert_int_equal(a.cause, attribution_counted(e.context, &a.counted));
		}
	}
}

#define ALL_COUNTS (EVIDENCE(SMI) | EVIDENCE(NMI) | EVIDENCE(MCE))

/* The counts that are stored until a gap is reported give the same cause. */
TEST(test_counts_alone)
{
	static const struct {
		struct gap_evidence counted;
		uint32_t have;
	} kept[] = {
		{ { .smi = 1 }, ALL_COUNTS },
		{ { .nmi = 2 }, ALL_COUNTS },
		{ { .smi = 1, .nmi = 1, .mce = 1 }, ALL_COUNTS },
		{ { .mce = 1 }, ALL_COUNTS },
		{ { .smi = 0 }, ALL_COUNTS },
		{ { .nmi = 1 }, EVIDENCE(NMI) | EVIDENCE(MCE) },
		{ { .smi = 0 }, EVIDENCE(NMI) | EVIDENCE(MCE) },
	};
	static const char *const reported[] = {
		"SMI: counter +1",
		"NMI: count +2",
		"SMI +1, machine check +1 and NMI +1 in one gap, not separable",
		"machine check: exceptions +1",
		"unknown: neither SMI nor NMI was counted, missing: MPERF, instruction counter, "
		"cycle counter",
		"NMI: count +1",
		"unknown: nothing was counted, missing: SMI counter, MPERF, instruction counter, "
		"cycle counter",
	};

	for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		struct attribution a;
		TEXT_DEFINE(out, 200);

		attribution_decide_counts(&bare_smi.context, kept[i].have, &kept[i].counted, 7000,
					  &a);
		assert_int_equal(a.cause, attribution_counted(&bare_smi.context, &kept[i].counted));
		attribution_sentence(&a, 7000, &out);
		assert_string_equal(out.buf, reported[i]);
	}
}

/* Gaps that came together keep only counts. Evidence that the core measures is not missing. */
TEST(test_armed_is_not_missing)
{
	static const struct gap_evidence none;
	static const struct {
		struct evidence_context context;
		const char *text;
	} rows[] = {
		{ { SMM, .hypervisor = HYPERVISOR_KVM },
		  "unknown: KVM is underneath, missing: steal clock" },
		{ { SMM, .hypervisor = HYPERVISOR_KVM, .armed = EVIDENCE(STEAL) },
		  "unknown: KVM is underneath" },
		{ { SMM, .armed = EVIDENCE(MPERF) },
		  "unknown: neither SMI nor NMI was counted, missing: instruction counter, cycle "
		  "counter" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct attribution a;
		TEXT_DEFINE(out, 200);

		attribution_decide_counts(&rows[i].context, ALL_COUNTS, &none, 5000, &a);
		attribution_sentence(&a, 5000, &out);
		assert_string_equal(out.buf, rows[i].text);
	}
}

static void random_evidence(struct evidence *e, struct evidence_context *context)
{
	static const uint64_t sizes[] = { 1, 2, 3, 1000, 100000, 1000000, UINT32_MAX };

	context->rules = &attribution_smm;
	context->hypervisor = (enum evidence_hypervisor)draw(4);
	context->freeze = draw(2);
	context->loop_ipc = draw(2) ? LOOP_IPC : 0;
	context->armed = 0;
	context->loop_rate = draw(2) ? 3 << 15 : 0;
	context->overcounts = !draw(4);
	context->level3 = draw(2);
	context->doubt = 0;
	e->context = context;
	e->gap = 1 + draw(sizes[draw(7)]);
	e->span = draw(8) ? e->gap + draw(sizes[draw(7)]) : draw(1000);
	e->slack = draw(sizes[draw(5)]);
	e->have = (uint32_t)draw(1u << EVIDENCE_KINDS);
	for (unsigned k = 0; k < EVIDENCE_KINDS; k++)
		e->step[k] = draw(2) ? draw(sizes[draw(7)]) : 0;
	e->step[EVIDENCE_TSC_ADJUST] *= !draw(16);
	/* Half of the cases are near the truth. */
	if (draw(2))
		e->step[EVIDENCE_MPERF] = e->span - draw(2) * draw(e->gap);
	if (draw(2))
		e->step[EVIDENCE_REFERENCE] = e->step[EVIDENCE_MPERF];
	if (draw(2))
		e->step[EVIDENCE_APERF] = (e->step[EVIDENCE_MPERF] - draw(2) * e->gap) * 3 / 2;
}

static bool holds(const struct evidence *e, enum evidence_kind kind)
{
	return (e->have >> kind & 1) && e->step[kind];
}

/* In forced idle MPERF runs on; APERF and other counters of the core's cycles do not. */
static bool may_be_forced(const struct evidence *e)
{
	bool by_rate = e->context->loop_rate &&
		       e->step[EVIDENCE_APERF] * 2 / 3 < e->step[EVIDENCE_MPERF];
	bool by_reference = e->context->freeze && (e->have & EVIDENCE(REFERENCE)) &&
			    (e->have & EVIDENCE(CYCLES)) &&
			    e->step[EVIDENCE_REFERENCE] < e->step[EVIDENCE_MPERF];

	return (e->have & EVIDENCE(APERF)) && !holds(e, EVIDENCE_SMI) && (by_rate || by_reference);
}

/* True if the cause may be given time: the proofs, written again independently. */
static bool allowed(const struct evidence *e, enum cause cause)
{
	bool guest = e->context->hypervisor != HYPERVISOR_NONE;
	bool mperf = e->have & EVIDENCE(MPERF);

	switch (cause) {
	case CAUSE_SMI:
		return holds(e, EVIDENCE_SMI);
	case CAUSE_NMI:
		return holds(e, EVIDENCE_NMI);
	case CAUSE_MCE:
		return holds(e, EVIDENCE_MCE);
	case CAUSE_STEAL:
		return guest && holds(e, EVIDENCE_STEAL);
	case CAUSE_STOPPED:
		return !guest && mperf && (e->step[EVIDENCE_MPERF] < e->span || may_be_forced(e));
	case CAUSE_STALL:
		return !guest && mperf && (e->have & RETIRED) == RETIRED &&
		       !holds(e, EVIDENCE_SMI) && !holds(e, EVIDENCE_NMI);
	default:
		return true;
	}
}

TEST(test_any_evidence)
{
	unsigned given[CAUSES] = { 0 };

	draw_seed = 20240229;
	for (unsigned i = 0; i < 200000; i++) {
		struct evidence_context context;
		uint64_t ticks[CAUSES] = { 0 };
		uint64_t sum = 0;
		struct attribution a;
		struct evidence e;
		TEXT_DEFINE(out, 320);

		random_evidence(&e, &context);
		attribution_decide(&e, &a);
		attribution_add(&a, e.gap, ticks);
		for (unsigned c = 0; c < CAUSES; c++) {
			if (ticks[c] && !allowed(&e, (enum cause)c))
				fail_msg("%u: %s has time without proof (row \"%s\")", i,
					 cause_name((enum cause)c), smm_row_names[a.row]);
			given[c] += ticks[c] != 0;
			sum += ticks[c];
			assert_true(ticks[c] <= ticks[a.cause]);
		}
		assert_int_equal(sum, e.gap);
		attribution_sentence(&a, e.gap, &out);
		assert_false(out.overflow);
		assert_null(strchr(out.buf, '{'));
	}
	/* The cases reached every cause that x86 has. */
	for (unsigned c = 0; c < CAUSES; c++)
		assert_int_equal(given[c] > 100,
				 c != CAUSE_EL3 && c != CAUSE_HYPERVISOR && c != CAUSE_SERROR);
}

/*
 * A gap that was measured together with others was stolen if that follows however the rest is
 * distributed: if at most a fifth of the gap was not stolen.
 */
TEST(test_one_of_several)
{
	static const struct {
		uint64_t total, stolen, gap;
		bool known;
	} rows[] = {
		{ 200000, 200000, 100000, true },  { 200000, 180000, 100000, true },
		{ 200000, 179999, 100000, false }, { 8005000, 8000000, 8000000, true },
		{ 8005000, 8000000, 5000, false }, { 8005000, 8005000, 5000, true },
		{ 200000, 100000, 100000, false }, { 200000, 0, 100000, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct evidence e = { .context = &kvm.context,
				      .gap = rows[i].total,
				      .span = rows[i].total,
				      .have = kvm.have,
				      .step = { [EVIDENCE_STEAL] = rows[i].stolen } };
		struct attribution together, one = { .cause = CAUSE_NMI };
		uint64_t ticks[CAUSES] = { 0 };

		attribution_decide(&e, &together);
		assert_int_equal(attribution_of_one(&together, rows[i].total, rows[i].gap, &one),
				 rows[i].known);
		assert_int_equal(one.cause, rows[i].known ? CAUSE_STEAL : CAUSE_NMI);
		if (!rows[i].known)
			continue;
		attribution_add(&one, rows[i].gap, ticks);
		assert_int_equal(ticks[CAUSE_STEAL], rows[i].gap);
		e.step[EVIDENCE_NMI] = 1;
		attribution_decide(&e, &together);
		assert_false(attribution_of_one(&together, rows[i].total, rows[i].gap, &one));
	}
}
