/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `stage`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

static void print_modes(struct lines *out, const struct record_stage *s)
{
	if (s->sci_en.known)
		text_add(&out->out, "  ACPI mode %s (SCI_EN %u)", s->sci_en.value ? "on" : "off",
			 s->sci_en.value != 0);
	if (s->usb_owner)
		text_add(&out->out, "  USB owner %s: %s", s->usb_owner, s->usb);
	if (out->out.len)
		lines_wrap(out, LINES_CONTINUED);
}

static void print_sources(struct lines *out, const struct record_stage *s)
{
	if (!s->chipset || !s->smi_enabled)
		return;
	text_add(&out->out, "  SMI sources enabled (%s): %s", s->chipset,
		 s->smi_enabled[0] ? s->smi_enabled : "none");
	for (unsigned i = 0; i < RECORD_TIMERS && s->timers[i].name; i++)
		text_add(&out->out, "%s%s", i ? ", " : "; timers: ", s->timers[i].name);
	lines_wrap(out, LINES_CONTINUED);
}

static void print_tsc_adjust(struct lines *out, const struct record_stage *s)
{
	if (!s->tsc_adjust)
		return;
	text_add(&out->out, "  TSC_ADJUST differs: %s", s->tsc_adjust);
	lines_wrap(out, LINES_CONTINUED);
}

/*
 * The state that it was measured in: a line for the firmware's mode and one for the chipset's SMI
 * sources, without what is not known:
 *
 *   ACPI mode on (SCI_EN 1)  USB owner os: xhci 0000:00:14.0 os
 *   SMI sources enabled (Intel ICH9): GBL_SMI APMC TCO; timers: TCO timer 1.2 s
 */
static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	(void)of;
	print_modes(out, record);
	print_sources(out, record);
	print_tsc_adjust(out, record);
}

const struct record_kind stage_record_kind = { .text = put_text, .printed = true };
