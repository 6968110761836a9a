/* SPDX-License-Identifier: BSD-2-Clause */
/* The state of the platform, for people. */
#include "stage_lines.h"

static void print_modes(struct table_page *p, const struct record_stage *s)
{
	if (s->sci_en.known)
		text_add(&p->out, "  ACPI mode %s (SCI_EN %u)", s->sci_en.value ? "on" : "off",
			 s->sci_en.value != 0);
	if (s->usb_owner)
		text_add(&p->out, "  USB owner %s: %s", s->usb_owner, s->usb);
	if (p->out.len)
		table_end_line(p);
}

static const char *or_none(const char *names)
{
	return names && names[0] ? names : "none";
}

static void print_sources(struct table_page *p, const struct record_stage *s)
{
	if (!s->chipset || !s->smi_enabled)
		return;
	text_add(&p->out, "  SMI sources enabled (%s): %s", s->chipset, or_none(s->smi_enabled));
	for (unsigned i = 0; i < RECORD_TIMERS && s->timers[i].name; i++)
		text_add(&p->out, "%s%s", i ? ", " : "; timers: ", s->timers[i].name);
	table_end_line(p);
	if (s->smi_status && s->smi_status[0]) {
		text_add(&p->out, "  SMI status set: %s", s->smi_status);
		table_end_line(p);
	}
}

static void print_tsc_adjust(struct table_page *p, const struct record_stage *s)
{
	if (!s->tsc_adjust)
		return;
	text_add(&p->out, "  TSC_ADJUST differs: %s", s->tsc_adjust);
	table_end_line(p);
}

void stage_print(const struct record_stage *stage, table_line *line, void *ctx)
{
	struct table_page p;

	table_page_init(&p, line, ctx);
	print_modes(&p, stage);
	print_sources(&p, stage);
	print_tsc_adjust(&p, stage);
}
