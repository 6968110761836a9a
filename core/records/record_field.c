/* SPDX-License-Identifier: BSD-2-Clause */
/* The field tables of all record types. */
#include "record_field.h"

static const char *const type_names[RECORD_TYPES] = {
	[RECORD_BEGIN] = "begin",   [RECORD_STAGE] = "stage", [RECORD_WINDOW] = "window",
	[RECORD_GAP] = "gap",       [RECORD_EVENT] = "event", [RECORD_CPU] = "cpu",
	[RECORD_SOURCE] = "source", [RECORD_PAUSE] = "pause", [RECORD_LOG] = "log",
	[RECORD_END] = "end",
};

/* clang-format off */
#define FIELD(kind, record, member) { #member, FIELD_##kind, false, offsetof(struct record, member) }
#define KEY(kind, record, member)   { #member, FIELD_##kind, true, offsetof(struct record, member) }
#define INNER(kind, record, outer, member) \
	{ #member, FIELD_##kind, false, offsetof(struct record, outer.member) }
#define OPEN(name) { #name, FIELD_OPEN, false, 0 }
#define CLOSE      { NULL, FIELD_CLOSE, false, 0 }
#define END        { NULL, FIELD_END, false, 0 }

static const struct record_field begin_fields[] = {
	FIELD(STRING, record_begin, version),
	OPEN(machine),
		INNER(STRING, record_begin, machine, vendor),
		INNER(STRING, record_begin, machine, product),
		INNER(STRING, record_begin, machine, board),
		INNER(STRING, record_begin, machine, bios_vendor),
		INNER(STRING, record_begin, machine, bios_version),
		INNER(STRING, record_begin, machine, bios_date),
		INNER(STRING, record_begin, machine, uuid),
	CLOSE,
	OPEN(cpu),
		INNER(STRING, record_begin, cpu, vendor),
		INNER(STRING, record_begin, cpu, brand),
		INNER(U32, record_begin, cpu, family),
		INNER(U32, record_begin, cpu, model),
		INNER(U32, record_begin, cpu, stepping),
		INNER(MAYBE, record_begin, cpu, microcode),
	CLOSE,
	FIELD(STRING, record_begin, hypervisor),
	FIELD(STRING, record_begin, os),
	OPEN(cpus),
		INNER(U32, record_begin, cpus, found),
		INNER(U32, record_begin, cpus, started),
		INNER(U32, record_begin, cpus, measured),
		INNER(STRING, record_begin, cpus, apic_ids),
		INNER(MAYBE, record_begin, cpus, bringup_ns),
	CLOSE,
	OPEN(clock),
		INNER(U64, record_begin, clock, hz),
		INNER(STRING, record_begin, clock, source),
		INNER(BOOL, record_begin, clock, invariant),
		INNER(U32, record_begin, clock, quantum),
		INNER(STRING, record_begin, clock, audited_by),
		INNER(MAYBE, record_begin, clock, audit_ppm),
	CLOSE,
	FIELD(STRINGS, record_begin, evidence),
	FIELD(STRING, record_begin, config),
	FIELD(U64, record_begin, begin_tsc),
	END,
};

static const struct record_field stage_fields[] = {
	KEY(STRING, record_stage, stage),
	FIELD(MAYBE, record_stage, sci_en),
	FIELD(STRING, record_stage, usb_owner),
	FIELD(STRING, record_stage, usb),
	FIELD(STRING, record_stage, chipset),
	FIELD(MAYBE, record_stage, smi_en),
	FIELD(STRING, record_stage, smi_enabled),
	FIELD(MAYBE, record_stage, smi_sts),
	FIELD(STRING, record_stage, smi_status),
	FIELD(TIMERS, record_stage, timers),
	FIELD(STRING, record_stage, tsc_adjust),
	END,
};

static const struct record_field window_fields[] = {
	KEY(STRING, record_window, stage),
	KEY(U64, record_window, n),
	FIELD(U64, record_window, windows),
	FIELD(U64, record_window, start_ns),
	FIELD(U64, record_window, len_ns),
	FIELD(U64, record_window, gaps),
	FIELD(U64, record_window, noise_ns),
	FIELD(U64, record_window, max_ns),
	FIELD(MAYBE, record_window, smi),
	FIELD(MAYBE, record_window, nmi),
	FIELD(MAYBE, record_window, smi_out),
	FIELD(MAYBE, record_window, nmi_out),
	END,
};

static const struct record_field gap_fields[] = {
	KEY(STRING, record_gap, stage),
	KEY(U32, record_gap, cpu),
	FIELD(U64, record_gap, start_tsc),
	FIELD(U64, record_gap, ticks),
	FIELD(U64, record_gap, t_ns),
	FIELD(U64, record_gap, len_ns),
	FIELD(STRING, record_gap, cause),
	FIELD(MAYBE, record_gap, smi),
	FIELD(MAYBE, record_gap, nmi),
	FIELD(MAYBE, record_gap, mce),
	FIELD(STRING, record_gap, why),
	END,
};

static const struct record_field event_fields[] = {
	KEY(STRING, record_event, stage),
	FIELD(U64, record_event, of),
	KEY(U64, record_event, t_ns),
	FIELD(U64, record_event, len_ns),
	FIELD(U64, record_event, gaps),
	FIELD(U32, record_event, cpus),
	FIELD(STRING, record_event, list),
	FIELD(U32, record_event, first),
	FIELD(U32, record_event, last),
	FIELD(U64, record_event, skew_ns),
	FIELD(U64, record_event, end_skew_ns),
	FIELD(STRING, record_event, cause),
	FIELD(CAUSES, record_event, causes),
	FIELD(STRING, record_event, scope),
	FIELD(BOOL, record_event, partial),
	END,
};

static const struct record_field cpu_fields[] = {
	KEY(STRING, record_cpu, stage),
	KEY(U32, record_cpu, cpu),
	FIELD(U32, record_cpu, apic_id),
	FIELD(MAYBE, record_cpu, package),
	FIELD(MAYBE, record_cpu, core),
	FIELD(MAYBE, record_cpu, thread),
	FIELD(STRING, record_cpu, core_type),
	FIELD(STRING, record_cpu, proved),
	FIELD(I64, record_cpu, tsc_offset),
	FIELD(MAYBE, record_cpu, tsc_offset_bound),
	FIELD(U64, record_cpu, exposure_ns),
	FIELD(U64, record_cpu, noise_ns),
	FIELD(U64, record_cpu, max_ns),
	FIELD(U64, record_cpu, gaps),
	FIELD(U64, record_cpu, dropped),
	FIELD(MAYBE, record_cpu, smi),
	FIELD(MAYBE, record_cpu, nmi),
	FIELD(MAYBE, record_cpu, mce),
	FIELD(MAYBE, record_cpu, smi_out),
	FIELD(MAYBE, record_cpu, nmi_out),
	FIELD(CAUSES, record_cpu, cause),
	FIELD(U64, record_cpu, interval_p50),
	FIELD(U64, record_cpu, interval_p999),
	FIELD(PAIRS, record_cpu, histogram),
	END,
};

static const struct record_field source_fields[] = {
	KEY(STRING, record_source, stage),
	FIELD(STRING, record_source, cause),
	KEY(U64, record_source, period_ns),
	FIELD(U64, record_source, jitter_ns),
	FIELD(U32, record_source, fill_ppm),
	FIELD(U64, record_source, events),
	FIELD(I64, record_source, chance_milli),
	FIELD(STRING, record_source, origin),
	FIELD(STRING, record_source, hint),
	END,
};

static const struct record_field pause_fields[] = {
	FIELD(STRING, record_pause, stage),
	FIELD(U64, record_pause, from_ns),
	FIELD(U64, record_pause, until_ns),
	FIELD(U64, record_pause, least_ns),
	FIELD(U64, record_pause, most_ns),
	FIELD(U64, record_pause, pauses),
	FIELD(U64, record_pause, worst_ns),
	FIELD(BOOL, record_pause, forward),
	FIELD(STRING, record_pause, clock),
	END,
};

static const struct record_field log_fields[] = {
	FIELD(STRING, record_log, level),
	FIELD(STRING, record_log, text),
	END,
};

static const struct record_field end_fields[] = {
	FIELD(STRING, record_end, verdict),
	FIELD(STRINGS, record_end, reasons),
	FIELD(MAYBE, record_end, watched_ppm),
	FIELD(TOTALS, record_end, records),
	FIELD(U64, record_end, gaps_unsent),
	FIELD(MAYBE, record_end, events_unsent),
	END,
};

/* clang-format on */

static const struct record_field *const fields_of[RECORD_TYPES] = {
	[RECORD_BEGIN] = begin_fields,   [RECORD_STAGE] = stage_fields,
	[RECORD_WINDOW] = window_fields, [RECORD_GAP] = gap_fields,
	[RECORD_EVENT] = event_fields,   [RECORD_CPU] = cpu_fields,
	[RECORD_SOURCE] = source_fields, [RECORD_PAUSE] = pause_fields,
	[RECORD_LOG] = log_fields,       [RECORD_END] = end_fields,
};

const char *record_type_name(enum record_type type)
{
	return type_names[type];
}

const struct record_field *record_fields(enum record_type type)
{
	return fields_of[type];
}
