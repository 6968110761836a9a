/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From stage to stage. What a stage includes is done when it is entered, whether
 * or not the stages before it are measured; nothing else is written to the
 * platform.
 */
#include "stages.h"

#include "core/lib/mem.h"
#include "core/table/stage_lines.h"
#include "drivers/acpi_mode.h"

#define SENTENCE_MAX 240

static void say(struct app *a, const char *level, const struct text *t)
{
	app_complain(a, level, t->buf);
}

static void warn(void *ctx, const char *text)
{
	app_complain(ctx, "warning", text);
}

static void describe_chipset(const struct app *a, struct record_stage *s)
{
	const struct chipset_state *state = &a->state.chipset;

	if (!state->known)
		return;
	s->chipset = a->chipset.name;
	s->smi_en = state->smi_en;
	s->smi_sts = state->smi_sts;
	s->smi_enabled = state->enabled;
	s->smi_status = state->status;
	memcpy(s->timers, state->timer, sizeof(s->timers));
}

/* The one owner that says most: a controller that the BIOS drives may cost SMIs. */
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

static void describe_usb(struct app *a, struct record_stage *s)
{
	const struct usb_controllers *u = &a->usb;
	struct text t;

	text_init(&t, a->state.usb, sizeof(a->state.usb));
	for (unsigned i = 0; i < u->count; i++) {
		text_add(&t, i ? ", " : "");
		usb_print_name(&t, &u->controller[i]);
		text_add(&t, " %s", usb_owner_name(u->controller[i].owner));
	}
	s->usb_owner = common_owner(u);
	if (u->count)
		s->usb = a->state.usb;
}

static void describe_clocks(struct app *a, struct record_stage *s)
{
	struct text t;

	text_init(&t, a->state.tsc_adjust, sizeof(a->state.tsc_adjust));
	tsc_adjust_print(a->platform.cpu, a->platform.cpus, &t);
	if (t.len)
		s->tsc_adjust = a->state.tsc_adjust;
}

/* Read everything anew. */
static void look(struct app *a, struct record_stage *s)
{
	for (unsigned i = 0; i < a->usb.count; i++)
		usb_look(&a->usb.controller[i], &a->pci);
	chipset_read(&a->chipset, &a->state.chipset);
	s->sci_en = acpi_mode_sci_en(&a->acpi);
	describe_usb(a, s);
	describe_chipset(a, s);
	describe_clocks(a, s);
}

static void step_acpi(struct app *a)
{
	char buffer[SENTENCE_MAX];
	struct acpi_mode mode;
	struct text t;

	acpi_mode_enable(&a->acpi, a->platform.hz, &mode);
	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "acpi: ");
	acpi_mode_print(&t, &a->acpi, &mode);
	say(a, mode.result >= ACPI_MODE_NO_FADT ? "warning" : "info", &t);
}

static void print_taken(struct text *t, const struct usb_handoff *h)
{
	static const char *const taken[] = {
		[USB_LEFT_ALONE] = "has no legacy support to hand over",
		[USB_WAS_FREE] = "was not the BIOS's",
		[USB_HANDED] = "handed over by the BIOS",
		[USB_FORCED] = "the BIOS did not let go; taken all the same, as Linux does,",
		[USB_STUCK] = "the BIOS did not let go, and its bit cannot be cleared,",
	};

	text_add(t, "%s", taken[h->result]);
	if (h->waited_ns) {
		text_add(t, " after ");
		text_duration(t, h->waited_ns);
	}
	if (h->smis_off)
		text_add(t, "; SMI enables 0x%x switched off", (unsigned)h->smis_off);
	if (h->smis_still)
		text_add(t, "; SMI enables 0x%x stay on", (unsigned)h->smis_still);
}

static void hand_over(struct app *a, struct usb_controller *c)
{
	char buffer[SENTENCE_MAX];
	struct usb_handoff h;
	struct text t;
	bool odd;

	usb_hand_over(c, &a->pci, a->platform.hz, &h);
	text_init(&t, buffer, sizeof(buffer));
	text_add(&t, "handoff: ");
	usb_print_name(&t, c);
	text_add(&t, ": ");
	if (c->problem[0])
		text_add(&t, "%s; left as it is", c->problem);
	else
		print_taken(&t, &h);
	odd = c->problem[0] || h.result == USB_FORCED || h.result == USB_STUCK || h.smis_still;
	say(a, odd ? "warning" : "info", &t);
}

static void step_handoff(struct app *a)
{
	if (!a->usb.count)
		app_complain(a, "info", "handoff: no USB controller was found");
	for (unsigned i = 0; i < a->usb.count; i++)
		hand_over(a, &a->usb.controller[i]);
}

/* What leads into a stage; a ground's own steps, such as ExitBootServices, are not among them. */
static void (*const steps[STAGES])(struct app *a) = {
	[STAGE_ACPI] = step_acpi,
	[STAGE_HANDOFF] = step_handoff,
};

static void relay(void *ctx, const char *line, size_t bytes)
{
	struct app *a = ctx;

	(void)bytes;
	/* Without its indent. */
	report_log(&a->report, "info", "as the firmware left it:%s", line + 1);
}

static void say_chipset(struct app *a)
{
	uint32_t id = a->chipset.lpc_id;

	if (a->state.chipset.known)
		return;
	if (a->chipset.name)
		report_log(&a->report, "info", "SMI sources: the registers of the %s do not answer",
			   a->chipset.name);
	else if (id)
		report_log(&a->report, "info",
			   "SMI sources: the registers of chipset %04x:%04x are not known",
			   (unsigned)(id & 0xffff), (unsigned)(id >> 16));
	else
		report_log(&a->report, "info", "SMI sources: no chipset whose registers are known");
}

void stages_open_pci(struct app *a)
{
	if (a->state.pci_open)
		return;
	a->state.pci_open = true;
	pci_open(&a->pci, &a->acpi, warn, a);
}

/* Once, before anything is changed. */
static void survey(struct app *a)
{
	struct record_stage found = { .stage = NULL };

	stages_open_pci(a);
	usb_find(&a->usb, &a->pci);
	chipset_find(&a->chipset, &a->pci, &a->acpi);
	look(a, &found);
	stage_print(&found, relay, a);
	say_chipset(a);
	if (a->usb.left_out)
		report_log(&a->report, "warning",
			   "%u USB controllers more than the %u that are handed over",
			   a->usb.left_out, USB_CONTROLLERS_MAX);
}

static unsigned stage_number(const char *name)
{
	unsigned s = 0;

	while (s < STAGES && strcmp(stage_name((enum stage)s), name) != 0)
		s++;
	return s;
}

static void enter(struct platform *p, struct record_stage *stage)
{
	struct app *a = p->ctx;
	unsigned to = stage_number(stage->stage);

	if (!a->state.surveyed)
		survey(a);
	a->state.surveyed = true;
	for (unsigned s = 0; s <= to && s < STAGES; s++) {
		if (!steps[s] || a->state.taken & 1u << s)
			continue;
		a->state.taken |= 1u << s;
		steps[s](a);
	}
	look(a, stage);
}

static bool differ(const char *a, const char *b)
{
	if (!a || !b)
		return a != b;
	return strcmp(a, b) != 0;
}

static void tell_change(struct app *a, const char *stage, const char *what, const char *before,
			const char *after)
{
	if (differ(before, after))
		report_log(&a->report, "warning",
			   "stage %s: %s changed while measuring, from \"%s\" to \"%s\"", stage,
			   what, before, after);
}

static const char *sci_en_text(struct maybe sci_en)
{
	if (!sci_en.known)
		return NULL;
	return sci_en.value ? "1" : "0";
}

static void left(struct platform *p, const struct record_stage *stage)
{
	/* Their strings are about to be read anew: keep what they were. */
	static char usb[USB_TEXT_MAX];
	static struct chipset_state chipset;
	static char tsc_adjust[TSC_ADJUST_TEXT_MAX];
	struct app *a = p->ctx;
	struct record_stage now = { .stage = stage->stage };
	bool has_usb = stage->usb, known = stage->smi_enabled, differed = stage->tsc_adjust;

	memcpy(usb, a->state.usb, sizeof(usb));
	chipset = a->state.chipset;
	memcpy(tsc_adjust, a->state.tsc_adjust, sizeof(tsc_adjust));
	look(a, &now);
	tell_change(a, stage->stage, "SCI_EN", sci_en_text(stage->sci_en), sci_en_text(now.sci_en));
	tell_change(a, stage->stage, "USB ownership", has_usb ? usb : NULL, now.usb);
	tell_change(a, stage->stage, "the enabled SMI sources", known ? chipset.enabled : NULL,
		    now.smi_enabled);
	tell_change(a, stage->stage, "SMI status", known ? chipset.status : NULL, now.smi_status);
	tell_change(a, stage->stage, "TSC_ADJUST", differed ? tsc_adjust : NULL, now.tsc_adjust);
}

void stages_prepare(struct app *app)
{
	app->platform.enter = enter;
	app->platform.left = left;
}
