/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines around the table. */
#include "table_lines.h"

#include "core/lib/arith.h"
#include "core/lib/mem.h"
#include "core/records/record_field.h"

#define LABEL_WIDTH 8                 /* a label of a run and the blanks behind its colon */
#define LABELLED    (LABEL_WIDTH + 1) /* where what has a label starts */

void table_page_init(struct table_page *p, table_line *line, void *ctx)
{
	text_init(&p->out, p->buf, sizeof(p->buf));
	p->line = line;
	p->ctx = ctx;
}

void table_end_line(struct table_page *p)
{
	p->line(p->ctx, p->out.buf, p->out.len);
	text_reset(&p->out);
}

/* The last blank up to which the line fits, behind a mark if it has one there; 0: none. */
static size_t break_of(const char *line, size_t indent)
{
	size_t blank = 0;

	for (size_t i = TABLE_COLUMNS; i > indent; i--) {
		if (line[i] != ' ')
			continue;
		if (line[i - 1] == ',' || line[i - 1] == ';' || line[i - 1] == ':')
			return i;
		blank = blank ? blank : i;
	}
	return blank;
}

void table_end_prose(struct table_page *p, unsigned indent)
{
	size_t at;

	while (p->out.len > TABLE_COLUMNS && (at = break_of(p->buf, indent)) != 0) {
		size_t rest = p->out.len - at - 1;

		p->buf[at] = '\0';
		p->line(p->ctx, p->buf, at);
		memmove(p->buf + indent, p->buf + at + 1, rest + 1);
		memset(p->buf, ' ', indent);
		p->out.len = indent + rest;
	}
	table_end_line(p);
}

void table_maybe(struct text *t, struct maybe m)
{
	if (m.known)
		text_fixed(t, m.value, 0, 0);
	else
		text_add(t, "n/a");
}

static void add_length(struct text *out, const char *label, uint64_t ns)
{
	text_add(out, "  %s ", label);
	text_duration(out, ns);
}

void table_window(struct text *out, const struct record_window *w, uint64_t of, bool no_smi)
{
	text_add(out, "  %llu", (unsigned long long)w->n);
	if (w->windows > 1)
		text_add(out, "-%llu", (unsigned long long)w->n + w->windows - 1);
	if (of)
		text_add(out, "/%llu", (unsigned long long)of);
	text_add(out, "  %llu %s in ", (unsigned long long)w->gaps, w->gaps == 1 ? "gap" : "gaps");
	text_duration(out, w->len_ns);
	if (w->gaps) {
		add_length(out, "max", w->max_ns);
		add_length(out, "summed noise", w->noise_ns);
	}
	if (no_smi)
		return;
	text_add(out, "  smi ");
	table_maybe(out, w->smi);
	text_add(out, "  nmi ");
	table_maybe(out, w->nmi);
}

void table_platform(struct text *out, const struct record_begin *begin)
{
	const char *hypervisor = begin->hypervisor;

	if (begin->os)
		text_add(out,
			 "Measured from inside %s, interrupts on: gaps come from the OS and below.",
			 begin->os);
	else if (hypervisor && *hypervisor)
		text_add(out,
			 "A hypervisor (%s) is underneath: gaps of unknown cause are likely the "
			 "host's.",
			 hypervisor);
	else
		text_add(out,
			 "No hypervisor announces itself: gaps come from hardware or firmware.");
}

void table_watched(struct text *out, const struct record_end *end)
{
	text_add(out, "watched ");
	if (end->watched_ppm.known)
		text_fixed(out, end->watched_ppm.value, 4, 0);
	else
		text_add(out, "n/a");
	text_add(out, " %% of the time, first to last window");
}

void table_verdict(struct text *out, const struct record_end *end)
{
	const char *before = " (";
	size_t i;

	text_add(out, "verdict: %s", end->verdict);
	for (i = 0; i < RECORD_STRINGS && end->reasons[i]; i++) {
		text_add(out, "%s%s", before, end->reasons[i]);
		before = "; ";
	}
	if (i)
		text_char(out, ')');
	if (end->remark)
		text_add(out, ", but %s", end->remark);
}

/* Without SMBIOS, or inside Linux without the right to read it, nothing of it is known. */
static bool is_known(const struct record_begin *b)
{
	return b->machine.vendor || b->machine.product || b->machine.board ||
	       b->machine.bios_vendor || b->machine.bios_version || b->machine.bios_date;
}

static void print_machine(struct table_page *p, const struct record_begin *b)
{
	text_add(&p->out, "machine: ");
	if (is_known(b))
		text_add(&p->out, "%s %s, board %s, BIOS %s %s of %s", b->machine.vendor,
			 b->machine.product, b->machine.board, b->machine.bios_vendor,
			 b->machine.bios_version, b->machine.bios_date);
	else
		text_add(&p->out, "n/a");
	table_end_prose(p, LABELLED);
}

static void print_processor(struct table_page *p, const struct record_begin *b)
{
	/* Arm's are MIDR_EL1's: implementer, part, variant and revision, which manuals have in hex.
	 */
	text_add(&p->out,
		 record_no_smi(b) ? "cpu:     %s, %s family 0x%x model 0x%x stepping 0x%x, "
				    "microcode "
				  : "cpu:     %s, %s family %u model %u stepping %u, microcode ",
		 b->cpu.brand, b->cpu.vendor, b->cpu.family, b->cpu.model, b->cpu.stepping);
	if (b->cpu.microcode.known)
		text_add(&p->out, "0x%llx", (unsigned long long)b->cpu.microcode.value);
	else
		text_add(&p->out, "n/a");
	table_end_prose(p, LABELLED);
}

static void print_cores(struct table_page *p, const struct record_begin *b)
{
	text_add(&p->out, "cores:   %u found, %u started, %u measured", b->cpus.found,
		 b->cpus.started, b->cpus.measured);
	if (b->cpus.apic_ids)
		text_add(&p->out, ", APIC ids %s", b->cpus.apic_ids);
	if (b->cpus.bringup_ns.known) {
		text_add(&p->out, ", up in ");
		text_duration(&p->out, b->cpus.bringup_ns.value);
	}
	table_end_prose(p, LABELLED);
}

static void print_clock(struct table_page *p, const struct record_begin *b)
{
	text_add(&p->out, "clock:   %llu Hz by %s, %sinvariant, smallest step %u tick%s",
		 (unsigned long long)b->clock.hz, b->clock.source, b->clock.invariant ? "" : "not ",
		 b->clock.quantum, b->clock.quantum == 1 ? "" : "s");
	if (!b->clock.audited_by) {
		text_add(&p->out, ", no second clock to check it");
	} else {
		text_add(&p->out, ", checked by %s: ", b->clock.audited_by);
		table_maybe(&p->out, b->clock.audit_ppm);
		text_add(&p->out, " ppm apart");
	}
	table_end_prose(p, LABELLED);
}

/* What has a label, where it is known. */
static void print_labelled(struct table_page *p, const struct record_begin *b)
{
	const struct record_field *column[RECORD_FIELDS_MAX];
	size_t columns = record_columns(RECORD_BEGIN, false, column);

	for (size_t i = 0; i < columns; i++) {
		struct maybe m = record_field_number(column[i], b);
		const char *s = column[i]->kind == FIELD_STRING ? record_field_string(column[i], b)
								: NULL;

		if (!s && !m.known)
			continue;
		text_add(&p->out, "%s:%*s", column[i]->label,
			 (int)arith_less(LABEL_WIDTH, strlen(column[i]->label)), "");
		if (s)
			text_add(&p->out, "%s", s);
		else
			text_fixed(&p->out, m.value, 0, 0);
		table_end_prose(p, LABELLED);
	}
}

void table_begin(const struct record_begin *begin, table_line *line, void *ctx)
{
	struct table_page p;

	table_page_init(&p, line, ctx);
	print_machine(&p, begin);
	print_processor(&p, begin);
	print_cores(&p, begin);
	print_clock(&p, begin);
	print_labelled(&p, begin);
}

/* ---- The state of the platform ---- */

static void print_modes(struct table_page *p, const struct record_stage *s)
{
	if (s->sci_en.known)
		text_add(&p->out, "  ACPI mode %s (SCI_EN %u)", s->sci_en.value ? "on" : "off",
			 s->sci_en.value != 0);
	if (s->usb_owner)
		text_add(&p->out, "  USB owner %s: %s", s->usb_owner, s->usb);
	if (p->out.len)
		table_end_prose(p, TABLE_CONTINUED);
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
	table_end_prose(p, TABLE_CONTINUED);
	if (s->smi_status && s->smi_status[0]) {
		text_add(&p->out, "  SMI status set: %s", s->smi_status);
		table_end_prose(p, TABLE_CONTINUED);
	}
}

static void print_tsc_adjust(struct table_page *p, const struct record_stage *s)
{
	if (!s->tsc_adjust)
		return;
	text_add(&p->out, "  TSC_ADJUST differs: %s", s->tsc_adjust);
	table_end_prose(p, TABLE_CONTINUED);
}

void table_stage(const struct record_stage *stage, table_line *line, void *ctx)
{
	struct table_page p;

	table_page_init(&p, line, ctx);
	print_modes(&p, stage);
	print_sources(&p, stage);
	print_tsc_adjust(&p, stage);
}
