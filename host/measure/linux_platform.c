/* SPDX-License-Identifier: BSD-2-Clause */
/* Threads as cores: pinned, by SCHED_FIFO where that is allowed, in memory that stays. */
#define _GNU_SOURCE /* calls of Linux that are not in POSIX */
#include "linux.h"

#include "host/lib/monotonic.h"
#include "host/lib/signals.h"
#include "host/program/config_words.h"

#include "arch/arch.h"
#include "arch/probe.h"
#include "core/config/mode.h"
#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/lib/ticks.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* Above all ordinary tasks, below the threads by which the kernel itself serves interrupts. */
#define FIFO_PRIORITY 1
#define REST_NS       100000
#define READY_NS      UINT64_C(5000000000)
#define JOIN_S        10
#define RING_GAPS     65536u
#define RINGS_BYTES   (UINT64_C(256) << 20)
#define SETS          (CPULIST_MAX / CPU_SETSIZE) /* sets of type cpu_set_t for all cores */

_Static_assert(CALIBRATE_INTERVALS == 1024, "struct linux_platform has as many");

static void linux_platform_rest(void)
{
	const struct timespec t = { .tv_nsec = REST_NS };

	nanosleep(&t, NULL);
}

static void idle(const struct cpu *self)
{
	(void)self;
	linux_platform_rest();
}

static struct linux_platform *platform_of(struct platform *p)
{
	return p->ctx;
}

/* The only platform: callbacks of a core, and signal handlers, have no argument for it. */
static struct linux_platform *linux_platform;

static struct linux_thread *thread_of(const struct cpu *cpu)
{
	return &linux_platform->thread[cpu->position];
}

static void linux_platform_prepare(struct cpu *cpu)
{
	arch_topology(&linux_platform->platform.topology[cpu->position], NULL);
	calibrate_loop(cpu, linux_platform->intervals[cpu->position]);
	calibrate_slow_path(cpu);
}

static void window(struct cpu *cpu, struct platform_window *plan)
{
	probe_window(cpu, plan);
	/* A bound thread moves only when its core is taken offline. */
	if (sched_getcpu() != (int)cpu->index)
		atomic_store(&thread_of(cpu)->moved, true);
}

/* Room for what Linux has to do on these cores, before the counters are read. */
static void leave_room(struct linux_platform *lp)
{
	const struct timespec t = monotonic_timespec(lp->rest_ns);

	if (lp->begun)
		nanosleep(&t, NULL);
	lp->begun = true;
}

static void linux_platform_count(struct platform *p, bool after)
{
	struct linux_platform *lp = platform_of(p);

	if (!after)
		leave_room(lp);
	linux_counters_step(&lp->counters, after);
}

/*
 * Reset the counts. The calling core does not sample: SMIs in a call are counted by Linux's device.
 */
static void before_slot(struct cpu *cpu)
{
	probe_before_window(cpu);
	if (cpu->position == 0)
		cpu->smi.last = linux_counters_smi(&linux_platform->counters, 0);
}

static bool stop_requested(struct platform *p)
{
	p->stopped_by = signals_seen();
	if (!p->stopped_by && platform_of(p)->services)
		p->stopped_by = linux_services_over(platform_of(p)->services);
	return p->stopped_by;
}

static bool linux_platform_start(struct platform *p, void (*member)(struct cpu *, void *),
				 void *arg)
{
	struct linux_platform *lp = platform_of(p);

	lp->member = member;
	lp->arg = arg;
	atomic_store(&lp->go, true);
	return p->cpus > 1;
}

static void linux_platform_finish(struct platform *p)
{
	struct linux_platform *lp = platform_of(p);
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += JOIN_S;
	for (uint32_t i = 1; i < p->cpus; i++)
		if (lp->thread[i].started &&
		    pthread_timedjoin_np(lp->thread[i].id, NULL, &until) == 0)
			lp->thread[i].started = false;
}

/* Bind the calling thread to its core, and put it before ordinary ones. */
static void linux_platform_settle(struct linux_thread *t)
{
	const struct sched_param fifo = { .sched_priority = FIFO_PRIORITY };
	cpu_set_t set[SETS] = { 0 };

	CPU_SET_S(t->cpu->index, sizeof(set), set);
	t->not_pinned = sched_setaffinity(0, sizeof(set), set) == 0 ? 0 : errno;
	t->not_fifo = sched_setscheduler(0, SCHED_FIFO, &fifo) == 0 ? 0 : errno;
}

static void *thread_main(void *arg)
{
	struct linux_thread *t = arg;

	signals_block();
	linux_platform_settle(t);
	if (t->not_pinned)
		return NULL;
	atomic_store(&t->cpu->state, CPU_READY);
	while (!atomic_load(&linux_platform->go))
		linux_platform_rest();
	if (linux_platform->member)
		linux_platform->member(t->cpu, linux_platform->arg);
	return NULL;
}

void linux_platform_hurry(void)
{
	struct run *run = linux_platform ? linux_platform->run : NULL;

	if (!run)
		return;
	atomic_store(&run->plan.end, 0);
	for (uint32_t i = 0; i < linux_platform->platform.cpus; i++)
		atomic_store(&linux_platform->platform.cpu[i].end, 0);
}

bool linux_allowed(struct cpulist *allowed, uint32_t *found)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set[SETS];

	cpulist_clear(allowed);
	if (sched_getaffinity(0, sizeof(set), set) != 0)
		return false;
	for (uint32_t n = 0; n < CPULIST_MAX; n++)
		if (CPU_ISSET_S(n, sizeof(set), set))
			cpulist_add(allowed, n);
	*found = cpulist_last(allowed) + 1;
	if (configured > 0 && (unsigned long)configured > *found)
		*found = (uint32_t)configured;
	return true;
}

/* ---- The arguments, and what this process may do ---- */

/* `services` without `mode` implies mode=services. */
static void settle_services(struct config *c)
{
	if (config_where(c, "services").source && !config_where(c, "mode").source)
		c->mode = MODE_SERVICES;
}

bool linux_options_read(struct config *c, char **args, int count)
{
	bool good = true;

	config_words_begin(c);
	c->platform = CONFIG_LINUX;
	c->no_smi = ISA_NO_SMI;
	c->no_modes = 1u << MODE_SURVEY | 1u << MODE_STRETCH;
	for (int i = 0; i < count; i++)
		good = config_words_apply(c, "measure", NULL, args[i], strlen(args[i])) && good;
	settle_services(c);
	return good;
}

bool linux_options_check(struct config *c, const struct cpulist *allowed, uint32_t found)
{
	bool good = config_words_check(c, "measure", found);
	struct cpulist refusals;
	TEXT_DEFINE(text, CONFIG_COMPLAINT_MAX);

	cpulist_clear(&refusals);
	if (cpulist_empty(&c->cpus))
		c->cpus = *allowed;
	for (uint32_t n = 0; n < found; n++)
		if (cpulist_has(&c->cpus, n) && !cpulist_has(allowed, n))
			cpulist_add(&refusals, n);
	if (!good || cpulist_empty(&refusals))
		return good;
	cpulist_print(&refusals, &text);
	text_add(&text, "; accepted: ");
	cpulist_print(allowed, &text);
	fprintf(stderr, "measure: command line: cpus: this process may not run on %s\n", text.buf);
	return false;
}

/* ---- Room for others ---- */

#define WINDOW_MOST_NS UINT64_C(855000000)
#define REST_PERMILLE  132

uint64_t linux_options_rest(struct config *c)
{
	if (c->quiet)
		return 0;
	c->window_ns = arith_min(c->window_ns, WINDOW_MOST_NS);
	return c->window_ns / 1000 * REST_PERMILLE;
}

/* ---- Memory ---- */

/* Memory that is kept until the end, and touched, so that a window has no page fault. */
static void *room(struct linux_platform *lp, uint64_t count, size_t each)
{
	uint64_t bytes = count * each;
	void *memory = malloc(bytes ? bytes : 1);

	lp->room[lp->rooms++] = memory;
	/* Write two values: Linux may leave a page that is zero already to the zero page. */
	if (memory)
		memset(memory, 0xff, bytes);
	if (memory)
		memset(memory, 0, bytes);
	return memory;
}

static void number_cores(struct linux_platform *lp, const struct cpulist *list)
{
	uint32_t position = 0;

	for (uint32_t n = 0; n < CPULIST_MAX; n++) {
		struct cpu *cpu = &lp->platform.cpu[position];

		if (!cpulist_has(list, n))
			continue;
		cpu->index = n;
		cpu->position = position;
		cpu->wanted = true;
		cpu->nmi.count = cpu->mce.count = &lp->none;
		lp->thread[position++].cpu = cpu;
	}
}

static bool allocate_rings(struct linux_platform *lp, const struct config_limit *records)
{
	struct platform *p = &lp->platform;
	uint64_t each = RINGS_BYTES / sizeof(struct gap) / p->cpus;
	uint64_t gaps = records->set ? records->value : arith_min(each, RING_GAPS);
	struct gap *slots = room(lp, gaps * p->cpus, sizeof(*slots));

	for (uint32_t i = 0; slots && i < p->cpus; i++)
		p->cpu[i].ring = (struct gap_ring){ .slot = slots + i * gaps,
						    .capacity = (size_t)gaps };
	return slots;
}

static bool allocate_report(struct linux_platform *lp)
{
	uint32_t n = lp->platform.cpus;
	void *memory = room(lp, 1, report_room(n));

	if (memory)
		report_lay(lp->report, memory, n);
	return memory;
}

/* Allocate the memory; the callers fill in the functions. */
static bool allocate_services(struct linux_platform *lp, const struct config *c)
{
	struct platform *p = &lp->platform;
	void *memory;

	if (!mode_of(c)->calls)
		return true;
	memory = room(lp, 1, service_room_bytes(p->cpus));
	if (memory)
		p->services = service_room_lay(memory);
	return p->services;
}

static bool linux_platform_allocate(struct linux_platform *lp, const struct config *c)
{
	struct platform *p = &lp->platform;

	p->cpus = cpulist_count(&c->cpus);
	p->cpu = room(lp, p->cpus, sizeof(*p->cpu));
	p->topology = room(lp, p->cpus, sizeof(*p->topology));
	lp->thread = room(lp, p->cpus, sizeof(*lp->thread));
	lp->intervals = room(lp, p->cpus, sizeof(*lp->intervals));
	if (!p->cpu || !p->topology || !lp->thread || !lp->intervals)
		return false;
	number_cores(lp, &c->cpus);
	return allocate_rings(lp, &c->records) && allocate_report(lp) && allocate_services(lp, c);
}

/* ---- Opening and closing ---- */

static void fill_platform(struct linux_platform *lp, uint64_t hz, uint32_t found)
{
	struct platform *p = &lp->platform;

	p->whole = p->cpus == found;
	p->hz = hz;
	p->hypervisor = true; /* a thread may be descheduled as a guest is */
	p->unmasked = true;
	p->now = clock_now;
	p->relax = clock_relax;
	p->idle = idle;
	p->start = linux_platform_start;
	p->finish = linux_platform_finish;
	p->before_window = p->services ? before_slot : probe_before_window;
	p->prepare = linux_platform_prepare;
	p->delay = probe_delay;
	p->window = window;
	p->stop_requested = stop_requested;
	p->count = linux_platform_count;
	p->ctx = lp;
}

static bool all_answered(const struct linux_platform *lp)
{
	for (uint32_t i = 1; i < lp->platform.cpus; i++)
		if (lp->thread[i].started && atomic_load(&lp->platform.cpu[i].state) != CPU_READY)
			return false;
	return true;
}

static void start_threads(struct linux_platform *lp)
{
	uint64_t begin;

	for (uint32_t i = 1; i < lp->platform.cpus; i++)
		lp->thread[i].started = pthread_create(&lp->thread[i].id, NULL, thread_main,
						       &lp->thread[i]) == 0;
	linux_platform_settle(&lp->thread[0]);
	if (!lp->thread[0].not_pinned)
		atomic_store(&lp->platform.cpu[0].state, CPU_READY);
	begin = clock_now();
	while (!all_answered(lp) && clock_now() - begin < ticks_from_ns(READY_NS, lp->platform.hz))
		linux_platform_rest();
}

const char *linux_platform_open(struct linux_platform *lp, struct config *config, uint64_t hz,
				const char *root, struct report *report)
{
	struct cpulist online;
	uint32_t found = 0;

	memset(lp, 0, sizeof(*lp));
	lp->report = report;
	linux_platform = lp;
	if (!linux_allowed(&online, &found))
		return "Linux does not report on which cores this process may run";
	if (!linux_platform_allocate(lp, config) ||
	    !linux_counters_open(&lp->counters, &lp->platform, root))
		return "not enough memory for this many cores and gaps: records= may ask for less";
	fill_platform(lp, hz, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN));
	lp->not_locked = mlockall(MCL_CURRENT | MCL_FUTURE) == 0 ? 0 : errno;
	start_threads(lp);
	if (!lp->thread[0].not_fifo)
		lp->rest_ns = linux_options_rest(config);
	if (lp->thread[0].not_pinned)
		return "this process cannot be bound to a core";
	return NULL;
}

void linux_platform_check(const struct linux_platform *lp, struct verdict_reasons *reasons)
{
	for (uint32_t i = 0; i < lp->platform.cpus; i++) {
		if (!atomic_load(&lp->thread[i].moved))
			continue;
		verdict_cut_short(reasons, "cpu %u was taken away: its thread ran on another",
				  (unsigned)lp->platform.cpu[i].index);
	}
}

/* A core that does not come back keeps its memory. */
static bool all_home(struct linux_platform *lp)
{
	atomic_store(&lp->go, true);
	linux_platform_finish(&lp->platform);
	for (uint32_t i = 1; i < lp->platform.cpus; i++)
		if (lp->thread[i].started)
			return false;
	return true;
}

void linux_platform_close(struct linux_platform *lp)
{
	bool home = !lp->thread || all_home(lp);

	linux_platform = NULL;
	if (!home)
		return;
	linux_counters_close(&lp->counters);
	while (lp->rooms)
		free(lp->room[--lp->rooms]);
}
