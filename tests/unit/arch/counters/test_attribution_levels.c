/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribution on processors with exception levels. Gaps are made of known parts, from which the
 * counters' steps follow. The attribution must find the parts, or claim less.
 */
#include "arch/aarch64/counters/attribution_levels.c"
#include "tests/unit/common/test.h"
#include "tests/unit/attribution_rows.h"
#include "tests/unit/draw.h"

#include <string.h>

#define LOOP    20000 /* ticks of the loop before the gap */
#define SLACK   8
#define IPC     (24u << 16) /* instructions per tick of the loop */
#define PPM_100 107374      /* 2^-30 */
#define STALLS  2           /* one of so many ticks of the loop is a stall */

static const struct evidence_context level2 = {
	.rules = &attribution_levels,
	.level3 = true,
	.loop_ipc = IPC,
	.loop_stalls = 65536 / STALLS,
};
/* A processor whose counter of all cycles was seen to count at level 3. */
static const struct evidence_context level2_counts = {
	.rules = &attribution_levels,
	.level3 = true,
	.freeze = true,
	.loop_ipc = IPC,
};
static const struct evidence_context no_level3 = { .rules = &attribution_levels };
static const struct evidence_context level1 = {
	.rules = &attribution_levels,
	.hypervisor = HYPERVISOR_OTHER,
	.level3 = true,
	.loop_ipc = IPC,
};
static const struct evidence_context kvm = { .rules = &attribution_levels,
					     .hypervisor = HYPERVISOR_KVM };
static const struct evidence_context unsteady = { .rules = &attribution_levels,
						  .level3 = true,
						  .doubt = 1000 * PPM_100 };

#define SERROR  EVIDENCE(MCE)
#define MONITOR (SERROR | EVIDENCE(CYCLES) | EVIDENCE(CYCLES_ALL))
#define GUEST   (MONITOR | EVIDENCE(CYCLES_LOW))
#define RETIRED EVIDENCE(INSTRUCTIONS)
#define STOLEN  EVIDENCE(STEAL)
#define ISSUED  EVIDENCE(STALLS)

struct story {
	const struct evidence_context *on;
	uint32_t have;
	/* Ticks of the gap: at the probe's level, at 2, counted at 3, without cycles. */
	uint64_t own, below, level3, dark;
	uint64_t retired, stolen, mce, stalls;
	uint64_t earlier; /* ticks at level 2 or 3 before the gap, too short to be a gap */
	uint64_t skew;    /* added to the slack */
	const char *row;
	enum cause cause;
	uint64_t ticks;       /* ticks that the cause gets */
	const char *sentence; /* NULL: not checked */
};

/* clang-format off */
static const struct story stories[] = {
	/* The probe at level 2: only level 3 can interrupt, with its cycles counted or not. */
	{ &level2, MONITOR, .dark = 9000, .row = "level 3 or stopped",
	  .cause = CAUSE_EL3, .ticks = 9000 },
	{ &level2, MONITOR, .own = 1000, .dark = 9000, .row = "level 3 or stopped",
	  .cause = CAUSE_EL3, .ticks = 10000,
	  .sentence = "EL3 or stopped: no cycles at any level that is counted, "
		      "at EL3 90 % of the gap" },
	{ &level2_counts, MONITOR, .level3 = 9000, .row = "level 3", .cause = CAUSE_EL3,
	  .ticks = 9000 },
	{ &level2, SERROR | EVIDENCE(CYCLES), .dark = 9000, .row = "level 3 or stopped",
	  .cause = CAUSE_EL3, .ticks = 9000 },
	/* If level 3's cycles are counted, or it is missing, no cycles mean a stopped clock. */
	{ &level2_counts, MONITOR, .dark = 9000, .row = "stopped", .cause = CAUSE_STOPPED,
	  .ticks = 9000,
	  .sentence = "stopped: no cycles at any level, no cycles 100 % of the gap" },
	{ &no_level3, MONITOR, .dark = 9000, .row = "stopped", .cause = CAUSE_STOPPED,
	  .ticks = 9000 },
	/* The probe at level 1. */
	{ &level1, GUEST, .below = 9000, .row = "level 2", .cause = CAUSE_HYPERVISOR,
	  .ticks = 9000,
	  .sentence = "hypervisor: the core's cycles were at EL2, at EL2 100 % of the gap" },
	{ &level1, GUEST, .level3 = 9000, .row = "level 3", .cause = CAUSE_EL3, .ticks = 9000 },
	{ &level1, GUEST, .dark = 9000, .row = "no cycles below level 3", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000,
	  .sentence = "unknown: no cycles were counted; a hypervisor or EL3 took them, or they "
		      "stopped, missing: steal clock" },
	{ &kvm, GUEST | STOLEN, .dark = 9000, .stolen = 8900, .row = "stolen", .cause = CAUSE_STEAL,
	  .ticks = 9000, .sentence = "steal: KVM ran something else, stolen 98 % of the gap" },
	/* A steal clock alone is enough; one that stands still shows nothing. */
	{ &level1, SERROR | STOLEN, .dark = 9000, .stolen = 9000, .row = "stolen",
	  .cause = CAUSE_STEAL, .ticks = 9000 },
	{ &level1, SERROR | STOLEN, .dark = 9000, .row = "nothing known", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000 },
	{ &level1, GUEST | STOLEN, .below = 9000, .row = "level 2", .cause = CAUSE_HYPERVISOR,
	  .ticks = 9000 },
	/* Time was also stolen before, in times too short to be gaps. */
	{ &level1, SERROR | STOLEN, .dark = 900, .stolen = 1400, .row = "outside",
	  .cause = CAUSE_UNKNOWN, .ticks = 900 },
	{ &level1, SERROR | STOLEN, .dark = 90, .stolen = 90, .skew = 9, .row = "blurred",
	  .cause = CAUSE_UNKNOWN, .ticks = 90 },
	/* Causes of a part of the gap. */
	{ &level1, GUEST, .own = 5000, .below = 4000, .row = "level 2 in part",
	  .cause = CAUSE_UNKNOWN, .ticks = 5000 },
	{ &level1, GUEST, .below = 4000, .level3 = 5000, .row = "level 3 in part",
	  .cause = CAUSE_EL3, .ticks = 5000 },
	{ &kvm, GUEST | STOLEN, .own = 9000, .stolen = 4000, .row = "stolen in part",
	  .cause = CAUSE_UNKNOWN, .ticks = 5000 },
	{ &level2_counts, MONITOR, .own = 5000, .dark = 4000, .row = "stopped in part",
	  .cause = CAUSE_UNKNOWN, .ticks = 5000 },
	{ &level1, GUEST, .own = 5000, .dark = 4000, .row = "no cycles in part",
	  .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	/* Cycles at the probe's own level. */
	{ &level2, MONITOR | RETIRED, .own = 9000, .retired = 100, .row = "stall",
	  .cause = CAUSE_STALL, .ticks = 9000,
	  .sentence = "stall: cycles ran at the probe's level, 100 instructions retired" },
	{ &level2, MONITOR | RETIRED | ISSUED, .own = 9000, .retired = 100, .stalls = 8000,
	  .row = "stall counted", .cause = CAUSE_STALL, .ticks = 9000 },
	{ &level2, MONITOR | RETIRED | ISSUED, .own = 9000, .retired = 100, .stalls = 4500,
	  .row = "no stall", .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	/* Between both limits, within the uncertainty of the loop's share. */
	{ &level2, MONITOR | RETIRED | ISSUED, .own = 9000, .retired = 100, .stalls = 7220,
	  .row = "stall", .cause = CAUSE_STALL, .ticks = 9000 },
	/* Foreign code that waits for memory stalls, too. */
	{ &level2, MONITOR | RETIRED | ISSUED, .own = 9000, .retired = 50000, .stalls = 8000,
	  .row = "cycles ran", .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	{ &level1, GUEST | RETIRED | ISSUED, .own = 9000, .retired = 100, .stalls = 9000,
	  .row = "cycles ran", .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	{ &level2, MONITOR | RETIRED, .own = 9000, .retired = 50000, .row = "cycles ran",
	  .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	{ &level1, GUEST | RETIRED, .own = 9000, .retired = 100, .row = "cycles ran",
	  .cause = CAUSE_UNKNOWN, .ticks = 9000 },
	{ &level2, MONITOR, .own = 9000, .row = "cycles ran", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000 },
	{ &level2, MONITOR, .own = 9000, .mce = 1, .row = "serror", .cause = CAUSE_SERROR,
	  .ticks = 9000, .sentence = "SError: exceptions +1" },
	{ &level2, MONITOR, .own = 5000, .dark = 4000, .mce = 1, .row = "serror",
	  .cause = CAUSE_SERROR, .ticks = 5000 },
	/* Gaps in which the counters show nothing. */
	{ &level1, GUEST, .below = 900, .earlier = 500, .row = "outside", .cause = CAUSE_UNKNOWN,
	  .ticks = 900 },
	{ &level2, MONITOR, .dark = 90, .skew = 9, .row = "blurred", .cause = CAUSE_UNKNOWN,
	  .ticks = 90 },
	{ &unsteady, MONITOR, .dark = 9000, .row = "blurred", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000 },
	{ &level2, SERROR, .dark = 9000, .row = "nothing known", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000 },
	{ &level1, SERROR, .below = 9000, .row = "nothing known", .cause = CAUSE_UNKNOWN,
	  .ticks = 9000 },
};
/* clang-format on */

static void play(const struct story *s, struct evidence *e)
{
	uint64_t own = LOOP - s->earlier + s->own;
	uint64_t low = own + s->below + (s->on->hypervisor ? s->earlier : 0);
	uint64_t gap = s->own + s->below + s->level3 + s->dark;

	*e = (struct evidence){
		.context = s->on,
		.gap = gap,
		.span = LOOP + gap,
		.slack = SLACK + s->skew,
		.have = s->have,
		.step = {
			[EVIDENCE_MCE] = s->mce,
			[EVIDENCE_CYCLES] = own,
			[EVIDENCE_CYCLES_LOW] = low,
			[EVIDENCE_CYCLES_ALL] = low + s->level3,
			[EVIDENCE_INSTRUCTIONS] = LOOP * (IPC >> 16) + s->retired,
			[EVIDENCE_STEAL] = s->stolen,
			[EVIDENCE_STALLS] = LOOP / STALLS + s->stalls,
		},
	};
}

TEST(test_stories)
{
	bool seen[LEVELS_ROWS] = { false };

	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		const struct story *s = &stories[i];
		uint64_t ticks[CAUSES] = { 0 };
		TEXT_DEFINE(sentence, 400);
		struct attribution a;
		struct evidence e;

		play(s, &e);
		attribution_decide(&e, &a);
		attribution_add(&a, e.gap, ticks);
		seen[a.row] = true;
		assert_string_equal(levels_row_names[a.row], s->row);
		assert_string_equal(cause_name((enum cause)a.cause), cause_name(s->cause));
		assert_int_equal(ticks[s->cause], s->ticks);
		attribution_sentence(&a, e.gap, &sentence);
		if (s->sentence)
			assert_string_equal(sentence.buf, s->sentence);
	}
	seen[0] = true; /* "contradiction" is for the next test */
	for (size_t i = 0; i < LEVELS_ROWS; i++)
		if (!seen[i])
			fail_msg("no story for row \"%s\"", levels_row_names[i]);
}

/* Fewer cycles in all than at some levels, or more cycles than ticks of the clock. */
TEST(test_contradictions)
{
	static const uint64_t steps[][3] = {
		/* own, low, all */
		{ LOOP, LOOP - 100, LOOP },
		{ LOOP, LOOP, LOOP - 100 },
		{ LOOP, LOOP, LOOP + 10000 },
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct attribution a;
		struct evidence e;

		play(&(const struct story){ &level1, GUEST, .below = 9000 }, &e);
		e.step[EVIDENCE_CYCLES] = steps[i][0];
		e.step[EVIDENCE_CYCLES_LOW] = steps[i][1];
		e.step[EVIDENCE_CYCLES_ALL] = steps[i][2];
		attribution_decide(&e, &a);
		assert_string_equal(levels_row_names[a.row], "contradiction");
		assert_int_equal(a.cause, CAUSE_UNKNOWN);
	}
}

/* More time was stolen than passed. */
TEST(test_stolen_too_much)
{
	struct attribution a;
	struct evidence e;

	play(&(const struct story){ &level1, SERROR | STOLEN, .dark = 9000 }, &e);
	e.step[EVIDENCE_STEAL] = e.span + SLACK + 1;
	attribution_decide(&e, &a);
	assert_string_equal(levels_row_names[a.row], "contradiction");
	assert_int_equal(a.cause, CAUSE_UNKNOWN);
}

/* Any evidence: the times add up, and no cause is given without its proof. */
TEST(test_any_evidence)
{
	static const struct evidence_context *const on[] = { &level2, &level2_counts, &no_level3,
							     &level1, &kvm,           &unsteady };
	uint64_t given[CAUSES] = { 0 };

	for (unsigned n = 0; n < 100000; n++) {
		uint64_t sizes[] = { 1, 100, 10000, 1000000, UINT32_MAX };
		uint64_t ticks[CAUSES] = { 0 }, sum = 0;
		TEXT_DEFINE(sentence, 400);
		struct attribution a;
		struct evidence e;
		bool guest;

		play(&(const struct story){ on[draw(6)], .own = draw(9000),
					    .below = draw(2) * draw(9000),
					    .level3 = draw(2) * draw(9000),
					    .dark = 1 + draw(2) * draw(9000),
					    .retired = draw(2) * draw(9000),
					    .stalls = draw(2) * draw(9000), .mce = !draw(4) },
		     &e);
		e.have = (uint32_t)draw(1u << EVIDENCE_KINDS) |
			 (draw(2) ? EVIDENCE(CYCLES) | EVIDENCE(CYCLES_ALL) : 0u);
		for (unsigned k = 0; k < EVIDENCE_KINDS; k++)
			if (!draw(6))
				e.step[k] = draw(sizes[draw(5)]);
		guest = e.context->hypervisor != HYPERVISOR_NONE;
		attribution_decide(&e, &a);
		attribution_add(&a, e.gap, ticks);
		for (unsigned c = 0; c < CAUSES; c++) {
			sum += ticks[c];
			given[c] += ticks[c] != 0;
		}
		assert_int_equal(sum, e.gap);
		assert_int_equal(ticks[CAUSE_SMI] + ticks[CAUSE_NMI] + ticks[CAUSE_MCE], 0);
		assert_true(guest || !(ticks[CAUSE_HYPERVISOR] + ticks[CAUSE_STEAL]));
		assert_true(!guest || !(ticks[CAUSE_STOPPED] + ticks[CAUSE_STALL]));
		if (!(e.have & EVIDENCE(CYCLES)))
			assert_int_equal(ticks[CAUSE_EL3] + ticks[CAUSE_HYPERVISOR], 0);
		if (guest && !(e.have & EVIDENCE(CYCLES_ALL)))
			assert_int_equal(ticks[CAUSE_EL3], 0);
		if (!e.context->level3 && !(e.have & EVIDENCE(CYCLES_ALL)))
			assert_int_equal(ticks[CAUSE_EL3], 0);
		attribution_sentence(&a, e.gap, &sentence);
		assert_null(strchr(sentence.buf, '{'));
	}
	for (unsigned c = CAUSE_EL3; c < CAUSES; c++)
		if (given[c] <= 100)
			fail_msg("%s: %d times", cause_name((enum cause)c), (int)given[c]);
}
