/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Steps from stage to stage. Entering a stage takes its step and those of all stages before it,
 * whether or not these are measured. The stage `linux` has no steps. Nothing else is written to the
 * platform.
 */
#include "probe/app.h"

#include "core/lib/lines.h"
#include "core/lib/steps.h"
#include "core/records/record_kind.h"
#include "core/report/report_words.h"
#include "drivers/acpi_mode.h"

#define SENTENCE_MAX 240

/* Returns the owner that matters most: a controller that the BIOS drives may cause SMIs. */
static const char *common_owner(const struct usb_controllers *u)
{
	enum usb_owner owner = USB_OWNER_UNKNOWN;

	for (unsigned i = 0; i < u->count; i++) {
		enum usb_owner one = u->controller[i].owner;

		if (one == USB_OWNER_BIOS)
			return usb_owner_name(one);
		if (one > owner)
			owner = one;
	}
	return owner == USB_OWNER_UNKNOWN ? NULL : usb_owner_name(owner);
}

static void describe_usb(struct stages *all, struct record_stage *s)
{
	const struct usb_controllers *u = &all->usb;
	struct text t;

	text_init(&t, all->owners, sizeof(all->owners));
	for (unsigned i = 0; i < u->count; i++) {
		text_add(&t, i ? ", " : "");
		usb_print_name(&t, &u->controller[i]);
		text_add(&t, " %s", usb_owner_name(u->controller[i].owner));
	}
	s->usb_owner = common_owner(u);
	if (u->count)
		s->usb = all->owners;
}

static void describe_clocks(struct stages *all, struct record_stage *s)
{
	const struct platform *p = &app->platform;
	struct text t;

	text_init(&t, all->tsc_adjust, sizeof(all->tsc_adjust));
	tsc_adjust_print(p->cpu, p->cpus, &t);
	if (t.len)
		s->tsc_adjust = all->tsc_adjust;
}

/* Read the state again, into the texts and *stage. */
static void read_state(struct stages *s, struct record_stage *stage)
{
	for (unsigned i = 0; i < s->usb.count; i++)
		usb_read_owner(&s->usb.controller[i], &s->pci);
	chipset_read(&s->chipset, &s->texts, stage);
	stage->sci_en = acpi_mode_sci_en(&app->machine.acpi);
	describe_usb(s, stage);
	describe_clocks(s, stage);
}

static void step_acpi(struct stages *s)
{
	TEXT_DEFINE(t, SENTENCE_MAX);
	bool is_on;

	(void)s;
	steps_note("enabling ACPI mode");
	text_add(&t, "acpi: ");
	is_on = acpi_mode_enable(&app->machine.acpi, app->platform.hz, &t);
	complaints_add(is_on ? "info" : "warning", t.buf);
}

static void hand_over(struct stages *s, struct usb_controller *c)
{
	TEXT_DEFINE(t, SENTENCE_MAX);
	bool is_taken;

	steps_note("taking a USB controller over");
	text_add(&t, "handoff: ");
	usb_print_name(&t, c);
	text_add(&t, ": ");
	is_taken = usb_hand_over(c, &s->pci, app->platform.hz, &t);
	complaints_add(is_taken ? "info" : "warning", t.buf);
}

static void step_handoff(struct stages *s)
{
	if (!s->usb.count)
		complaints_add("info", "handoff: no USB controller was found");
	for (unsigned i = 0; i < s->usb.count; i++)
		hand_over(s, &s->usb.controller[i]);
}

/*
 * The step that leads into each stage. A platform's own steps, such as ExitBootServices, are not
 * among them.
 */
static void (*const steps[STAGES])(struct stages *s) = {
	[STAGE_ACPI] = step_acpi,
	[STAGE_HANDOFF] = step_handoff,
};

static void relay(void *ctx, const char *line, size_t bytes)
{
	(void)bytes;
	/* The line begins with an indent, which is skipped. */
	report_log(ctx, "info", "at the start:%s", line + 1);
}

/* Log a chipset that does not answer, or is not known, or that there is none. */
static void log_chipset(const struct chipset *chipset, struct report *report)
{
	if (chipset->name)
		report_log(report, "info", "SMI sources: the registers of the %s do not answer",
			   chipset->name);
	else if (chipset->lpc_id)
		report_log(report, "info",
			   "SMI sources: the registers of chipset %04x:%04x are not known",
			   (unsigned)(chipset->lpc_id & 0xffff), (unsigned)(chipset->lpc_id >> 16));
	else if (!ISA_NO_SMI)
		report_log(report, "info", "SMI sources: no chipset whose registers are known");
}

const struct pci *stages_pci(struct stages *s)
{
	if (!s->pci_open)
		pci_open(&s->pci, &app->machine.acpi, complaints_warn, NULL);
	s->pci_open = true;
	return &s->pci;
}

/* Find and describe the devices; called once, before anything is changed. */
static void stages_look(struct stages *s)
{
	struct record_stage found = { .stage = NULL };
	struct lines lines;

	stages_pci(s);
	steps_note("looking for USB controllers");
	usb_find(&s->usb, &s->pci);
	steps_note("looking for the chipset");
	chipset_find(&s->chipset, &s->pci, &app->machine.acpi);
	read_state(s, &found);
	lines_init(&lines, relay, &app->report);
	record_kind_of(RECORD_STAGE)->text(&lines, &found, &(struct record_context){ 0 });
	if (!found.chipset)
		log_chipset(&s->chipset, &app->report);
	if (s->usb.left_out)
		report_log(&app->report, "warning",
			   "%u USB controllers more than the %u that are handed over",
			   s->usb.left_out, USB_CONTROLLERS_MAX);
}

void stages_enter(struct platform *p, struct record_stage *stage)
{
	struct stages *s = &app->stages;

	(void)p;
	s->name = stage->stage;
	steps_note("entering the stage");
	if (!s->looked)
		stages_look(s);
	s->looked = true;
	/* A running Linux's state is left as it is. */
	for (unsigned n = 0; n <= s->entered && s->entered < STAGE_LINUX; n++) {
		if (!steps[n] || s->taken & 1u << n)
			continue;
		s->taken |= 1u << n;
		steps[n](s);
	}
	read_state(s, stage);
}

void stages_between(struct stages *s)
{
	TEXT_DEFINE(t, SENTENCE_MAX);
	uint64_t left_ns;

	if (!chipset_watchdog(&s->chipset, &left_ns))
		return;
	text_duration(&t, left_ns);
	report_log(&app->report, "warning",
		   REPORT_WATCHDOG ", and expires in %s: if it is not restarted, "
				   "it may reset the machine during the run",
		   t.buf);
}
