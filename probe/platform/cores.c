/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers the run's cores, gives them memory, and describes them as a platform to the run. */
#include "work_memory.h"

#include "probe/app.h"
#include "probe/door.h"
#include "probe/runtime.h"

#include "arch/probe.h"
#include "arch/work.h"
#include "core/config/mode.h"
#include "core/modes/services/service_room.h"
#include "core/modes/survey/survey_room.h"

#define LOW_LIMIT   UINT64_C(0xa0000)
#define LIMIT_4G    (UINT64_C(1) << 32)
#define RINGS_BYTES (UINT64_C(256) << 20)
#define RING_GAPS   65536u
#define RING_LEAST  64u

/*
 * Intervals of all cores, which time their loops at the same time. They are needed only before the
 * first stage; then the memory is the report's.
 */
static uint64_t (*intervals)[CALIBRATE_INTERVALS];

/* Returns the MADT's index of the core that runs this code; UINT32_MAX: it is not listed. */
static uint32_t boot_entry(const struct acpi_info *acpi)
{
	for (uint32_t i = 0; i < acpi->cpu_count; i++)
		if (acpi->cpu[i].apic_id == arch_apic_id())
			return i;
	return UINT32_MAX;
}

static bool chosen(const struct config *config, uint32_t index)
{
	return cpulist_empty(&config->cpus) || cpulist_has(&config->cpus, index);
}

/* The boot core is number 0 and always there; the others follow in the MADT's order. */
static void number_cores(struct platform *p, const struct acpi_info *acpi,
			 const struct config *config)
{
	struct cpu *cpu = p->cpu;
	uint32_t boot = boot_entry(acpi);
	uint32_t n = 1, index = 1;

	cpu[0].apic_id = arch_apic_id();
	cpu[0].wanted = chosen(config, 0);
	for (uint32_t i = 0; i < acpi->cpu_count; i++) {
		if (i == boot)
			continue;
		if (chosen(config, index)) {
			cpu[n].index = index;
			cpu[n].position = n;
			cpu[n].apic_id = acpi->cpu[i].apic_id;
			cpu[n++].wanted = true;
		}
		index++;
	}
	p->cpus = n;
	p->whole = n == index;
}

/* Bytes of a gap in a ring; more if counters may measure gaps. */
static size_t gap_bytes(void)
{
	return sizeof(struct gap) + (arch_evidence_measures() ? sizeof(union gap_detail) : 0);
}

static bool give_rings(struct cores *c, uint64_t gaps)
{
	struct platform *p = &app->platform;
	uint64_t bytes = gaps * p->cpus * gap_bytes();
	struct gap *slots = door.pages((size_t)bytes, 0);
	union gap_detail *detail = (union gap_detail *)(slots + gaps * p->cpus);

	if (!slots)
		return false;
	for (uint32_t i = 0; i < p->cpus; i++)
		p->cpu[i].ring = (struct gap_ring){
			.slot = slots + i * gaps,
			.detail = gap_bytes() > sizeof(struct gap) ? detail + i * gaps : NULL,
			.capacity = (size_t)gaps,
		};
	c->ring_bytes = bytes;
	return true;
}

static bool allocate_rings(struct cores *c)
{
	const struct config_limit *records = &app->options.config.records;
	uint64_t each = RINGS_BYTES / gap_bytes() / app->platform.cpus;
	uint64_t wanted = records->set ? records->value : each < RING_GAPS ? each : RING_GAPS;

	if (!mode_of(&app->options.config)->keeps_gaps)
		wanted = RING_LEAST;
	for (uint64_t gaps = wanted; gaps >= RING_LEAST || gaps == wanted; gaps /= 2)
		if (give_rings(c, gaps))
			return true;
	return false;
}

static bool allocate_report(void)
{
	uint32_t n = app->platform.cpus;
	size_t bytes = report_room(n);

	if (bytes < n * sizeof(*intervals))
		bytes = n * sizeof(*intervals);
	intervals = app_pages(bytes, 0);
	if (intervals)
		report_lay(&app->report, intervals, n);
	return intervals;
}

/* Allocate the pieces of work, and memory for their results. */
static bool allocate_work(void)
{
	if (!mode_of(&app->options.config)->works)
		return true;
	app->platform.work = work_memory_lay(arch_evidence_count);
	return app->platform.work;
}

static void read_core(struct cpu *cpu, struct survey_core *into);

/* Allocate memory for what a survey reads of each core, and for its output. */
static bool allocate_survey(void)
{
	struct platform *p = &app->platform;
	struct survey_room *s;
	struct survey_reading *readings;
	void *text;

	if (!mode_of(&app->options.config)->reads)
		return true;
	s = app_pages(sizeof(*s), 0);
	readings = app_pages(p->cpus * SURVEY_READINGS_MAX * sizeof(*readings), 0);
	text = app_pages(SURVEY_PART_BYTES, 0);
	if (!s || !readings || !text)
		return false;
	s->core = app_pages(p->cpus * sizeof(*s->core), 0);
	s->number = app_pages(p->cpus * sizeof(*s->number), 0);
	s->parts.packed = app_pages(DEFLATE_BYTES_MAX(SURVEY_PART_BYTES), 0);
	s->parts.work = app_pages(DEFLATE_WORK_BYTES, 0);
	if (!s->core || !s->number || !s->parts.packed || !s->parts.work)
		return false;
	for (uint32_t i = 0; i < p->cpus; i++)
		s->core[i].at = readings + (size_t)i * SURVEY_READINGS_MAX;
	text_init(&s->text, text, SURVEY_PART_BYTES);
	s->read = read_core;
	s->machine = app_survey;
	s->ctx = app;
	p->survey = s;
	return true;
}

/* Allocate memory for the calls of services. */
static bool allocate_services(void)
{
	struct platform *p = &app->platform;
	void *memory;

	if (!mode_of(&app->options.config)->calls)
		return true;
	memory = app_pages(service_room_bytes(p->cpus), 0);
	if (!memory)
		return false;
	p->services = service_room_lay(memory);
	runtime_fill(p->services);
	return true;
}

/*
 * Firmware may have left no free page below 640 KiB (Dell XPS 13 9350). Then use one of boot
 * services', because it is written only once the firmware is gone.
 */
static void *low_page(void)
{
	void *page = app_pages(4096, LOW_LIMIT);

	return page ? page : memory_map_boot_page(&app->machine.map, LOW_LIMIT);
}

static bool cores_allocate(struct cores *c)
{
	const struct acpi_info *acpi = &app->machine.acpi;
	struct arch_memory *m = &c->memory;
	uint32_t most = acpi->cpu_count + 1; /* the boot core may be missing in the MADT */
	struct platform *p = &app->platform;

	p->cpu = app_pages(most * sizeof(*p->cpu), 0);
	if (!p->cpu)
		return false;
	number_cores(p, acpi, &app->options.config);
	arch_plan_memory(m, &(struct arch_setup){
				    .cpus = p->cpus,
				    .top = memory_map_top(&app->machine.map),
				    .share = memory_map_share,
				    .map = &app->machine.map,
			    });
	m->low_page = m->needs_low_page ? low_page() : NULL;
	m->tables = m->table_bytes ? app_pages(m->table_bytes, LIMIT_4G) : NULL;
	m->cores = app_pages(m->core_bytes, 0);
	p->topology = app_pages(p->cpus * sizeof(*p->topology), 0);
	return (m->low_page || !m->needs_low_page) && (m->tables || !m->table_bytes) && m->cores &&
	       p->topology && allocate_report() && allocate_rings(c) && allocate_work() &&
	       allocate_survey() && allocate_services();
}

static void prepare_core(struct cpu *cpu)
{
	arch_mask_interrupts();
	arch_evidence_detect(cpu, app->platform.hz, app->options.config.clear_logs);
	arch_topology(&app->platform.topology[cpu->position], &app->machine.acpi);
	calibrate_loop(cpu, intervals[cpu->position]);
	arch_evidence_learn(cpu, calibrate_span);
	calibrate_slow_path(cpu);
	if (!app->platform.work)
		return;
	if (door.is_gone())
		arch_enable_vectors();
	arch_work_find(app->platform.work);
}

static void read_core(struct cpu *cpu, struct survey_core *into)
{
	arch_topology(&app->platform.topology[cpu->position], &app->machine.acpi);
	arch_survey(into, app->platform.hz);
}

static uint64_t now(void)
{
	return clock_now();
}

static void complain_core(const char *text)
{
	complaints_add("error", text);
}

static void remark(const char *text)
{
	complaints_add("info", text);
}

static void (*resting(const struct machine *m))(const struct cpu *self)
{
	return leave_resumes(app) && arch_break_off ? last_words_rest : arch_resting(&m->identity);
}

static void fill_platform(struct platform *p, const struct machine *m)
{
	p->hz = m->clock.hz;
	p->hypervisor = m->identity.hypervisor[0] != 0;
	p->now = now;
	p->relax = arch_relax;
	p->idle = resting(m);
	p->start = arch_start;
	p->finish = arch_finish;
	p->wake = arch_resting(&m->identity) == arch_sleep ? arch_wake : NULL;
	p->prepare = prepare_core;
	p->logs = arch_evidence_logs;
	/* A survey arms nothing, so nothing is to be released. */
	p->release = p->survey ? NULL : arch_evidence_restore;
	p->send_nmi = arch_send_nmi;
	p->before_window = probe_before_window;
	p->window = probe_window_masked;
	p->delay = probe_delay;
}

static void set_up(struct cores *c)
{
	const struct machine *m = &app->machine;
	struct arch_setup setup = {
		.cpu = app->platform.cpu,
		.cpus = app->platform.cpus,
		.hz = m->clock.hz,
		.top = memory_map_top(&m->map),
		.share = memory_map_share,
		.map = &m->map,
		.acpi = &m->acpi,
		.only_reads = mode_of(&app->options.config)->reads,
		.idle = app->platform.idle,
		.complain = complain_core,
		.remark = remark,
	};

	arch_setup_cores(&c->memory, &setup);
}

bool cores_prepare(struct cores *c)
{
	if (cores_allocate(c)) {
		fill_platform(&app->platform, &app->machine);
		set_up(c);
		return true;
	}
	complaints_add("error", "not enough memory for this many cores");
	return false;
}
