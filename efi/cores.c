/* SPDX-License-Identifier: BSD-2-Clause */
/* The cores of the run: numbered, given memory, and described as a platform to the run. */
#include "cores.h"

#include "clocks.h"
#include "keys.h"

#include "arch/calibrate.h"
#include "arch/probe.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"

#define LOW_LIMIT   UINT64_C(0xa0000)
#define LIMIT_4G    (UINT64_C(1) << 32)
#define RINGS_BYTES (UINT64_C(256) << 20)
#define RING_GAPS   65536u
#define RING_LEAST  64u

/* Room for event records: what links send by default, and what `gaps` may ask for. */
#define EVENTS_LEAST 256u
#define EVENTS_MAX   4096u

/*
 * Room for all cores to time their loop at once. That is over before a stage
 * begins; from then on the report finds events and sources there.
 */
static uint64_t (*intervals)[CALIBRATE_INTERVALS];

static void *pages(struct app *app, size_t bytes, uint64_t limit)
{
	app->memory_bytes += bytes;
	return firmware_pages(bytes, limit);
}

/* This core's own APIC id is the one that runs this code. */
static uint32_t boot_entry(const struct app *app)
{
	for (uint32_t i = 0; i < app->acpi.cpu_count; i++)
		if (app->acpi.cpu[i].apic_id == arch_apic_id())
			return i;
	return UINT32_MAX;
}

static bool chosen(const struct app *app, uint32_t index)
{
	return cpulist_empty(&app->config.cpus) || cpulist_has(&app->config.cpus, index);
}

/* The boot core is number 0 and always there; the others follow in the MADT's order. */
static void number_cores(struct app *app)
{
	struct cpu *cpu = app->platform.cpu;
	uint32_t boot = boot_entry(app);
	uint32_t n = 1, index = 1;

	cpu[0].apic_id = arch_apic_id();
	cpu[0].wanted = chosen(app, 0);
	for (uint32_t i = 0; i < app->acpi.cpu_count; i++) {
		if (i == boot)
			continue;
		if (chosen(app, index)) {
			cpu[n].index = index;
			cpu[n].position = n;
			cpu[n].apic_id = app->acpi.cpu[i].apic_id;
			cpu[n++].wanted = true;
		}
		index++;
	}
	app->platform.cpus = n;
	app->platform.whole = n == index;
}

/* Bytes a gap takes in a ring: with its attribution where that can be more than counts. */
static size_t gap_bytes(void)
{
	return sizeof(struct gap) + (arch_evidence_measures() ? sizeof(struct attribution) : 0);
}

static bool give_rings(struct app *app, uint64_t gaps)
{
	struct platform *p = &app->platform;
	uint64_t bytes = gaps * p->cpus * gap_bytes();
	struct gap *slots = firmware_pages((size_t)bytes, 0);
	struct attribution *why = (struct attribution *)(slots + gaps * p->cpus);

	if (!slots)
		return false;
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].ring = (struct gap_ring){
			.slot = slots + i * gaps,
			.why = gap_bytes() > sizeof(struct gap) ? why + i * gaps : NULL,
			.capacity = (size_t)gaps,
		};
	app->ring_bytes = bytes;
	app->ring_gaps = (uint32_t)gaps;
	return true;
}

static bool allocate_rings(struct app *app)
{
	const struct limit *records = &app->config.records;
	uint64_t each = RINGS_BYTES / gap_bytes() / app->platform.cpus;
	uint64_t wanted = records->set ? records->value : each < RING_GAPS ? each : RING_GAPS;

	for (uint64_t gaps = wanted; gaps >= RING_LEAST || gaps == wanted; gaps /= 2)
		if (give_rings(app, gaps))
			return true;
	return false;
}

static uint64_t event_records(const struct limit *gaps)
{
	if (!gaps->set || gaps->value == UINT64_MAX || gaps->value < EVENTS_LEAST)
		return EVENTS_LEAST;
	return gaps->value < EVENTS_MAX ? gaps->value : EVENTS_MAX;
}

static bool allocate_shared(struct app *app)
{
	uint32_t n = app->platform.cpus;
	size_t bytes = report_room(n, event_records(&app->config.gaps));

	if (bytes < n * sizeof(*intervals))
		bytes = n * sizeof(*intervals);
	intervals = pages(app, bytes, 0);
	if (intervals)
		report_lay(&app->report, intervals, bytes, n);
	return intervals;
}

static bool allocate_report(struct app *app)
{
	struct report *r = &app->report;
	uint32_t n = app->platform.cpus;

	r->cpus = pages(app, n * sizeof(*r->cpus), 0);
	r->order = pages(app, n * sizeof(*r->order), 0);
	r->heads = pages(app, n * sizeof(*r->heads), 0);
	r->pairs = pages(app, HIST_BUCKETS * sizeof(*r->pairs), 0);
	return r->cpus && r->order && r->heads && r->pairs;
}

static bool allocate(struct app *app)
{
	struct arch_memory *m = &app->memory;
	uint32_t most = app->acpi.cpu_count + 1; /* the boot core may be missing in the MADT */
	struct platform *p = &app->platform;

	p->cpu = pages(app, most * sizeof(*p->cpu), 0);
	if (!p->cpu)
		return false;
	number_cores(app);
	arch_plan_memory(m, p->cpus, memory_map_top(&app->map));
	m->low_page = pages(app, 4096, LOW_LIMIT);
	m->tables = pages(app, m->table_bytes, LIMIT_4G);
	m->cores = pages(app, m->core_bytes, 0);
	p->topology = pages(app, p->cpus * sizeof(*p->topology), 0);
	return m->low_page && m->tables && m->cores && p->topology && allocate_shared(app) &&
	       allocate_report(app) && allocate_rings(app);
}

/* Whose cores are prepared. */
static const struct app *preparing;

static void prepare_core(struct cpu *cpu)
{
	arch_mask_interrupts();
	arch_evidence_detect(cpu, preparing->clock.hz, preparing->config.clear_logs);
	arch_topology(&preparing->platform.topology[cpu->position]);
	calibrate_loop(cpu, intervals[cpu->position]);
	arch_evidence_learn(cpu, calibrate_stretch);
	calibrate_slow_path(cpu);
}

static bool key_pressed(struct platform *p)
{
	return keys_stop(p->ctx);
}

static uint64_t now(void)
{
	return clock_now();
}

static void between(struct platform *p)
{
	network_between(p->ctx);
	save_between(p->ctx);
	display_between(p->ctx);
}

static struct app *complaining;

static void complain_core(const char *text)
{
	app_complain(complaining, "error", text);
}

/*
 * On the machine itself a resting core spins: sleeping, it would start the next
 * window from a lower clock. Under a hypervisor it sleeps, so that the others run.
 */
static void (*resting(const struct app *app))(void)
{
	return app->identity.hypervisor[0] ? arch_sleep : arch_relax;
}

static void fill_platform(struct app *app)
{
	struct platform *p = &app->platform;

	p->hz = app->clock.hz;
	p->hypervisor = app->identity.hypervisor[0] != 0;
	p->now = now;
	p->relax = arch_relax;
	p->idle = resting(app);
	p->wake = p->idle == arch_sleep ? arch_wake : NULL;
	p->prepare = prepare_core;
	p->logs = arch_evidence_logs;
	p->release = arch_evidence_restore;
	p->send_nmi = arch_send_nmi;
	p->before_window = probe_before_window;
	p->window = probe_window;
	p->delay = probe_delay;
	p->stop_requested = key_pressed;
	p->between = between;
	p->ctx = app;
}

static void set_up(struct app *app)
{
	struct arch_setup setup = {
		.cpu = app->platform.cpu,
		.cpus = app->platform.cpus,
		.hz = app->clock.hz,
		.top = memory_map_top(&app->map),
		.acpi = &app->acpi,
		.idle = resting(app),
		.complain = complain_core,
	};

	complaining = app;
	preparing = app;
	fill_platform(app);
	clocks_find(app);
	arch_setup_cores(&app->memory, &setup);
}

bool cores_prepare(struct app *app)
{
	if (allocate(app)) {
		set_up(app);
		return true;
	}
	app_complain(app, "error", "not enough memory for this many cores");
	return false;
}
