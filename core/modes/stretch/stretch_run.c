/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A stage in mode=stretch: kernel by kernel, turn by turn, slot by slot.
 *
 * In a slot some cores work and some of them are measured; the others rest. A turn has a slot for
 * each core alone, one for all, one for each core with several threads, and one for each pair of
 * groups. Turns are repeated, each second one backwards, so that drift affects each phase alike.
 */
#include "stretch_kept.h"

#include "core/config/mode.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/ticks.h"
#include "core/run/run.h"

#include <stdatomic.h>

#define WARM_UPS   64 /* quanta before the first slot of a kernel: the best of them finds gaps */
#define SLOT_LEAST 4  /* quanta */

/* Cores that form a group; BY_NUMBER: neighbours, where the structure is unknown. */
enum grouping { BY_CORE, BY_CACHE, BY_PACKAGE, BY_NUMBER, GROUPINGS };

struct slot {
	struct run *run;
	struct work_room *room;
	struct stretch_kept *kept;
	enum config_kernel kernel;
	enum stretch_phase phase;
	enum grouping grouping;
	unsigned turn;
	uint64_t ticks; /* time per measured core; at least SLOT_LEAST quanta */
	uint32_t workers, measured;
	_Atomic uint32_t warm, done;
	uint64_t since; /* ticks of slots since the platform's counters were read */
};

static struct stretch_core *core_of(const struct slot *s, const struct cpu *cpu)
{
	return &s->kept->core[cpu->position];
}

static void stretch_run_work(const struct slot *s, struct cpu *cpu, struct work_quantum *q)
{
	struct stretch_core *c = core_of(s, cpu);

	s->room->quantum(cpu, s->kernel, c->quickest.ticks, s->run->plan.threshold, q);
	stretch_counts_check(&c->quickest, q, s->run->plan.threshold);
	stretch_best_add(&c->quickest, q);
}

/*
 * Warm up for at most a second: if an emulator has other work, the other cores would not wait any
 * longer.
 */
static void warm_up(const struct slot *s, struct cpu *cpu, struct stretch_core *c)
{
	struct platform *p = s->run->platform;
	uint64_t start = p->now();
	struct work_quantum q;

	do {
		stretch_run_work(s, cpu, &q);
		c->warm_ups -= c->warm_ups > 0;
	} while (c->warm_ups && p->now() - start < p->hz);
}

static void stretch_run_measure(struct slot *s, struct cpu *cpu)
{
	struct stretch_core *c = core_of(s, cpu);
	struct platform *p = s->run->platform;
	uint64_t start = p->now();
	struct work_quantum q;

	do {
		stretch_run_work(s, cpu, &q);
		stretch_add(&c->phase[s->phase], &q);
		if (c->used < STRETCH_SLOT)
			c->slot[c->used++] = q.ticks - q.gaps;
		p->relax();
	} while (c->used < SLOT_LEAST || p->now() - start < s->ticks);
}

/* Work until the others have reached the same point, but not for ever: a core may be lost. */
static void work_until(struct slot *s, struct cpu *cpu, _Atomic uint32_t *word, uint32_t count)
{
	struct platform *p = s->run->platform;
	uint64_t start = p->now();
	struct work_quantum q;

	while (atomic_load(word) < count && p->now() - start < 2 * s->ticks + 5 * p->hz) {
		stretch_run_work(s, cpu, &q);
		p->relax();
	}
}

static void slot_task(struct team *team, struct cpu *cpu, void *arg)
{
	struct slot *s = arg;
	struct stretch_core *c = core_of(s, cpu);

	team_gather(team, cpu, NULL, NULL);
	if (c->role == STRETCH_RESTS)
		return;
	c->used = 0;
	warm_up(s, cpu, c);
	atomic_fetch_add(&s->warm, 1);
	work_until(s, cpu, &s->warm, s->workers);
	if (c->role == STRETCH_MEASURES) {
		stretch_run_measure(s, cpu);
		atomic_fetch_add(&s->done, 1);
	}
	work_until(s, cpu, &s->done, s->measured);
}

/* ---- Who does what ---- */

static bool takes_part(const struct cpu *cpu, const void *arg)
{
	return core_of(arg, cpu)->role != STRETCH_RESTS;
}

static void set_role(struct slot *s, uint32_t position, enum stretch_role role)
{
	if (s->run->platform->cpu[position].measured)
		s->kept->core[position].role = (uint8_t)role;
}

static void rest_all(struct slot *s)
{
	for (uint32_t i = 0; i < s->run->platform->cpus; i++)
		s->kept->core[i].role = STRETCH_RESTS;
}

static void stretch_run_count(struct slot *s, bool after)
{
	run_count(s->run, after);
	s->since = 0;
}

static void run_slot(struct slot *s)
{
	struct platform *p = s->run->platform;

	s->workers = s->measured = 0;
	atomic_store(&s->warm, 0);
	atomic_store(&s->done, 0);
	for (uint32_t i = 0; i < p->cpus; i++) {
		s->workers += s->kept->core[i].role != STRETCH_RESTS;
		s->measured += s->kept->core[i].role == STRETCH_MEASURES;
	}
	if (s->measured) {
		team_do_some(&s->run->team, takes_part, slot_task, s, 4 * s->ticks + 10 * p->hz);
		s->since += s->ticks;
	}
	/* Other work on these cores has to be done at some time. */
	if (s->since >= ticks_from_ns(s->run->config->window_ns, p->hz)) {
		stretch_run_count(s, true);
		stretch_run_count(s, false);
	}
	rest_all(s);
}

/* Returns the median of one core. */
static uint64_t run_alone(struct slot *s, uint32_t position)
{
	struct stretch_core *c = &s->kept->core[position];

	c->used = 0;
	set_role(s, position, STRETCH_MEASURES);
	run_slot(s);
	return interfere_median(c->slot, c->used);
}

static const struct topology *stretch_run_place(const struct slot *s, uint32_t position)
{
	return &s->run->platform->topology[position];
}

/* Run all threads of a core, if `first` is the first of them. */
static void run_siblings(struct slot *s, uint32_t first)
{
	unsigned threads = 0;

	for (uint32_t i = 0; i < s->run->platform->cpus; i++) {
		if (!topology_same_core(stretch_run_place(s, first), stretch_run_place(s, i)))
			continue;
		if (i < first)
			break;
		set_role(s, i, STRETCH_MEASURES);
		threads++;
	}
	if (threads > 1)
		run_slot(s);
	rest_all(s);
}

/* ---- Groups ---- */

static const char *const groupings[GROUPINGS] = { "core", "cache", "package", NULL };

/* True if two cores are in one group. */
static bool together(const struct slot *s, uint32_t a, uint32_t b)
{
	const struct platform *p = s->run->platform;
	uint32_t each = (p->cpus + INTERFERE_GROUPS - 1) / INTERFERE_GROUPS;
	unsigned bits = s->room->cache_bits;

	switch (s->grouping) {
	case BY_CORE:
		return topology_same_core(stretch_run_place(s, a), stretch_run_place(s, b));
	case BY_CACHE:
		return bits && p->cpu[a].apic_id >> bits == p->cpu[b].apic_id >> bits;
	case BY_PACKAGE:
		return topology_same_package(stretch_run_place(s, a), stretch_run_place(s, b));
	default:
		return a / each == b / each;
	}
}

/* Find the groups' first cores. Returns the number of groups, or one more than the maximum. */
static uint32_t find_groups(struct slot *s)
{
	struct interfere *in = &s->kept->interfere;
	const struct platform *p = s->run->platform;

	in->groups = 0;
	for (uint32_t i = 0; i < p->cpus; i++) {
		uint32_t g = 0;

		if (!p->cpu[i].measured)
			continue;
		while (g < in->groups && !together(s, in->group[g].first, i))
			g++;
		if (g == INTERFERE_GROUPS)
			return g + 1;
		if (g == in->groups)
			in->group[in->groups++].first = i;
	}
	return in->groups;
}

/* Choose the first grouping that gives a matrix. */
static void choose_groups(struct slot *s)
{
	const struct platform *p = s->run->platform;
	uint32_t groups;

	s->grouping = p->cpus <= INTERFERE_GROUPS || !p->topology ? BY_NUMBER : BY_CORE;
	for (;; s->grouping++) {
		groups = find_groups(s);
		if (s->grouping == BY_NUMBER || (groups > 1 && groups <= INTERFERE_GROUPS))
			break;
	}
	s->kept->interfere.kind = groupings[s->grouping];
}

static void run_pair(struct slot *s, uint32_t victim, uint32_t aggressor)
{
	struct interfere_group *g = s->kept->interfere.group;
	struct stretch_core *c = &s->kept->core[g[victim].first];

	for (uint32_t i = 0; i < s->run->platform->cpus; i++)
		if (i == g[aggressor].first || together(s, g[aggressor].first, i))
			set_role(s, i, STRETCH_WORKS);
	c->used = 0;
	set_role(s, g[victim].first, STRETCH_MEASURES);
	run_slot(s);
	g[victim].with[aggressor].median[s->turn] = interfere_median(c->slot, c->used);
}

/* ---- Turns ---- */

static void run_alone_all(struct slot *s)
{
	struct interfere *in = &s->kept->interfere;
	uint32_t g = 0;

	for (uint32_t i = 0; i < s->run->platform->cpus; i++) {
		uint64_t median = run_alone(s, i);

		if (g < in->groups && in->group[g].first == i)
			in->group[g++].alone.median[s->turn] = median;
	}
}

static void run_all(struct slot *s)
{
	for (uint32_t i = 0; i < s->run->platform->cpus; i++)
		set_role(s, i, STRETCH_MEASURES);
	run_slot(s);
}

static void run_pairs(struct slot *s)
{
	uint32_t groups = s->kept->interfere.groups;

	for (uint32_t v = 0; v < groups; v++)
		for (uint32_t a = 0; a < groups; a++)
			if (a != v)
				run_pair(s, v, a);
}

static void run_phase(struct slot *s)
{
	const struct platform *p = s->run->platform;

	if (s->phase == STRETCH_ALONE)
		run_alone_all(s);
	else if (s->phase == STRETCH_ALL)
		run_all(s);
	else if (s->phase == STRETCH_VICTIMS)
		run_pairs(s);
	else
		for (uint32_t i = 0; p->topology && i < p->cpus; i++)
			run_siblings(s, i);
}

/*
 * Run a turn; each second one backwards, so that one phase does not always suffer from the heat of
 * the same other phase.
 */
static void run_turn(struct slot *s)
{
	const unsigned count = s->run->platform->cpus == 1 ? 1 : STRETCH_PHASES;

	for (unsigned n = 0; n < count; n++) {
		s->phase = (enum stretch_phase)(s->turn % 2 ? count - 1 - n : n);
		run_phase(s);
	}
}

static void stretch_run_clear(struct slot *s)
{
	struct stretch_kept *kept = s->kept;

	for (uint32_t i = 0; i < s->run->platform->cpus; i++) {
		memset(&kept->core[i], 0, sizeof(kept->core[i]));
		kept->core[i].warm_ups = WARM_UPS;
	}
}

/* End a turn: store its clocks, and new entries of logs. */
static void end_turn(struct slot *s)
{
	struct platform *p = s->run->platform;
	uint64_t ns = ticks_to_ns(p->now() - p->begin_tsc, p->hz);

	run_logs(s->run);
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct stretch_core *c = &s->kept->core[i];

		for (unsigned n = 0; n < STRETCH_PHASES; n++)
			stretch_turn(&c->phase[n], ns);
		if (!p->cpu[i].throttled)
			continue;
		c->throttled[c->throttles][0] = ns;
		c->throttled[c->throttles++][1] = p->cpu[i].throttled;
	}
}

static void run_kernel(struct slot *s, enum config_kernel kernel)
{
	struct run *r = s->run;

	stretch_run_clear(s);
	choose_groups(s);
	s->kernel = kernel;
	for (s->turn = 0; s->turn < INTERFERE_TURNS && !r->over; s->turn++) {
		run_turn(s);
		end_turn(s);
		r->report->progress.turns++;
		run_between(r);
		r->over = run_stop_requested(r);
	}
	stretch_report(r->report, s->kept, kernel, s->turn == INTERFERE_TURNS);
}

/* Number of slots of a turn, which share the duration. */
static uint64_t slots(const struct slot *s)
{
	uint64_t cpus = s->run->platform->cpus, groups = s->kept->interfere.groups;

	return cpus == 1 ? 1 : cpus + 1 + cpus / 2 + groups * (groups - 1);
}

/* Kernels requested by name must exist. */
static void report_missing(struct run *r, const struct work_room *room)
{
	uint32_t missing = r->config->kernels & ~room->kernels;

	for (unsigned k = 0; k < KERNELS; k++) {
		if (!(missing >> k & 1))
			continue;
		report_log(r->report, r->config->kernels_auto ? "info" : "warning", "kernel %s: %s",
			   config_kernel_name((enum config_kernel)k),
			   room->lacks[k] ? room->lacks[k]
					  : "not on this machine, or not on all of its cores");
		if (!r->config->kernels_auto)
			verdict_cut_short(&r->reasons, "kernel %s was not measured",
					  config_kernel_name((enum config_kernel)k));
	}
}

static void measure_stage(struct run *r, const struct record_stage *state)
{
	struct work_room *room = r->platform->work;
	struct slot s = { .run = r, .room = room, .kept = room->kept };
	uint64_t ticks = ticks_from_ns(r->config->duration_ns, r->platform->hz), most = 0;
	uint32_t kernels;

	for (uint32_t i = 0; i < r->platform->cpus; i++)
		r->platform->cpu[i].tail = (struct maybe){ 0, false };
	kernels = r->config->kernels & room->kernels;
	for (unsigned k = 0; k < KERNELS; k++)
		most += kernels >> k & 1;
	report_stage(r->report, state, INTERFERE_TURNS * most);
	report_missing(r, room);
	if (!kernels)
		return;
	choose_groups(&s);
	s.ticks = ticks / (slots(&s) * INTERFERE_TURNS * most);
	stretch_run_count(&s, false);
	run_logs(r);
	for (unsigned k = 0; k < KERNELS && !r->over; k++)
		if (kernels >> k & 1)
			run_kernel(&s, (enum config_kernel)k);
	stretch_run_count(&s, true);
}

const struct mode mode_stretch = {
	.name = "stretch",
	.needs = "machine to itself",
	.works = true,
	.kept = sizeof(struct stretch_kept),
	.kept_of_core = sizeof(struct stretch_core),
	.measure = measure_stage,
};
