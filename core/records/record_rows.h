/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of all record types: a field's name, storage and meaning. Included with ROW, OPEN,
 * CLOSE, RECORD and END defined, once for each table made of them: record_field.c uses what the
 * probe needs, record_doc.c the rest. No include guard: it is included several times. THIS is the
 * tag of the type's struct.
 *
 * A row: kind, member, role, unit, help. SUM, MAX: it has a total over several records. COLUMN:
 * text output has a column for it, with a label; its name in Prometheus is noisefloor_<family>.
 */

#ifdef ROW

/* ROW(kind, member, name, key, role, total, unit, label, if_any, series, family, help) */
#define FIELD(kind, member, role, unit, help) \
	ROW(kind, member, #member, false, role, NONE, unit, NULL, false, NULL, NULL, help)
#define KEY(kind, member, role, unit, help) \
	ROW(kind, member, #member, true, role, NONE, unit, NULL, false, NULL, NULL, help)
#define SUM(kind, member, role, unit, help) \
	ROW(kind, member, #member, false, role, SUM, unit, NULL, false, NULL, NULL, help)
#define MAX(kind, member, role, unit, help) \
	ROW(kind, member, #member, false, role, MAX, unit, NULL, false, NULL, NULL, help)
#define COLUMN(kind, member, total, role, unit, label, family, help) \
	ROW(kind, member, #member, false, role, total, unit, label, false, NULL, family, help)
/* Shown if it is not 0. */
#define COLUMN_IF_ANY(kind, member, total, role, unit, label, family, help) \
	ROW(kind, member, #member, false, role, total, unit, label, true, NULL, family, help)
/* In an object; AS: under another name in InfluxDB, where there are no objects. */
#define INNER(kind, outer, member, role, unit, help) \
	ROW(kind, outer.member, #member, false, role, NONE, unit, NULL, false, NULL, NULL, help)
#define INNER_AS(kind, outer, member, series, role, unit, help) \
	ROW(kind, outer.member, #member, false, role, NONE, unit, NULL, false, series, NULL, help)

/* clang-format off */
#define THIS record_begin
RECORD(begin, "The machine, the clock and the configuration: the first record of a run.")
	FIELD(STRING, version, TAG, NONE, "Version of noisefloor.")
	FIELD(STRING, arch, NONE, NONE,
	      "The processor's architecture: `x86_64` (also when null), or `aarch64`, which "
	      "has neither SMIs nor NMIs, and no record the fields named after them.")
	OPEN(machine)
		INNER(STRING, machine, vendor, TAG, NONE,
		      "The machine's manufacturer, from SMBIOS.")
		INNER(STRING, machine, product, TAG, NONE, "Its product name.")
		INNER(STRING, machine, board, NONE, NONE, "Its board.")
		INNER(STRING, machine, bios_vendor, NONE, NONE, "Vendor of the firmware.")
		INNER(STRING, machine, bios_version, TAG, NONE, "Version of the firmware.")
		INNER(STRING, machine, bios_date, TAG, NONE, "Date of the firmware.")
		INNER(STRING, machine, uuid, TAG, NONE, "The machine's UUID.")
	CLOSE
	OPEN(cpu)
		INNER(STRING, cpu, vendor, NONE, NONE, "Vendor of the processor, from CPUID.")
		INNER_AS(STRING, cpu, brand, "cpu", TAG, NONE, "Its brand string.")
		INNER(U32, cpu, family, NONE, NONE, "Family.")
		INNER(U32, cpu, model, NONE, NONE, "Model.")
		INNER(U32, cpu, stepping, NONE, NONE, "Stepping.")
		INNER(MAYBE, cpu, microcode, VALUE, NONE, "Revision of the microcode.")
	CLOSE
	FIELD(STRING, hypervisor, TAG, NONE,
	      "The hypervisor that names itself, or `unknown`; null: none.")
	FIELD(STRING, os, NONE, NONE,
	      "The operating system it was measured from inside; null: none runs.")
	OPEN(cpus)
		INNER(U32, cpus, found, NONE, NONE,
		      "Cores enabled in the MADT and chosen by `cpus`.")
		INNER(U32, cpus, started, NONE, NONE, "Cores that answered.")
		INNER_AS(U32, cpus, measured, "cpus_measured", COUNT, NONE,
			 "Cores that take part in the windows.")
		INNER(STRING, cpus, apic_ids, NONE, NONE,
		      "Their APIC ids, as in `0-3,8`; null: too long a list.")
		INNER(MAYBE, cpus, bringup_ns, NONE, NS, "From the first INIT to the last core.")
	CLOSE
	OPEN(clock)
		INNER(U64, clock, hz, VALUE, HZ, "Rate of the TSC.")
		INNER(STRING, clock, source, NONE, NONE,
		      "`cpuid15` `cpuid16` `hypervisor` `hpet` `pmtimer` `rtc` `monotonic-raw`")
		INNER(BOOL, clock, invariant, NONE, NONE, "CPUID reports a constant rate.")
		INNER(U32, clock, quantum, NONE, TICKS, "Smallest step seen.")
		INNER(STRING, clock, audited_by, NONE, NONE,
		      "The second clock; null: there is none.")
		INNER(MAYBE, clock, audit_ppm, NONE, PPM, "Difference of the two.")
	CLOSE
	FIELD(STRINGS, evidence, NONE, NONE, "Kinds of evidence that the boot core believes.")
	FIELD(STRING, config, NONE, NONE, "The configuration in force: `key=value` ...")
	FIELD(U64, begin_tsc, NONE, TICKS, "TSC at the zero of all times in ns.")
	COLUMN(STRING, began, NONE, TAG, DATE, "began", NULL,
	       "The same in wall time, ISO 8601; null: the clock was not set.")
END
#undef THIS

#define THIS record_stage
RECORD(stage, "A stage begins: the state of the platform that it is measured in.")
	KEY(STRING, stage, TAG, NONE, "Name of the stage that begins.")
	FIELD(MAYBE, sci_en, NONE, NONE, "1: ACPI mode, events are SCIs; 0: they are SMIs.")
	FIELD(STRING, usb_owner, NONE, NONE,
	      "Of all USB controllers: `bios` owns one, else `os`, else `none`.")
	FIELD(STRING, usb, NONE, NONE, "Each USB controller: type, address, owner.")
	FIELD(STRING, chipset, NONE, NONE,
	      "What the SMI registers are decoded as; null: unknown.")
	FIELD(MAYBE, smi_en, NONE, NONE, "Intel: the register SMI_EN.")
	FIELD(STRING, smi_enabled, NONE, NONE,
	      "SMI sources that are enabled, by the chipset's names.")
	FIELD(MAYBE, smi_sts, NONE, NONE, "Intel: the register SMI_STS.")
	FIELD(STRING, smi_status, NONE, NONE, "SMI sources whose status is set.")
	FIELD(TIMERS, timers, NONE, NS, "Periods of the timers that raise SMIs, by name.")
	FIELD(STRING, tsc_adjust, NONE, NONE,
	      "TSC_ADJUST of each core; null if all are equal.")
	FIELD(STRING, firmware_first, NONE, NONE,
	      "Error sources that the firmware handles before the OS, by HEST: `MCE` `CMC` `AER` "
	      "`DMC`, `GHES:` with its notification (`SCI` ...); null: no HEST.")
END
#undef THIS

#define THIS record_window
RECORD(window, "A window has ended; in long runs, several neighbouring windows.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	KEY(U64, n, NONE, NONE, "Number of the first window, from 1.")
	SUM(U64, windows, COUNT, NONE, "Neighbouring windows in this record.")
	FIELD(U64, start_ns, NONE, NS, "Begin of the first one.")
	FIELD(U64, len_ns, TIME, NS, "Length, up to the end of the last one.")
	SUM(U64, gaps, COUNT, NONE, "Gaps of all cores.")
	SUM(U64, noise_ns, TIME, NS, "Sum of their lengths.")
	MAX(U64, max_ns, TIME, NS, "The longest of them.")
	SUM(MAYBE, smi, COUNT, NONE, "SMIs inside the window, all cores.")
	SUM(MAYBE, nmi, COUNT, NONE, "NMIs inside the window, all cores.")
	SUM(MAYBE, smi_out, COUNT, NONE, "SMIs since the window before, all cores.")
	SUM(MAYBE, nmi_out, COUNT, NONE, "NMIs since the window before, all cores.")
END
#undef THIS

#define THIS record_gap
RECORD(gap, "A gap of one core. `gaps` limits how many there are.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	KEY(U32, cpu, TAG, NONE, "Core.")
	FIELD(U64, start_tsc, NONE, TICKS, "TSC of the last sample before the gap.")
	FIELD(U64, ticks, NONE, TICKS, "Length.")
	FIELD(U64, t_ns, NONE, NS, "Start.")
	FIELD(U64, len_ns, TIME, NS, "Length.")
	FIELD(STRING, cause, TAG, NONE, "What caused it.")
	FIELD(MAYBE, smi, NONE, NONE, "SMIs counted across the gap.")
	FIELD(MAYBE, nmi, NONE, NONE, "NMIs counted across the gap.")
	FIELD(MAYBE, mce, NONE, NONE, "Machine checks counted across the gap; on AArch64 SErrors.")
	FIELD(STRING, why, NONE, NONE, "A sentence: the evidence, or what is missing.")
END
#undef THIS

#define THIS record_event
RECORD(event,
       "Gaps of one or several cores that overlap, merged. `gaps` limits how many there are.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	FIELD(U64, of, NONE, NONE, "Events of the stage, with or without a record.")
	KEY(U64, t_ns, NONE, NS, "Start of the first gap.")
	FIELD(U64, len_ns, TIME, NS, "Length, up to the end of the last gap.")
	FIELD(U64, gaps, COUNT, NONE, "Gaps in it.")
	FIELD(U32, cpus, COUNT, NONE, "Cores that were hit.")
	FIELD(STRING, list, NONE, NONE,
	      "Those cores, as in `0-3,8`; null if the list would be too long.")
	FIELD(U32, first, VALUE, NONE, "First core to enter.")
	FIELD(U32, last, VALUE, NONE, "Last core to leave.")
	FIELD(U64, skew_ns, TIME, NS, "From the first to the last core to enter.")
	FIELD(U64, end_skew_ns, TIME, NS, "From the first to the last core to leave.")
	FIELD(STRING, cause, TAG, NONE,
	      "Cause of more than half of the gaps' time; else `unknown`.")
	FIELD(CAUSES, causes, NONE, NONE, "Gaps and their time by cause.")
	FIELD(STRING, scope, TAG, NONE, "`cpu` `core` `package` `machine`; null: unknown.")
	FIELD(BOOL, partial, NONE, NONE, "Gaps may be missing: more cores may have been hit.")
END
#undef THIS

#define THIS record_cpu
RECORD(cpu, "A core at the end of a stage.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	ROW(U32, cpu, "cpu", true, TAG, NONE, NONE, "CPU", false, NULL, NULL, "Core.")
	FIELD(U32, apic_id, NONE, NONE, "Its APIC id.")
	FIELD(MAYBE, package, NONE, NONE, "Its package, as the processor or the PPTT numbers them.")
	FIELD(MAYBE, core, NONE, NONE, "Its core in the package.")
	FIELD(MAYBE, thread, NONE, NONE, "Its thread in the core.")
	FIELD(STRING, core_type, NONE, NONE, "`P` or `E`; null if all are of one type.")
	FIELD(STRING, proved, NONE, NONE,
	      "The self-test: `nmi, delay`, or what failed; null: not asked for.")
	FIELD(I64, tsc_offset, NONE, TICKS, "Its TSC against the boot core's.")
	FIELD(MAYBE, tsc_offset_bound, NONE, TICKS, "Error bound of `tsc_offset`.")
	COLUMN(U64, exposure_ns, SUM, TIME, LONG_NS, "runtime", "exposure",
	       "Time the core sampled.")
	COLUMN(U64, noise_ns, SUM, TIME, NS, "noise", "noise", "Sum of all gaps.")
	COLUMN(U64, max_ns, MAX, TIME, NS, "max", "max_gap", "The longest gap.")
	COLUMN(U64, gaps, SUM, COUNT, NONE, "gaps", "gaps", "Number of gaps.")
	COLUMN_IF_ANY(U64, dropped, SUM, COUNT, NONE, "dropped", "dropped",
		      "Gaps that did not fit into the list.")
	COLUMN(MAYBE, smi, SUM, COUNT, NONE, "SMI", "smis", "System management interrupts.")
	COLUMN(MAYBE, nmi, SUM, COUNT, NONE, "NMI", "nmis", "Non-maskable interrupts.")
	ROW(MAYBE, mce, "mce", false, COUNT, SUM, NONE, NULL, false, NULL, "mces",
	    "Machine checks.")
	SUM(MAYBE, smi_out, NONE, NONE, "SMIs between windows of the stage.")
	SUM(MAYBE, nmi_out, NONE, NONE, "NMIs between windows of the stage.")
	SUM(CAUSES, cause, COUNT, NONE, "Gaps and their time by cause.")
	FIELD(U64, interval_p50, NONE, TICKS, "Time between samples, median.")
	FIELD(U64, interval_p999, NONE, TICKS, "Time between samples, 99.9th percentile.")
	FIELD(PAIRS, histogram, NONE, NONE, "Lengths of all gaps: `[low_ns, count]`, ...")
END
#undef THIS

#define THIS record_source
RECORD(source, "Events that recur with a period.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	FIELD(STRING, cause, TAG, NONE, "Cause of the gaps that were searched.")
	KEY(U64, period_ns, TIME, NS, "Period.")
	FIELD(U64, jitter_ns, TIME, NS, "Deviation of its events from the period.")
	FIELD(U32, fill_ppm, VALUE, PPM, "Share of the visible slots that have an event.")
	FIELD(U64, events, COUNT, NONE, "Events of the source.")
	FIELD(I64, chance_milli, VALUE, NONE,
	      "log10 of the probability of a false alarm, in thousandths.")
	FIELD(STRING, origin, TAG, NONE, "The enabled timer that it is likely to be.")
	FIELD(STRING, hint, NONE, NONE, "What else has this period.")
END
#undef THIS

#define THIS record_pause
RECORD(pause, "Time that the TSC did not count, or counted in excess.")
	FIELD(STRING, stage, TAG, NONE, "Stage.")
	FIELD(U64, from_ns, NONE, NS, "It began after this.")
	FIELD(U64, until_ns, NONE, NS, "It ended before this.")
	FIELD(U64, least_ns, TIME, NS, "Its length at least.")
	FIELD(U64, most_ns, TIME, NS, "Its length at most.")
	FIELD(U64, pauses, COUNT, NONE, "Pauses taken together.")
	FIELD(U64, worst_ns, TIME, NS, "The longest of several, at least.")
	FIELD(BOOL, forward, VALUE, NONE,
	      "The TSC ran ahead; else it stood still or was set back.")
	FIELD(STRING, clock, TAG, NONE, "The clock that saw it.")
END
#undef THIS

#define THIS record_log
RECORD(log, "A message.")
	FIELD(STRING, level, NONE, NONE,
	      "`info` `warning` `error`; `trace`: of Linux, around the gap that ended a run.")
	FIELD(STRING, text, NONE, NONE, "A sentence.")
END
#undef THIS

#define THIS record_end
RECORD(end, "The verdict: the last record of a run.")
	FIELD(STRING, verdict, TAG, NONE, "`pass` `fail` `none` `incomplete` `error`")
	FIELD(STRINGS, reasons, NONE, NONE, "Why.")
	FIELD(STRING, remark, TAG, NONE,
	      "Of a `pass` that is shorter than its preset's publisher requires: a sentence.")
	FIELD(MAYBE, sampled_ns, TIME, LONG_NS,
	      "Length of all windows of a stage; of several stages, of the shortest.")
	FIELD(MAYBE, watched_ppm, VALUE, PPM,
	      "Share of the time that was sampled, first to last window.")
	FIELD(TOTALS, records, NONE, NONE,
	      "Records sent on this link, by type, including this one.")
	FIELD(U64, gaps_unsent, COUNT, NONE, "Gap records left out by `gaps`, or dropped.")
	FIELD(MAYBE, events_unsent, NONE, NONE, "Event records left out by `gaps`.")
END
#undef THIS

#define THIS record_stretch
RECORD(stretch,
       "With `mode=stretch`: how much longer a quantum of work took than this core's best of the "
       "kernel, in one phase.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	KEY(STRING, kernel, TAG, NONE, "What the work is: `adds` `l2` `llc` `dram` `fma`.")
	KEY(STRING, phase, TAG, NONE,
	    "Who works besides: `alone` nobody, `all` cores, `siblings` the core's threads, "
	    "`victims` each group of cores in turn.")
	KEY(U32, cpu, TAG, NONE, "Core.")
	FIELD(U64, quanta, COUNT, NONE, "Quanta measured.")
	FIELD(U64, work, NONE, NONE, "Additions, loads, lines or multiplications in one.")
	FIELD(U64, best, NONE, TICKS, "The core's quickest quantum, of all phases.")
	FIELD(U64, p50, VALUE, PPM, "The median above the best: 50000 is 1.05 times.")
	FIELD(U64, p90, VALUE, PPM, "90 % of the quanta took no longer.")
	FIELD(U64, p99, VALUE, PPM, "99 %.")
	FIELD(U64, p999, VALUE, PPM, "99.9 %; `max_stretch` limits it.")
	FIELD(U64, max, VALUE, PPM, "The longest.")
	FIELD(U64, mean, VALUE, PPM, "The mean.")
	FIELD(MAYBE, gaps, VALUE, PPM,
	      "Factors of the mean, 1000000 is 1: all time over that outside gaps.")
	FIELD(MAYBE, clock, VALUE, PPM, "The core's clock at best over that in the mean.")
	FIELD(MAYBE, cpi, VALUE, PPM, "Cycles per instruction in the mean over those at best.")
	FIELD(MAYBE, rest, VALUE, PPM, "What these leave of it, null ones included.")
	FIELD(PAIRS, hist, NONE, NONE, "All quanta: `[ppm above the best, count]`, ...")
	FIELD(PAIRS, course, NONE, NONE,
	      "The clock's course, empty where it is not counted: when each turn ended, and APERF "
	      "over MPERF in its quanta without a gap, `[ns, ppm]`, ...")
	FIELD(PAIRS, throttled, NONE, NONE,
	      "Turns in which the core newly logged that it throttles, of all phases, `[ns, bits]`,"
	      " ...: 1 thermal, 2 PROCHOT, 4 critical, 8 power limit, 16 current limit, "
	      "32 another domain. Logs stay set, so a further time may be missing.")
END
#undef THIS

#define THIS record_interfere
RECORD(interfere, "With `mode=stretch`: what a core at work does to another.")
	KEY(STRING, stage, TAG, NONE, "Stage.")
	KEY(STRING, kernel, TAG, NONE, "What both do.")
	KEY(U32, victim, TAG, NONE, "The core that was measured.")
	KEY(U32, aggressor, TAG, NONE, "The core at work, or the first of a group.")
	FIELD(STRING, group, TAG, NONE,
	      "What the group shares: `core` `cache` `package`; null: one core, or neighbours.")
	FIELD(U64, ratio, VALUE, PPM,
	      "The victim's median, gaps taken out, over that alone; 1000000 is 1.")
	FIELD(U64, bound, VALUE, PPM,
	      "That chance gives more in any pair of the kernel is less likely than 1 %.")
END
#undef THIS

/* The longest gap of a cause. */
#define LONGEST(cause, text) \
	ROW(MAYBE, longest[cause], text, false, NONE, NONE, NS, NULL, false, NULL, NULL, \
	    "Of `" text "`.")

#define THIS record_summary
RECORD(summary, "The run in one record, right before `end`; the code on the screen has the same.")
	FIELD(STRING, verdict, NONE, NONE, "`pass` `fail` `none` `incomplete` `error`")
	FIELD(MAYBE, sampled_ns, NONE, LONG_NS,
	      "Length of all windows of a stage; of several stages, of the shortest.")
	FIELD(STRING, remark, NONE, NONE, "Of a `pass`: what it lacks; null: nothing.")
	FIELD(STRING, version, NONE, NONE, "Version of noisefloor.")
	FIELD(STRING, arch, NONE, NONE, "The processor's architecture.")
	FIELD(STRING, began, NONE, DATE, "When it began, ISO 8601; null: the clock was not set.")
	OPEN(machine)
		INNER(STRING, machine, vendor, NONE, NONE, "The machine's manufacturer.")
		INNER(STRING, machine, product, NONE, NONE, "Its product name.")
		INNER(STRING, machine, board, NONE, NONE, "Its board.")
		INNER(STRING, machine, bios_vendor, NONE, NONE, "Vendor of the firmware.")
		INNER(STRING, machine, bios_version, NONE, NONE, "Version of the firmware.")
		INNER(STRING, machine, bios_date, NONE, NONE, "Date of the firmware.")
		INNER(STRING, machine, uuid, NONE, NONE, "The machine's UUID.")
	CLOSE
	FIELD(STRING, cpu, NONE, NONE, "The processor's brand string.")
	FIELD(MAYBE, microcode, NONE, NONE, "Revision of its microcode.")
	FIELD(STRING, hypervisor, NONE, NONE, "The hypervisor; null: none.")
	FIELD(STRING, os, NONE, NONE, "The operating system it was measured from inside.")
	FIELD(U32, found, NONE, NONE, "Cores that `cpus` chose.")
	FIELD(U32, measured, NONE, NONE, "Cores that were measured.")
	FIELD(STRING, stages, NONE, NONE, "Stages that were measured, as in `bare,handoff`.")
	FIELD(STRING, limits, NONE, NONE, "Limits: `key=value` ...; null: none was set.")
	FIELD(U64, threshold_ns, NONE, NS, "The shortest gap that was recorded.")
	FIELD(U64, exposure_ns, NONE, LONG_NS,
	      "Time sampled, of all cores in all stages; so are those below.")
	FIELD(U64, gaps, NONE, NONE, "Number of gaps.")
	FIELD(U64, noise_ns, NONE, NS, "Sum of all gaps.")
	FIELD(MAYBE, smi, NONE, NONE, "System management interrupts.")
	FIELD(MAYBE, nmi, NONE, NONE, "Non-maskable interrupts.")
	FIELD(MAYBE, mce, NONE, NONE, "Machine checks.")
	FIELD(U64, longest_ns, NONE, NS, "The longest gap; 0: there was none.")
	FIELD(U32, longest_cpu, NONE, NONE, "Its core.")
	FIELD(STRING, longest_stage, NONE, NONE, "Its stage.")
	FIELD(STRING, longest_cause, NONE, NONE, "Its cause; null: not known any more.")
	FIELD(CAUSES, cause, NONE, NONE, "Gaps and their time by cause.")
	OPEN(longest)
		LONGEST(CAUSE_SMI, "smi")
		LONGEST(CAUSE_NMI, "nmi")
		LONGEST(CAUSE_MCE, "mce")
		LONGEST(CAUSE_EL3, "el3")
		LONGEST(CAUSE_HYPERVISOR, "hypervisor")
		LONGEST(CAUSE_SERROR, "serror")
		LONGEST(CAUSE_STEAL, "steal")
		LONGEST(CAUSE_STOPPED, "stopped")
		LONGEST(CAUSE_STALL, "stall")
		LONGEST(CAUSE_UNKNOWN, "unknown")
	CLOSE
	FIELD(MAYBE, stretch, NONE, PPM, "With `mode=stretch`: the worst p99.9; 1000000 is 1.")
END
#undef THIS
#undef LONGEST
/* clang-format on */

#undef FIELD
#undef KEY
#undef SUM
#undef MAX
#undef COLUMN
#undef COLUMN_IF_ANY
#undef INNER
#undef INNER_AS
#undef ROW
#undef OPEN
#undef CLOSE
#undef RECORD
#undef END

#endif
