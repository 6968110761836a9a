/* SPDX-License-Identifier: BSD-2-Clause */
/* The record type `begin`. */
#include "core/lib/lines.h"
#include "core/records/record_kind.h"

#define LABELLED 9 /* column of the value after a label */

/*
 * True if something of it is known: nothing is without SMBIOS, or under Linux without permission to
 * read it.
 */
static bool is_known(const struct record_begin *b)
{
	return b->machine.vendor || b->machine.product || b->machine.board ||
	       b->machine.bios_vendor || b->machine.bios_version || b->machine.bios_date;
}

static void print_machine(struct lines *out, const struct record_begin *b)
{
	text_add(&out->out, "machine: ");
	if (is_known(b))
		text_add(&out->out, "%s %s, board %s, BIOS %s %s of %s", b->machine.vendor,
			 b->machine.product, b->machine.board, b->machine.bios_vendor,
			 b->machine.bios_version, b->machine.bios_date);
	else
		text_add(&out->out, "n/a");
	lines_wrap(out, LABELLED);
}

static void print_processor(struct lines *out, const struct record_begin *b)
{
	/*
	 * Arm processors have the fields of MIDR_EL1: implementer, part, variant and revision, in
	 * hex as in manuals.
	 */
	text_add(&out->out,
		 record_no_smi(b) ? "cpu:     %s, %s family 0x%x model 0x%x stepping 0x%x, "
				    "microcode "
				  : "cpu:     %s, %s family %u model %u stepping %u, microcode ",
		 b->cpu.brand, b->cpu.vendor, b->cpu.family, b->cpu.model, b->cpu.stepping);
	if (b->cpu.microcode.known)
		text_add(&out->out, "0x%llx", (unsigned long long)b->cpu.microcode.value);
	else
		text_add(&out->out, "n/a");
	lines_wrap(out, LABELLED);
}

static void print_cores(struct lines *out, const struct record_begin *b)
{
	text_add(&out->out, "cores:   %u found, %u started, %u measured", b->cpus.found,
		 b->cpus.started, b->cpus.measured);
	if (b->cpus.apic_ids)
		text_add(&out->out, ", APIC ids %s", b->cpus.apic_ids);
	if (b->cpus.bringup_ns.known) {
		text_add(&out->out, ", up in ");
		text_duration(&out->out, b->cpus.bringup_ns.value);
	}
	lines_wrap(out, LABELLED);
}

static void print_clock(struct lines *out, const struct record_begin *b)
{
	const struct maybe step = b->clock.quantum;

	text_add(&out->out, "clock:   %llu Hz by %s, %sinvariant, smallest step ",
		 (unsigned long long)b->clock.hz, b->clock.source,
		 b->clock.invariant ? "" : "not ");
	text_maybe(&out->out, step);
	if (step.known)
		text_add(&out->out, step.value == 1 ? " tick" : " ticks");
	if (!b->clock.audited_by) {
		text_add(&out->out, ", no second clock to check it");
	} else {
		text_add(&out->out, ", checked by %s: ", b->clock.audited_by);
		text_maybe(&out->out, b->clock.audit_ppm);
		text_add(&out->out, " ppm apart");
	}
	lines_wrap(out, LABELLED);
}

static void put_text(struct lines *out, const void *record, const struct record_context *of)
{
	const struct record_begin *begin = record;

	(void)of;
	print_machine(out, begin);
	print_processor(out, begin);
	print_cores(out, begin);
	print_clock(out, begin);
	if (begin->began) {
		text_add(&out->out, "began:   %s", begin->began);
		lines_wrap(out, LABELLED);
	}
}

const struct record_kind begin_record_kind = { .text = put_text };
