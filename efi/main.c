/* SPDX-License-Identifier: BSD-2-Clause */
/* The run as a story: survey, options, take-over, windows, report, leave. */
#include "app.h"
#include "cores.h"
#include "countdown.h"
#include "ground_bare.h"
#include "ground_firmware.h"
#include "harvest.h"
#include "leave.h"
#include "options.h"
#include "output.h"
#include "stages.h"
#include "survey.h"

#include "core/lib/mem.h"
#include "core/lib/text.h"

void app_complain(struct app *a, const char *level, const char *text)
{
	struct complaint *c = &a->complaint[a->complaints];
	struct text t;

	if (a->report.links) {
		report_log(&a->report, level, "%s", text);
		return;
	}
	if (a->complaints == APP_COMPLAINTS) {
		a->complaints_lost++;
		return;
	}
	c->level = level;
	text_init(&t, c->text, sizeof(c->text));
	text_add(&t, "%s", text);
	a->complaints++;
}

/* What was kept until there was a port. On the console too: not every machine has a serial port. */
static void say_complaints(struct app *a)
{
	for (unsigned i = 0; i < a->complaints; i++) {
		report_log(&a->report, a->complaint[i].level, "%s", a->complaint[i].text);
		if (!a->uart.present && !a->display.screen)
			firmware_print(a->complaint[i].text);
	}
	if (a->complaints_lost)
		report_log(&a->report, "warning", "%u further complaints are not shown",
			   a->complaints_lost);
}

static const char *or_null(const char *s)
{
	return s[0] ? s : NULL;
}

static void describe_cores(struct app *a, struct record_begin *b)
{
	const struct platform *p = &a->platform;
	static struct cpulist ids;
	struct text t;

	cpulist_clear(&ids);
	b->cpus.found = p->cpus;
	for (uint32_t i = 0; i < p->cpus; i++) {
		b->cpus.started += p->cpu[i].state == CPU_READY;
		b->cpus.measured += p->cpu[i].measured;
		cpulist_add(&ids, p->cpu[i].apic_id);
	}
	text_init(&t, a->apic_ids, sizeof(a->apic_ids));
	cpulist_print(&ids, &t);
	b->cpus.apic_ids = t.overflow || cpulist_last(&ids) >= CPULIST_MAX - 1 ? NULL : a->apic_ids;
}

/* What is known before the cores are. */
static void describe_machine(struct app *a)
{
	struct record_begin *b = &a->begin;
	const struct smbios_info *s = &a->smbios;
	const struct arch_identity *id = &a->identity;

	b->version = NF_VERSION;
	b->machine.vendor = or_null(s->vendor);
	b->machine.product = or_null(s->product);
	b->machine.board = or_null(s->board);
	b->machine.bios_vendor = or_null(s->bios_vendor);
	b->machine.bios_version = or_null(s->bios_version);
	b->machine.bios_date = or_null(s->bios_date);
	b->machine.uuid = or_null(s->uuid);
	b->cpu.vendor = id->vendor;
	b->cpu.brand = or_null(id->brand);
	b->cpu.family = id->family;
	b->cpu.model = id->model;
	b->cpu.stepping = id->stepping;
	b->cpu.microcode = id->microcode;
	b->hypervisor = or_null(id->hypervisor);
}

static void describe(struct app *a)
{
	struct record_begin *b = &a->begin;
	struct text t;

	b->clock.hz = a->clock.hz;
	b->clock.source = a->clock.source;
	b->clock.invariant = a->identity.clock_invariant;
	b->clock.quantum = a->platform.cpu[0].quantum;
	b->clock.audited_by = a->clock.audited_by;
	b->clock.audit_ppm = a->clock.audit_ppm;
	describe_cores(a, b);
	arch_evidence_names(&a->platform.cpu[0], b->evidence, a->busy, RECORD_STRINGS);
	text_init(&t, a->config_text, sizeof(a->config_text));
	config_print(&a->config, &t);
	b->config = a->config_text;
	b->begin_tsc = a->platform.begin_tsc;
}

static void give_up(struct app *a)
{
	if (!a->taken_over)
		network_start_firmware(a);
	verdict_reason(&a->run.reasons, "the run did not start");
	a->run.reasons.verdict = VERDICT_ERROR;
}

static void begin(struct app *a)
{
	if (a->begun)
		return;
	a->begun = true;
	describe(a);
	report_begin(&a->report, &a->begin);
	report_log(&a->report, "info", "memory: %u KiB, and %u KiB of gap rings (%u gaps per core)",
		   (unsigned)(a->memory_bytes / 1024), (unsigned)(a->ring_bytes / 1024),
		   (unsigned)a->ring_gaps);
	for (unsigned i = 0; a->busy[i]; i++)
		report_log(&a->report, "info",
			   "evidence \"%s\" is in use by the firmware: left alone", a->busy[i]);
}

/* The stages of one ground, whose cores wait for orders. */
struct leg {
	struct app *app;
	uint32_t stages; /* bits */
};

static void measure(void *ctx)
{
	struct leg *leg = ctx;
	struct app *a = leg->app;

	run_prepare(&a->run);
	begin(a);
	for (unsigned s = 0; s < STAGES && !a->run.over; s++)
		if (leg->stages & 1u << s)
			run_stage(&a->run, stage_name(s));
	run_finish(&a->run);
}

/* An exception on the way still leads to a report of what was measured before. */
static void guarded(struct app *a, uint32_t stages)
{
	struct leg leg = { a, stages };

	if (arch_try(measure, &leg))
		return;
	report_log(&a->report, "error", "the boot core took %s",
		   arch_fault_text(&a->platform.cpu[0]));
	verdict_reason(&a->run.reasons, "an exception ended the run");
	verdict_cut_short(&a->run.reasons);
	a->run.over = true;
}

static void run(struct app *a)
{
	uint32_t lent = a->config.stages & 1u << STAGE_FIRMWARE;
	uint32_t own = a->config.stages & ~lent;

	a->run.config = &a->config;
	a->run.platform = &a->platform;
	a->run.report = &a->report;
	if (a->mistakes || !cores_prepare(a)) {
		give_up(a);
		return;
	}
	stages_prepare(a);
	display_wait(a, "The cores are being started.");
	a->platform.begin_tsc = a->platform.now();
	if (lent) {
		network_start_firmware(a);
		ground_firmware(a);
		guarded(a, lent);
		ground_firmware_leave(a);
	}
	if (own && !a->run.over) {
		network_leave_firmware(a);
		save_leave_firmware(a);
		if (!ground_bare(a)) {
			give_up(a);
			return;
		}
		display_take_over(a);
		network_start_own(a);
		guarded(a, own);
	}
	run_judge(&a->run);
}

static void measure_all(struct app *a)
{
	network_open(a);
	save_open(a);
	say_complaints(a);
	run(a);
	report_end(&a->report, &a->run.reasons);
	display_end(a);
	network_finish(a);
	save_finish(a);
}

static void ask_and_measure(struct app *a)
{
	describe_machine(a);
	display_open(a);
	if (countdown(a))
		measure_all(a);
	else
		report_end(&a->report, &a->run.reasons);
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	struct app *a;

	firmware_init(image, table);
	a = firmware_pages(sizeof(*a), 0);
	if (!a)
		return verdict_exit_code(VERDICT_ERROR);
	survey(a);
	options_read(a);
	options_check(a);
	output_open(a);
	report_text(&a->report, "noisefloor %s", NF_VERSION);
	if (!harvest(a))
		ask_and_measure(a);
	return leave(a);
}
