/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All records, a block each, and their fields, a row each: the members of the structs in record.h,
 * the tables of record_field.c and the documentation that mk/tables.c prints are made of this. No
 * include guard: it is included after macros, of which those that are not defined come to nothing.
 *
 * RECORD(id, name, about) RECORD_END(name)  a type: RECORD_<id>, struct record_<name>
 * FIELD(kind, member, help, ...)            kind: enum record_field_kind
 * NAMED(kind, member, name, help, ...)      its name is not the member's, which OPEN_AS() declares
 * METRIC(kind, member, family, help, ...)   in Prometheus it is noisefloor_<family>
 * OPEN(member) INNER(kind, member, inner, help, ...) CLOSE(member)  an object of fields
 * OPEN_AS(name, declaration) CLOSE_AS(name) an object of NAMED() fields, whose struct is known
 * HIDDEN(declaration)                       a member that is no field
 *
 * What else there is of a field by name:
 *	ROLE(TAG, COUNT, TIME, VALUE): of a series; a field without one is in no series.
 *	TOTAL(SUM, MAX): over several records.
 *	UNIT(NS, LONG_NS, TICKS, HZ, PPM, DATE)
 *	.key, .label, .if_any, .on_smi: struct record_field.
 */
#ifndef RECORD
#define RECORD(id, name, about)
#endif
#ifndef RECORD_END
#define RECORD_END(name)
#endif
#ifndef FIELD
#define FIELD(kind, member, help, ...)
#endif
#ifndef NAMED
#define NAMED(kind, member, name, help, ...)
#endif
#ifndef METRIC
#define METRIC(kind, member, family, help, ...) FIELD(kind, member, help, __VA_ARGS__)
#endif
#ifndef INNER
#define INNER(kind, outer, member, help, ...)
#endif
#ifndef OPEN
#define OPEN(member)
#define CLOSE(member)
#endif
#ifndef OPEN_AS
#define OPEN_AS(name, declaration) OPEN(name)
#define CLOSE_AS(name)             CLOSE(name)
#endif
#ifndef HIDDEN
#define HIDDEN(declaration)
#endif

/* For the fields of counted_rows.h: only those of kind INTERRUPT. */
#define ON_INTERRUPT(field) field
#define ON_ERROR(field)
#define IS_INTERRUPT true
#define IS_ERROR     false

/* clang-format off */

RECORD(BEGIN, begin, "The machine, the clock and the configuration: the first record of a run.")
FIELD(STRING, version, "Version of noisefloor.", ROLE(TAG))
FIELD(STRING, arch,
      "The processor's architecture: `x86_64` (also when null), or `aarch64`, "
      "which has neither SMIs nor NMIs, and no record the fields named after them.")
FIELD(STRING, door,
      "How the probe was started: `uefi`; `pvh`, without firmware; `linux`, as kexec does; null: a "
      "run under an OS.")
OPEN_AS(machine, struct record_machine machine)
NAMED(STRING, machine.vendor, "vendor", "The machine's manufacturer, from SMBIOS.", ROLE(TAG))
NAMED(STRING, machine.product, "product", "Its product name.", ROLE(TAG))
NAMED(STRING, machine.board, "board", "Its board.")
NAMED(STRING, machine.bios_vendor, "bios_vendor", "Vendor of the firmware.")
NAMED(STRING, machine.bios_version, "bios_version", "Version of the firmware.", ROLE(TAG))
NAMED(STRING, machine.bios_date, "bios_date", "Date of the firmware.", ROLE(TAG))
NAMED(STRING, machine.uuid, "uuid", "The machine's UUID.", ROLE(TAG))
CLOSE_AS(machine)
OPEN(cpu)
INNER(STRING, cpu, vendor, "Vendor of the processor, from CPUID.")
INNER(STRING, cpu, brand, "Its brand string.", ROLE(TAG))
INNER(U32, cpu, family, "Family.")
INNER(U32, cpu, model, "Model.")
INNER(U32, cpu, stepping, "Stepping.")
INNER(MAYBE, cpu, microcode, "Revision of the microcode.", ROLE(VALUE))
CLOSE(cpu)
FIELD(STRING, hypervisor, "The hypervisor that names itself, or `unknown`; null: none.", ROLE(TAG))
FIELD(STRING, serial,
      "The serial port that output goes to, and who names it, as in `16550 at I/O port 0x3f8 "
      "(COM1), by SPCR`; null: none.")
FIELD(STRING, os, "The operating system it was measured from inside; null: none runs.")
OPEN(cpus)
INNER(U32, cpus, found, "Cores enabled in the MADT and chosen by `cpus`.")
INNER(U32, cpus, started, "Cores that answered.")
INNER(U32, cpus, measured, "Cores that take part in the windows.", ROLE(COUNT))
INNER(STRING, cpus, apic_ids, "Their APIC ids, as in `0-3,8`; null: too long a list.")
INNER(MAYBE, cpus, bringup_ns, "From the first INIT to the last core.", UNIT(NS))
CLOSE(cpus)
OPEN(clock)
INNER(U64, clock, hz, "Rate of the TSC.", ROLE(VALUE), UNIT(HZ))
INNER(STRING, clock, source,
      "`cpuid15` `cpuid16` `hypervisor` `hpet` `pmtimer` `pit` "
      "`monotonic-raw`")
INNER(BOOL, clock, invariant, "CPUID reports a constant rate.")
INNER(MAYBE, clock, quantum, "Smallest step seen; null where none was measured.", UNIT(TICKS))
INNER(STRING, clock, audited_by, "The second clock; null: there is none.")
INNER(MAYBE, clock, audit_ppm, "Difference of the two.", UNIT(PPM))
CLOSE(clock)
FIELD(STRINGS, evidence, "Kinds of evidence that the boot core believes.")
FIELD(STRING, config, "The configuration in force: `key=value` ...")
FIELD(U64, begin_tsc, "TSC at the zero of all times in ns.", UNIT(TICKS))
FIELD(STRING, began, "The same in wall time, ISO 8601; null: the clock was not set.", ROLE(TAG),
      UNIT(DATE))
RECORD_END(begin)

RECORD(STAGE, stage, "A stage begins: the state of the platform that it is measured in.")
FIELD(STRING, stage, "Name of the stage that begins.", .key = true)
FIELD(MAYBE, sci_en, "1: ACPI mode, events are SCIs; 0: they are SMIs.")
FIELD(STRING, usb_owner, "Of all USB controllers: `bios` owns one, else `os`, else `none`.")
FIELD(STRING, usb, "Each USB controller: type, address, owner.")
FIELD(STRING, chipset, "What the SMI registers are decoded as; null: unknown.")
FIELD(MAYBE, smi_en, "Intel: the register SMI_EN.", .on_smi = true)
FIELD(STRING, smi_enabled, "SMI sources that are enabled, by the chipset's names.", .on_smi = true)
FIELD(TIMERS, timers, "Periods of the timers that raise SMIs, by name.", UNIT(NS))
FIELD(STRING, tsc_adjust, "TSC_ADJUST of each core; null if all are equal.")
RECORD_END(stage)

RECORD(WINDOW, window, "A window has ended; in long runs, several neighbouring windows.")
FIELD(STRING, stage, "Stage.", .key = true)
FIELD(U64, n, "Number of the first window, from 1.", .key = true)
FIELD(U64, windows, "Neighbouring windows in this record.", TOTAL(SUM))
FIELD(U64, start_ns, "Begin of the first one.", UNIT(NS))
FIELD(U64, len_ns, "Length, up to the end of the last one.", UNIT(NS))
FIELD(U64, gaps, "Gaps of all cores.", TOTAL(SUM))
FIELD(U64, noise_ns, "Sum of their lengths.", TOTAL(SUM), UNIT(NS))
FIELD(U64, max_ns, "The longest of them.", TOTAL(MAX), UNIT(NS))
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name, plural " inside the window, all cores.", TOTAL(SUM), \
			.on_smi = true))
#include "core/cause/counted_rows.h"
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name##_out, plural " since the window before, all cores.", \
			TOTAL(SUM), .on_smi = true))
#include "core/cause/counted_rows.h"
RECORD_END(window)

RECORD(GAP, gap, "A gap of one core. `gaps` limits how many there are.")
FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(U32, cpu, "Core.", .key = true, ROLE(TAG))
FIELD(U64, start_tsc, "TSC of the last sample before the gap.", UNIT(TICKS))
FIELD(U64, ticks, "Length.", UNIT(TICKS))
FIELD(U64, t_ns, "Start.", UNIT(NS))
FIELD(U64, len_ns, "Length.", ROLE(TIME), UNIT(NS))
HIDDEN(enum cause cause_id) /* value of `cause` */
FIELD(STRING, cause, "What caused it.", ROLE(TAG))
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	FIELD(MAYBE, name, help ", counted across the gap.", .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
FIELD(STRING, why, "A sentence: the evidence, or what is missing.")
RECORD_END(gap)

RECORD(EVENT, event,
       "Gaps of one or several cores that overlap, merged. `gaps` limits how many there are.")
FIELD(STRING, stage, "Stage.", .key = true)
FIELD(U64, of, "Events of the stage, with or without a record.")
FIELD(U64, t_ns, "Start of the first gap.", .key = true, UNIT(NS))
FIELD(U64, len_ns, "Length, up to the end of the last gap.", UNIT(NS))
FIELD(U64, gaps, "Gaps in it.")
FIELD(U32, cpus, "Cores that were hit.")
FIELD(STRING, list, "Those cores, as in `0-3,8`; null if the list would be too long.")
FIELD(U32, first, "First core to enter.")
FIELD(U32, last, "Last core to leave.")
FIELD(U64, skew_ns, "From the first to the last core to enter.", UNIT(NS))
FIELD(STRING, cause, "Cause of its gaps.")
FIELD(STRING, scope, "`cpu` `core` `package` `machine`; null: unknown.")
FIELD(BOOL, partial, "Gaps may be missing: more cores may have been hit.")
RECORD_END(event)

RECORD(CPU, cpu, "A core at the end of a stage.")
FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(U32, cpu, "Core.", .key = true, ROLE(TAG), .label = "CPU")
FIELD(U32, apic_id, "Its APIC id.")
FIELD(MAYBE, package, "Its package, as the processor or the PPTT numbers them.")
FIELD(MAYBE, core, "Its core in the package.")
FIELD(MAYBE, thread, "Its thread in the core.")
FIELD(STRING, core_type, "`P` or `E`; null if all are of one type.")
FIELD(STRING, proved, "The self-test: `nmi, delay`, or what failed; null: not asked for.")
FIELD(I64, tsc_offset, "Its TSC against the boot core's.", UNIT(TICKS))
FIELD(MAYBE, tsc_offset_bound, "Error bound of `tsc_offset`.", UNIT(TICKS))
METRIC(U64, exposure_ns, "exposure", "Time the core sampled.", ROLE(TIME), TOTAL(SUM),
       UNIT(LONG_NS), .label = "runtime")
METRIC(U64, noise_ns, "noise", "Sum of all gaps.", ROLE(TIME), TOTAL(SUM), UNIT(NS),
       .label = "noise")
METRIC(U64, max_ns, "max_gap", "The longest gap.", ROLE(TIME), TOTAL(MAX), UNIT(NS), .label = "max")
METRIC(U64, gaps, "gaps", "Number of gaps.", ROLE(COUNT), TOTAL(SUM), .label = "gaps")
METRIC(U64, dropped, "dropped", "Gaps that did not fit into the list.", ROLE(COUNT), TOTAL(SUM),
       .label = "dropped", .if_any = true)
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	METRIC(MAYBE, name, #name "s", help ".", ROLE(COUNT), TOTAL(SUM), \
	       .label = IS_##kind ? #id : NULL, .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name##_out, plural " between windows of the stage.", TOTAL(SUM), \
			.on_smi = true))
#include "core/cause/counted_rows.h"
FIELD(CAUSES, cause, "Gaps and their time by cause.", ROLE(COUNT), TOTAL(SUM))
FIELD(U64, interval_p50, "Time between samples, median.", UNIT(TICKS))
FIELD(U64, interval_p999, "Time between samples, 99.9th percentile.", UNIT(TICKS))
FIELD(PAIRS, histogram, "Lengths of all gaps: `[low_ns, count]`, ...")
RECORD_END(cpu)

RECORD(SOURCE, source, "Events that recur with a period.")
FIELD(STRING, stage, "Stage.", .key = true)
FIELD(STRING, cause, "Cause of the gaps that were searched.")
FIELD(U64, period_ns, "Period.", .key = true, UNIT(NS))
FIELD(U64, jitter_ns, "Deviation of its events from the period.", UNIT(NS))
FIELD(U32, fill_ppm, "Share of the visible slots that have an event.", UNIT(PPM))
FIELD(U64, events, "Events of the source.")
FIELD(I64, chance_milli, "log10 of the probability of a false alarm, in thousandths.")
FIELD(STRING, origin, "The enabled timer that it is likely to be.")
FIELD(STRING, hint, "What else has this period.")
RECORD_END(source)

RECORD(PAUSE, pause, "Time that the TSC did not count, or counted in excess.")
FIELD(STRING, stage, "Stage.")
FIELD(U64, from_ns, "It began after this.", UNIT(NS))
FIELD(U64, until_ns, "It ended before this.", UNIT(NS))
FIELD(U64, least_ns, "Its length at least.", UNIT(NS))
FIELD(U64, most_ns, "Its length at most.", UNIT(NS))
FIELD(U64, pauses, "Pauses taken together.")
FIELD(U64, worst_ns, "The longest of several, at least.", UNIT(NS))
FIELD(BOOL, forward, "The TSC ran ahead; else it stood still or was set back.")
FIELD(STRING, clock, "The clock that saw it.")
RECORD_END(pause)

RECORD(LOG, log, "A message.")
FIELD(STRING, level, "`info` `warning` `error`")
FIELD(STRING, text, "A sentence.")
RECORD_END(log)

RECORD(END, end, "The verdict: the last record of a run.")
FIELD(STRING, verdict, "`pass` `fail` `none` `incomplete` `error`", ROLE(TAG))
FIELD(STRINGS, reasons, "Why.")
FIELD(STRING, remark,
      "Of a `pass` that is shorter than its preset's publisher requires: a "
      "sentence.",
      ROLE(TAG))
FIELD(MAYBE, sampled_ns, "Length of all windows of a stage; of several stages, of the shortest.",
      ROLE(TIME), UNIT(LONG_NS))
FIELD(MAYBE, watched_ppm, "Exposure, as the cores' mean, over the time from first to last window.",
      ROLE(VALUE), UNIT(PPM))
FIELD(TOTALS, records, "Records sent on this link, by type, including this one.")
FIELD(U64, gaps_unsent, "Gap records left out by `gaps`, or dropped.", ROLE(COUNT))
FIELD(MAYBE, events_unsent, "Event records left out by `gaps`.")
RECORD_END(end)

RECORD(STRETCH, stretch,
       "With `mode=stretch`: how much longer a quantum of work took than this core's best of"
       " the kernel, in one phase.")
FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "What the work is: `adds` `l2` `llc` `dram` `fma`.", .key = true, ROLE(TAG))
FIELD(STRING, phase,
      "Who works besides: `alone` nobody, `all` cores, `siblings` the core's "
      "threads, `victims` each group of cores in turn.",
      .key = true, ROLE(TAG))
FIELD(U32, cpu, "Core.", .key = true, ROLE(TAG))
FIELD(U64, quanta, "Quanta measured.", ROLE(COUNT))
FIELD(U64, work, "Additions, loads, reads or multiplications in one.")
FIELD(U64, best, "The core's best: one of 100 quanta alone took no longer.", UNIT(TICKS))
FIELD(MAYBE, min, "Its quickest quantum, of all phases.", UNIT(TICKS))
FIELD(U64, p50, "The median above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p90, "90 % of the quanta took no longer.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p99, "99 %.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p999, "99.9 %; `max_stretch` limits it.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, max, "The longest.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, mean, "The mean.", ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, gaps, "Factors of the mean, 1000000 is 1: all time over that outside gaps.",
      ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, clock, "The core's clock in the quickest over that in the mean.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, cpi, "Cycles per instruction in the mean over those of the quickest.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, rest, "What these leave of it, null ones included.", ROLE(VALUE), UNIT(PPM))
FIELD(PAIRS, hist, "All quanta: `[ppm above the best, count]`, ...")
FIELD(PAIRS, course,
      "The clock's course, empty where it is not counted: when each turn ended, "
      "and APERF over MPERF in its quanta without a gap, on AArch64 cycles per ns, `[ns, ppm]`, "
      "...")
FIELD(PAIRS, throttled,
      "Turns in which the core newly logged that it throttles, of all phases, "
      "`[ns, bits]`, ...: 1 thermal, 2 PROCHOT, 4 critical, 8 power limit, 16 current limit, 32 "
      "another domain. Logs stay set, so a further time may be missing.")
RECORD_END(stretch)

RECORD(INTERFERE, interfere, "What a core at work does to another, kernel by kernel.")
FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "What both do.", .key = true, ROLE(TAG))
FIELD(U32, victim, "The core that was measured.", .key = true, ROLE(TAG))
FIELD(U32, aggressor, "The core at work, or the first of a group.", .key = true, ROLE(TAG))
FIELD(STRING, group,
      "What the group shares: `core` `cache` `package`; null: one core, or "
      "neighbours.",
      ROLE(TAG))
FIELD(U64, ratio, "The victim's median, gaps taken out, over that alone; 1000000 is 1.",
      ROLE(VALUE), UNIT(PPM))
FIELD(U64, bound, "That chance gives more in any pair of the kernel is less likely than 1 %.",
      ROLE(VALUE), UNIT(PPM))
RECORD_END(interfere)

RECORD(SUMMARY, summary,
       "The run in one record, right before `end`; the code on the screen has the same.")
FIELD(STRING, verdict, "`pass` `fail` `none` `incomplete` `error`")
FIELD(MAYBE, sampled_ns, "Length of all windows of a stage; of several stages, of the shortest.",
      UNIT(LONG_NS))
FIELD(STRING, remark, "Of a `pass`: what it lacks; null: nothing.")
FIELD(STRING, version, "Version of noisefloor.")
FIELD(STRING, arch, "The processor's architecture.")
FIELD(STRING, began, "When it began, ISO 8601; null: the clock was not set.", UNIT(DATE))
OPEN_AS(machine, struct record_machine machine)
NAMED(STRING, machine.vendor, "vendor", "The machine's manufacturer.")
NAMED(STRING, machine.product, "product", "Its product name.")
NAMED(STRING, machine.board, "board", "Its board.")
NAMED(STRING, machine.bios_vendor, "bios_vendor", "Vendor of the firmware.")
NAMED(STRING, machine.bios_version, "bios_version", "Version of the firmware.")
NAMED(STRING, machine.bios_date, "bios_date", "Date of the firmware.")
NAMED(STRING, machine.uuid, "uuid", "The machine's UUID.")
CLOSE_AS(machine)
FIELD(STRING, cpu, "The processor's brand string.")
FIELD(MAYBE, microcode, "Revision of its microcode.")
FIELD(STRING, hypervisor, "The hypervisor; null: none.")
FIELD(STRING, os, "The operating system it was measured from inside.")
FIELD(U32, found, "Cores that `cpus` chose.")
FIELD(U32, measured, "Cores that were measured.")
FIELD(STRING, stages, "Stages that were measured, as in `bare,handoff`.")
FIELD(STRING, limits, "Limits: `key=value` ...; null: none was set.")
FIELD(U64, threshold_ns, "The shortest gap that was recorded.", UNIT(NS))
FIELD(MAYBE, exposure_ns,
      "Time sampled, of all cores in all stages; so are those below. null: no core was measured.",
      UNIT(LONG_NS))
FIELD(MAYBE, gaps, "Number of gaps; null: no core was measured.")
FIELD(MAYBE, noise_ns, "Sum of all gaps; null: no core was measured.", UNIT(NS))
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	FIELD(MAYBE, name, help ".", .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
FIELD(MAYBE, longest_ns, "The longest gap; null: there was none, or no core was measured.",
      UNIT(NS))
FIELD(MAYBE, longest_cpu, "Its core.")
FIELD(STRING, longest_stage, "Its stage.")
FIELD(STRING, longest_cause, "Its cause; null: not known any more.")
FIELD(CAUSES, cause, "Gaps and their time by cause.")
OPEN_AS(longest, struct maybe longest[CAUSES])
#define COUNTED(id, name, from, kind, ...) \
	NAMED(MAYBE, longest[CAUSE_##id], #name, "Of `" #name "`.", UNIT(NS), .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
NAMED(MAYBE, longest[CAUSE_EL3], "el3", "Of `el3`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_HYPERVISOR], "hypervisor", "Of `hypervisor`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_SERROR], "serror", "Of `serror`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STEAL], "steal", "Of `steal`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STOPPED], "stopped", "Of `stopped`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STALL], "stall", "Of `stall`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_UNKNOWN], "unknown", "Of `unknown`.", UNIT(NS))
CLOSE_AS(longest)
FIELD(MAYBE, stretch, "With `mode=stretch`: the worst p99.9; 1000000 is 1.", UNIT(PPM))
RECORD_END(summary)

RECORD(SURVEY, survey,
       "With `mode=survey`: a piece of what the machine is, as docs/hardware.md lists it.")
FIELD(STRING, stage, "Stage.", .key = true)
FIELD(STRING, area,
      "What it is of: `cpuid` `msr` `sysreg` `apic` `evidence` `acpi` `smbios` `memory` `pci` "
      "`chipset` `timers`.",
      .key = true)
FIELD(STRING, name, "Which of several, `APIC`; null: there is one.", .key = true)
FIELD(U32, piece, "Number of the piece, from 0.", .key = true)
FIELD(U32, pieces, "Pieces of the whole.")
FIELD(U64, bytes, "Bytes of the whole, when it is inflated.")
FIELD(STRING, data, "The piece: the whole is deflated (RFC 1951) and in base45 (RFC "
      "9285).")
RECORD_END(survey)

RECORD(FAULT, fault,
       "The last words of a core that cannot go on. A run without a fault has no such "
       "record.")
FIELD(STRING, stage, "Stage; null: before the first.", .key = true)
FIELD(STRING, kind, "`exception`; `wait`: the probe has given up waiting for something.",
      .key = true)
FIELD(STRING, what, "Which exception, or what was waited for.")
FIELD(MAYBE, cpu, "As Linux numbers it; null: not known.")
FIELD(MAYBE, vector, "x86-64: the exception's vector.")
FIELD(MAYBE, syndrome, "x86-64: its error code; AArch64: ESR.")
FIELD(MAYBE, pc, "Where: RIP or ELR.")
FIELD(MAYBE, image, "Where the probe's image was; `pc` less this is an address of its symbols.")
FIELD(MAYBE, address, "CR2 or FAR: the address that faulted, if the exception has one.")
FIELD(STRING, doing, "The last step of any core.")
FIELD(STRINGS, steps, "Up to 16 steps before that, the last one first.")
RECORD_END(fault)

RECORD(SERVICE, service,
       "With `mode=services`: what calls of one of firmware's services take, and whom they "
       "stop.")
FIELD(STRING, stage, "Stage.", .key = true, ROLE(TAG))
FIELD(STRING, service, "The service, `get_time`.", .key = true, ROLE(TAG))
FIELD(STRING, why, "Why it was not called, or no further; null: it was, as often as asked.")
FIELD(U32, cpu, "The core that called.")
FIELD(U32, others, "Cores that sampled meanwhile.")
FIELD(U64, calls, "Number of calls.", ROLE(COUNT))
FIELD(U64, failed, "Calls that returned an error.", ROLE(COUNT))
FIELD(MAYBE, status,
      "The first error: an EFI status without its highest bit, or what PSCI returns; in stage "
      "`os` an errno.")
FIELD(MAYBE, min_ns, "Length of a call on its core, ns: the shortest.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p50_ns, "The median.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p99_ns, "99th percentile.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, max_ns, "The longest.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, smi, "SMIs that the calling core counted in calls.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_quiet, "The same in controls.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_others, "SMIs in gaps of all other cores that overlap a call.", ROLE(COUNT),
      .on_smi = true)
FIELD(BOOL, stops,
      "Calls stop others: that chance gives this for any service of the stage is "
      "less likely than 1 %.")
FIELD(U32, stopped, "Cores of which that is known one by one.", ROLE(COUNT))
FIELD(U64, overlaps, "Calls that a gap of another core overlaps.", ROLE(COUNT))
FIELD(MAYBE, least_ns, "Of these, the longest such gap, ns: where it is shortest.", ROLE(TIME),
      UNIT(NS))
FIELD(MAYBE, longest_ns, "Where it is longest.", ROLE(TIME), UNIT(NS))
FIELD(STRING, cause, "The cause of that.")
FIELD(U64, controls, "Controls: as long as a call, and nothing is called.", ROLE(COUNT))
FIELD(U64, control_overlaps, "Controls that a gap of another core overlaps.", ROLE(COUNT))
FIELD(I64, chance_milli,
      "log10, in thousandths, of the probability that calls have more beside them than "
      "their controls so often by chance, at most.")
FIELD(U64, unseen, "Calls beside which a core had no room for its gaps: they are not compared.")
RECORD_END(service)

RECORD(ATTEST, attest,
       "What the machine's TPM attests: docs/attestation.md. Numbers of bytes are in hex "
       "digits.")
FIELD(STRING, tpm, "How the TPM is reached: `crb`, its command buffer, or `fifo`.")
FIELD(STRING, config,
      "SHA-256 of the text `config` of `begin`: PCR 15 was extended by it before the run.")
FIELD(STRINGS, lines,
      "SHA-256 of all lines before this record, with their newlines, on each output.")
FIELD(STRINGS, started,
      "By what the firmware's log has PCR 4 extended, in order: SHA-256 digests of 64 digits, "
      "several to a string.")
FIELD(STRING, pcrs, "The PCRs that are quoted, of the bank of SHA-256.")
FIELD(STRINGS, values, "Their values.")
FIELD(STRING, key, "The key: TPMT_PUBLIC.")
FIELD(STRING, quote,
      "The quote: TPMS_ATTEST. Its extraData is the SHA-256 of the text `sid`, then of each of "
      "`lines` a blank and the digest.")
FIELD(STRING, signature, "Its signature: TPMT_SIGNATURE.")
RECORD_END(attest)

/* clang-format on */
#undef RECORD
#undef RECORD_END
#undef FIELD
#undef NAMED
#undef METRIC
#undef INNER
#undef OPEN
#undef CLOSE
#undef OPEN_AS
#undef CLOSE_AS
#undef HIDDEN
#undef ON_INTERRUPT
#undef ON_ERROR
#undef IS_INTERRUPT
#undef IS_ERROR
