/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time, and cores, which are coroutines of one thread: whichever is furthest behind goes on. A core
 * in the loop waits for its next gap or its end, whichever comes first.
 */
#include "mocked_inside.h"

#include "arch/arch.h"
#include "core/lib/steps.h"
#include "core/lib/text.h"
#include "evidence_now.h"
#include "loop.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/common/fiber.h"

#define STACK_BYTES (1u << 20)
#define GAPS_MAX    8
#define RELAX       4000 /* ticks: how late a core sees what it waits for */
#define LOOK        10   /* ticks of a look at another core's word */

enum state { OFF, RUNS, SAMPLES, SLEEPS, HALTED };

static struct core {
	enum state state;
	uint64_t clock;
	uint64_t next[GAPS_MAX];  /* start of each gap of the script; UINT64_MAX: it is over */
	unsigned times[GAPS_MAX]; /* how often each has come */
	uint32_t smi;
	bool masked, stepping, woken, broken_off, in_window;
	struct percpu percpu;
	/* State of a core that samples. */
	uint64_t until, seen;
	const _Atomic uint64_t *end;
	struct fiber fiber;
	char *stack; /* the fiber's */
	void (*what)(uint32_t core);
} cores[MOCKED_CORES];

static uint32_t self;
static void (*tick)(void);
static uint64_t next_tick;
static bool in_tick, faulted;

uint32_t mocked_self(void)
{
	return self;
}

struct percpu *mocked_percpu(uint32_t core)
{
	return &cores[core].percpu;
}

struct percpu *percpu_self(void)
{
	return &cores[self].percpu;
}

uint64_t mocked_clock(void)
{
	return cores[self].clock;
}

/* ---- Which core goes on ---- */

/* A core that samples sees at `now` that its window ends earlier. */
static void see_end(struct core *c, uint64_t now)
{
	if (c->state != SAMPLES || *c->end == c->seen)
		return;
	c->seen = *c->end;
	if (now < c->until)
		c->until = now < c->clock ? c->clock : now;
}

static uint64_t goes_on_at(const struct core *c)
{
	if (c->state == RUNS)
		return c->clock;
	return c->state == SAMPLES ? c->until : UINT64_MAX;
}

static uint32_t next_core(uint64_t now, uint64_t *at)
{
	uint32_t next = self;

	*at = goes_on_at(&cores[self]);
	for (uint32_t i = 0; i < MOCKED_CORES; i++) {
		uint64_t this;

		see_end(&cores[i], now);
		this = goes_on_at(&cores[i]);

		if (this >= *at)
			continue;
		*at = this;
		next = i;
	}
	if (*at == UINT64_MAX)
		mocked_end(MOCKED_ASLEEP, 0);
	if (*at > mocked_ticks(MOCKED_LONGEST))
		mocked_end(MOCKED_HANGS, 0);
	return next;
}

static void choose(void)
{
	struct core *from = &cores[self];
	uint64_t at;
	uint32_t next = next_core(from->clock, &at);
	struct core *to = &cores[next];

	if (to->state == SAMPLES) {
		to->state = RUNS;
		to->clock = at;
	}
	if (to == from)
		return;
	self = next;
	fiber_switch(&from->fiber, &to->fiber, from->state == OFF);
}

/* ---- Time ---- */

static struct mocked_gap const *next_gap(struct core *c, uint64_t **at)
{
	const struct mocked_gap *first = NULL;

	for (unsigned i = 0; i < mocked->gaps; i++) {
		if (c->next[i] == UINT64_MAX || (first && c->next[i] >= **at))
			continue;
		first = &mocked->gap[i];
		*at = &c->next[i];
	}
	return first;
}

static void count(struct core *c, const struct mocked_gap *g, uint64_t *at)
{
	unsigned *times = &c->times[g - mocked->gap];

	c->smi += g->smi;
	c->percpu.nmi_count += g->nmi;
	*at = g->every_ns && ++*times != g->times ? *at + mocked_ticks(g->every_ns) : UINT64_MAX;
}

/* Move the clock to `to`, and further by each gap that begins up to there. */
static void move_clock(struct core *c, uint64_t to)
{
	const struct mocked_gap *g;
	uint64_t *at;

	while ((g = next_gap(c, &at)) && *at <= to) {
		if (*at >= c->clock)
			to += mocked_ticks(g->ns);
		count(c, g, at);
	}
	c->clock = to;
}

bool mocked_at_step(const char *step)
{
	TEXT_DEFINE(last, 100);

	return !step || (steps_print(0, &last) && !strncmp(last.buf, step, strlen(step)));
}

static void fault_if_due(const struct core *c)
{
	const struct mocked_fault *f = &mocked->fault;

	if (c->broken_off)
		mocked_trap();
	if (!f->wanted || faulted || f->core != self || c->clock < mocked_ticks(f->at_ns) ||
	    !mocked_at_step(f->step))
		return;
	faulted = true;
	while (f->hangs)
		mocked_pass(mocked_ticks(MOCKED_MS));
	mocked_trap();
}

static void tick_if_due(const struct core *c)
{
	if (self || c->masked || in_tick)
		return;
	in_tick = true;
	while (tick && c->clock >= next_tick) {
		next_tick = (mocked->makes_up ? next_tick : c->clock) + MOCKED_HZ;
		tick();
	}
	in_tick = false;
}

/* trap_step_goes_on() reads the clock itself. */
static void step_if_due(struct core *c)
{
	if (!c->stepping)
		return;
	c->stepping = false;
	if (!trap_step_goes_on())
		mocked_trap();
	c->stepping = true;
}

void mocked_pass(uint64_t ticks)
{
	struct core *c = &cores[self];

	move_clock(c, c->clock + ticks);
	choose();
	fault_if_due(c);
	step_if_due(c);
	tick_if_due(c);
}

void mocked_watch(void (*each_second)(void))
{
	tick = each_second;
	next_tick = cores[0].clock + MOCKED_HZ;
}

bool mocked_mask(bool masked)
{
	bool before = cores[self].masked;

	cores[self].masked = masked && !mocked->unmasked;
	return before;
}

uint64_t clock_now(void)
{
	mocked_pass(MOCKED_READ);
	return cores[self].clock;
}

void clock_relax(void)
{
	mocked_pass(RELAX);
}

void mocked_look(void)
{
	mocked_pass(LOOK);
}

/* ---- The loop ---- */

static void set_in_window(struct core *c, bool in_window)
{
	static unsigned inside;

	if (c->in_window == in_window)
		return;
	c->in_window = in_window;
	inside += in_window ? 1 : -1u;
	if (inside == in_window)
		mocked_keep_screen(in_window);
}

void mocked_end_window(void)
{
	set_in_window(&cores[self], false);
}

/* Wait for the last sample before the gap or the end, or until *end changes. */
static void pass_over(struct core *c, const _Atomic uint64_t *end)
{
	uint64_t *at, e = *end, last = e;
	const struct mocked_gap *g = next_gap(c, &at);

	if (g && *at < last)
		last = *at;
	if (last <= c->clock + 2 * MOCKED_READ)
		return;
	c->end = end;
	c->seen = e;
	c->until = c->clock + (last - c->clock - 1) / MOCKED_READ * MOCKED_READ;
	c->state = SAMPLES;
	choose();
}

uint64_t loop_sample(uint64_t before, uint64_t threshold, const _Atomic uint64_t *end,
		     uint64_t *now)
{
	struct core *c = &cores[self];

	for (;;) {
		bool over = c->clock >= *end;

		set_in_window(c, !over);
		*now = clock_now();
		if (!over && mocked->scribbles && *now - before >= threshold)
			mocked_scribble();
		if (over || *now - before >= threshold)
			return before;
		pass_over(c, end);
		before = c->clock;
	}
}

void loop_intervals(uint64_t *interval, uint64_t count_of)
{
	uint64_t last = clock_now();

	for (uint64_t i = 0; i < count_of; i++) {
		uint64_t now = clock_now();

		interval[i] = now - last;
		last = now;
	}
}

/* ---- Counters ---- */

uint32_t evidence_register(const struct cpu_counter *c)
{
	return c->readable ? cores[self].smi : 0;
}

void mocked_count_nmi(uint32_t core, uint32_t ticks)
{
	cores[core].percpu.nmi_count++;
	cores[core].clock += ticks;
}

/* ---- Cores ---- */

static void enter(void)
{
	struct core *c = &cores[self];

	c->what(self);
	c->state = OFF;
	choose();
}

static void make_fiber(struct core *c)
{
	if (!c->stack)
		c->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (c->stack == MAP_FAILED)
		abort();
	fiber_make(&c->fiber, c->stack, STACK_BYTES, enter);
}

void mocked_run_on(uint32_t core, void (*what)(uint32_t core))
{
	struct core *c = &cores[core];

	c->what = what;
	move_clock(c, cores[self].clock);
	make_fiber(c);
	c->state = RUNS;
}

bool mocked_is_off(uint32_t core)
{
	return cores[core].state == OFF;
}

void mocked_sleep(void)
{
	struct core *c = &cores[self];

	if (!c->woken) {
		c->state = SLEEPS;
		choose();
	}
	c->woken = false;
	mocked_pass(LOOK);
}

void mocked_wake(uint32_t core)
{
	struct core *c = &cores[core];

	c->woken = true;
	if (c->state != SLEEPS)
		return;
	if (c->clock < cores[self].clock)
		move_clock(c, cores[self].clock);
	c->state = RUNS;
}

void mocked_halt(void)
{
	if (!self)
		mocked_end(MOCKED_HALTED, 0);
	cores[self].state = HALTED;
	choose();
	abort();
}

void mocked_power_on(void)
{
	cores[0].state = RUNS;
	cores[0].clock = MOCKED_HZ;
	for (uint32_t core = 0; core < MOCKED_CORES; core++)
		for (unsigned i = 0; i < GAPS_MAX; i++)
			cores[core].next[i] = i < mocked->gaps && mocked->gap[i].cores >> core & 1
						      ? mocked_ticks(mocked->gap[i].at_ns)
						      : UINT64_MAX;
}

/* ---- Exceptions ---- */

void mocked_break_off(uint32_t core)
{
	cores[core].broken_off = true;
}

bool trap_try(void (*fn)(void *), void *arg, struct trap_escape *e)
{
	if (setjmp(e->at))
		return false;
	fn(arg);
	return true;
}

void trap_step_prepare(void *unused)
{
	(void)unused;
}

void trap_step_on(void)
{
	cores[self].stepping = true;
}

void trap_step_off(void)
{
	cores[self].stepping = false;
}

void mocked_trap(void)
{
	struct core *c = &cores[self];
	const struct percpu *p = c->percpu.cpu ? &c->percpu : NULL;
	const struct trap_escape *e;
	struct record_fault fault = {
		.kind = c->broken_off ? "wait" : "exception",
		.what = c->broken_off ? "the next step" : "general protection",
		.vector = { c->broken_off ? 2 : 13, true },
		.pc = { MOCKED_IMAGE + 0x1234, true },
	};

	c->stepping = c->broken_off = false;
	c->percpu.fault = fault;
	e = trap_way_out(p, !self, &fault);
	longjmp(((struct trap_escape *)(uintptr_t)e)->at, 1);
}
