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

/* For the fields of counted_rows.h: only those of kind INTERRUPT. */
#define ON_INTERRUPT(field) field
#define ON_ERROR(field)
#define IS_INTERRUPT true
#define IS_ERROR     false

/* clang-format off */

RECORD(BEGIN, begin, "The machine, the clock and the configuration: the first record of a run.")
FIELD(STRING, version, "Version of noisefloor.", ROLE(TAG))
FIELD(STRING, arch,
      "`x86_64` (also when null), or `aarch64`, whose records have no fields of SMIs and NMIs.")
FIELD(STRING, door,
      "How the probe was started: `uefi`, `pvh`, or `linux` (kexec); null: under an OS.")
OPEN_AS(machine, struct record_machine machine)
NAMED(STRING, machine.vendor, "vendor", "From SMBIOS.", ROLE(TAG))
NAMED(STRING, machine.product, "product", "From SMBIOS.", ROLE(TAG))
NAMED(STRING, machine.board, "board", "From SMBIOS.")
NAMED(STRING, machine.bios_vendor, "bios_vendor", "From SMBIOS.")
NAMED(STRING, machine.bios_version, "bios_version", "From SMBIOS.", ROLE(TAG))
NAMED(STRING, machine.bios_date, "bios_date", "From SMBIOS.", ROLE(TAG))
NAMED(STRING, machine.uuid, "uuid", "From SMBIOS.", ROLE(TAG))
CLOSE_AS(machine)
OPEN(cpu)
INNER(STRING, cpu, vendor, "From CPUID.")
INNER(STRING, cpu, brand, "From CPUID.", ROLE(TAG))
INNER(U32, cpu, family, "From CPUID.")
INNER(U32, cpu, model, "From CPUID.")
INNER(U32, cpu, stepping, "From CPUID.")
INNER(MAYBE, cpu, microcode, "Its revision.", ROLE(VALUE))
CLOSE(cpu)
FIELD(STRING, hypervisor, "The hypervisor that names itself, or `unknown`; null: none.", ROLE(TAG))
FIELD(STRING, serial,
      "The serial port, and what named it, as in `16550 at I/O port 0x3f8 (COM1), by SPCR`; null: "
      "none.")
FIELD(STRING, os, "The OS that it was measured from inside; null: none.")
OPEN(cpus)
INNER(U32, cpus, found, "Cores enabled in the MADT and chosen by `cpus`.")
INNER(U32, cpus, started, "Cores that answered.")
INNER(U32, cpus, measured, "Cores measured.", ROLE(COUNT))
INNER(STRING, cpus, apic_ids, "Theirs, as in `0-3,8`; null: too long a list.")
INNER(MAYBE, cpus, bringup_ns, "From the first INIT to the last core.", UNIT(NS))
CLOSE(cpus)
OPEN(clock)
INNER(U64, clock, hz, "Rate of the TSC.", ROLE(VALUE), UNIT(HZ))
INNER(STRING, clock, source,
      "`cpuid15` `cpuid16` `hypervisor` `hpet` `pmtimer` `pit` "
      "`monotonic-raw`")
INNER(BOOL, clock, invariant, "CPUID reports a constant rate.")
INNER(MAYBE, clock, quantum, "Smallest step seen.", UNIT(TICKS))
INNER(STRING, clock, audited_by, "The second clock; null: there is none.")
INNER(MAYBE, clock, audit_ppm, "How far the two differ.", UNIT(PPM))
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
FIELD(STRING, stage, "", .key = true)
FIELD(U64, n, "Number of the first window, from 1.", .key = true)
FIELD(U64, windows, "How many windows.", TOTAL(SUM))
FIELD(U64, start_ns, "Start of the first.", UNIT(NS))
FIELD(U64, len_ns, "Up to the end of the last.", UNIT(NS))
FIELD(U64, gaps, "Gaps of all cores.", TOTAL(SUM))
FIELD(U64, noise_ns, "Their sum.", TOTAL(SUM), UNIT(NS))
FIELD(U64, max_ns, "The longest.", TOTAL(MAX), UNIT(NS))
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name, plural " in the window, all cores.", TOTAL(SUM), \
			.on_smi = true))
#include "core/cause/counted_rows.h"
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name##_out, plural " since the window before.", \
			TOTAL(SUM), .on_smi = true))
#include "core/cause/counted_rows.h"
RECORD_END(window)

RECORD(GAP, gap, "A gap of one core. The key `gaps` limits their number.")
FIELD(STRING, stage, "", .key = true, ROLE(TAG))
FIELD(U32, cpu, "", .key = true, ROLE(TAG))
FIELD(U64, start_tsc, "TSC of the last sample before the gap.", UNIT(TICKS))
FIELD(U64, ticks, "Length.", UNIT(TICKS))
FIELD(U64, t_ns, "Start.", UNIT(NS))
FIELD(U64, len_ns, "Length.", ROLE(TIME), UNIT(NS))
FIELD(STRING, cause, "", ROLE(TAG))
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	FIELD(MAYBE, name, help ", across the gap.", .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
FIELD(STRING, why, "A sentence: the evidence for it, or what is missing.")
RECORD_END(gap)

RECORD(EVENT, event,
       "Overlapping gaps of one or more cores. The key `gaps` limits their number.")
FIELD(STRING, stage, "", .key = true)
FIELD(U64, of, "Events of the stage, with or without a record.")
FIELD(U64, t_ns, "Start of the first gap.", .key = true, UNIT(NS))
FIELD(U64, len_ns, "Up to the end of the last gap.", UNIT(NS))
FIELD(U64, gaps, "")
FIELD(U32, cpus, "Cores that were hit.")
FIELD(STRING, list, "Those cores, as in `0-3,8`; null: too long a list.")
FIELD(U32, first, "First core to enter.")
FIELD(U32, last, "Last core to leave.")
FIELD(U64, skew_ns, "From the first to the last core to enter.", UNIT(NS))
FIELD(STRING, cause, "")
FIELD(STRING, scope, "`cpu` `core` `package` `machine`; null: unknown.")
FIELD(BOOL, partial, "Gaps may be missing, and more cores hit.")
RECORD_END(event)

RECORD(CPU, cpu, "A core at the end of a stage.")
FIELD(STRING, stage, "", .key = true, ROLE(TAG))
FIELD(U32, cpu, "", .key = true, ROLE(TAG), .label = "CPU")
FIELD(U32, apic_id, "")
FIELD(MAYBE, package, "Its place, as the processor or the PPTT numbers it.")
FIELD(MAYBE, core, "Its place, as the processor or the PPTT numbers it.")
FIELD(MAYBE, thread, "Its place, as the processor or the PPTT numbers it.")
FIELD(STRING, core_type, "`P` or `E`; null: all are alike.")
FIELD(STRING, proved, "By the self-test: `nmi, delay`, or what failed; null: none.")
FIELD(I64, tsc_offset, "Its TSC against the boot core's.", UNIT(TICKS))
FIELD(MAYBE, tsc_offset_bound, "Error bound of `tsc_offset`.", UNIT(TICKS))
METRIC(U64, exposure_ns, "exposure", "Time the core sampled.", ROLE(TIME), TOTAL(SUM),
       UNIT(LONG_NS), .label = "runtime")
METRIC(U64, noise_ns, "noise", "Sum of its gaps.", ROLE(TIME), TOTAL(SUM), UNIT(NS),
       .label = "noise")
METRIC(U64, max_ns, "max_gap", "The longest gap.", ROLE(TIME), TOTAL(MAX), UNIT(NS), .label = "max")
METRIC(U64, gaps, "gaps", "", ROLE(COUNT), TOTAL(SUM), .label = "gaps")
METRIC(U64, dropped, "dropped", "Gaps without room in the list.", ROLE(COUNT), TOTAL(SUM),
       .label = "dropped", .if_any = true)
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	METRIC(MAYBE, name, #name "s", help ".", ROLE(COUNT), TOTAL(SUM), \
	       .label = IS_##kind ? #id : NULL, .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
#define COUNTED(id, name, from, kind, weight, plural, ...) \
	ON_##kind(FIELD(MAYBE, name##_out, plural " between windows.", TOTAL(SUM), \
			.on_smi = true))
#include "core/cause/counted_rows.h"
FIELD(CAUSES, cause, "Number and time of gaps.", ROLE(COUNT), TOTAL(SUM))
FIELD(U64, interval_p50, "Median time between samples.", UNIT(TICKS))
FIELD(U64, interval_p999, "Its 99.9th percentile.", UNIT(TICKS))
FIELD(PAIRS, histogram, "Lengths of gaps: `[low_ns, count]`, ...")
RECORD_END(cpu)

RECORD(SOURCE, source, "Events that recur with a period.")
FIELD(STRING, stage, "", .key = true)
FIELD(STRING, cause, "The cause of the gaps.")
FIELD(U64, period_ns, "", .key = true, UNIT(NS))
FIELD(U64, jitter_ns, "Deviation from the period.", UNIT(NS))
FIELD(U32, fill_ppm, "Share of the periods watched that have an event.", UNIT(PPM))
FIELD(U64, events, "")
FIELD(I64, chance_milli, "log10 of the probability of chance, in thousandths.")
FIELD(STRING, origin, "The enabled timer that it probably is.")
FIELD(STRING, hint, "What else has this period.")
RECORD_END(source)

RECORD(PAUSE, pause, "Time that the TSC did not count, or counted in excess.")
FIELD(STRING, stage, "")
FIELD(U64, from_ns, "It is within these bounds.", UNIT(NS))
FIELD(U64, until_ns, "It is within these bounds.", UNIT(NS))
FIELD(U64, least_ns, "Bounds of its length.", UNIT(NS))
FIELD(U64, most_ns, "Bounds of its length.", UNIT(NS))
FIELD(U64, pauses, "Pauses taken together.")
FIELD(U64, worst_ns, "The longest of them, at least.", UNIT(NS))
FIELD(BOOL, forward, "The TSC ran ahead; else it stood still or was set back.")
FIELD(STRING, clock, "The clock that saw it.")
RECORD_END(pause)

RECORD(LOG, log, "A message.")
FIELD(STRING, level, "`info` `warning` `error`")
FIELD(STRING, text, "")
RECORD_END(log)

RECORD(END, end, "The verdict: the last record of a run.")
FIELD(STRING, verdict, "`pass` `fail` `none` `incomplete` `error`", ROLE(TAG))
FIELD(STRINGS, reasons, "Why.")
FIELD(STRING, remark,
      "A sentence, if a `pass` is shorter than its preset requires.",
      ROLE(TAG))
FIELD(MAYBE, sampled_ns, "Length of all windows of the shortest stage.",
      ROLE(TIME), UNIT(LONG_NS))
FIELD(MAYBE, watched_ppm, "Mean exposure over the time from first to last window.",
      ROLE(VALUE), UNIT(PPM))
FIELD(TOTALS, records, "Records sent on this link, this one included.")
FIELD(U64, gaps_unsent, "Gap records left out by `gaps`, or dropped.", ROLE(COUNT))
FIELD(MAYBE, events_unsent, "Event records left out by `gaps`.")
RECORD_END(end)

RECORD(STRETCH, stretch,
       "With `mode=stretch`: how much longer a core's quanta of a kernel took in a phase than at "
       "best.")
FIELD(STRING, stage, "", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "`adds` `l2` `llc` `dram` `fma`", .key = true, ROLE(TAG))
FIELD(STRING, phase,
      "Who works: it `alone`, `all` cores, `siblings` of the core, or `victims`: it and another.",
      .key = true, ROLE(TAG))
FIELD(U32, cpu, "", .key = true, ROLE(TAG))
FIELD(U64, quanta, "", ROLE(COUNT))
FIELD(U64, work, "Additions, loads or multiplications in one.")
FIELD(U64, best, "T_best: one of 100 quanta alone took no longer.", UNIT(TICKS))
FIELD(MAYBE, min, "The quickest quantum of all phases.", UNIT(TICKS))
FIELD(U64, p50, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p90, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p99, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, p999, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, max, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(U64, mean, "Above the best: 50000 is 1.05 times.", ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, gaps, "A factor of the mean, 1000000 is 1: all time over that outside gaps.",
      ROLE(VALUE), UNIT(PPM))
FIELD(MAYBE, clock, "A factor: the clock of the quickest over the mean's.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, cpi, "A factor: cycles per instruction of the mean over the quickest's.", ROLE(VALUE),
      UNIT(PPM))
FIELD(MAYBE, rest, "What these three leave; a null one is in it.", ROLE(VALUE), UNIT(PPM))
FIELD(PAIRS, hist, "`[ppm above the best, count]`, ...")
FIELD(PAIRS, course,
      "When each turn ended, and its clock outside gaps (APERF over MPERF; AArch64: cycles per "
      "ns): `[ns, ppm]`, ...; empty where it is not counted.")
FIELD(PAIRS, throttled,
      "Turns of all phases in which throttling was first logged: `[ns, bits]`, ...: 1 thermal, "
      "2 PROCHOT, 4 critical, 8 power limit, 16 current limit, 32 another domain. Repetitions "
      "may not be seen.")
RECORD_END(stretch)

RECORD(INTERFERE, interfere, "What a core at work does to another.")
FIELD(STRING, stage, "", .key = true, ROLE(TAG))
FIELD(STRING, kernel, "", .key = true, ROLE(TAG))
FIELD(U32, victim, "The core measured.", .key = true, ROLE(TAG))
FIELD(U32, aggressor, "The core at work, or the first of a group.", .key = true, ROLE(TAG))
FIELD(STRING, group,
      "What it shares: `core` `cache` `package`; null: one core, or neighbours.",
      ROLE(TAG))
FIELD(U64, ratio, "The victim's median without gaps over that alone; 1000000 is 1.",
      ROLE(VALUE), UNIT(PPM))
FIELD(U64, bound, "Chance exceeds it, in any pair of the kernel, in at most 1 % of runs.",
      ROLE(VALUE), UNIT(PPM))
RECORD_END(interfere)

RECORD(SUMMARY, summary,
       "The run in one record, right before `end`, and in the code on the screen.")
FIELD(STRING, verdict, "As in `end`.")
FIELD(MAYBE, sampled_ns, "As in `end`.",
      UNIT(LONG_NS))
FIELD(STRING, remark, "As in `end`.")
FIELD(STRING, version, "As in `begin`.")
FIELD(STRING, arch, "As in `begin`.")
FIELD(STRING, began, "As in `begin`.", UNIT(DATE))
OPEN_AS(machine, struct record_machine machine)
NAMED(STRING, machine.vendor, "vendor", "As in `begin`.")
NAMED(STRING, machine.product, "product", "As in `begin`.")
NAMED(STRING, machine.board, "board", "As in `begin`.")
NAMED(STRING, machine.bios_vendor, "bios_vendor", "As in `begin`.")
NAMED(STRING, machine.bios_version, "bios_version", "As in `begin`.")
NAMED(STRING, machine.bios_date, "bios_date", "As in `begin`.")
NAMED(STRING, machine.uuid, "uuid", "As in `begin`.")
CLOSE_AS(machine)
FIELD(STRING, cpu, "`cpu.brand` of `begin`.")
FIELD(MAYBE, microcode, "Its revision.")
FIELD(STRING, hypervisor, "As in `begin`.")
FIELD(STRING, os, "As in `begin`.")
FIELD(U32, found, "Cores that `cpus` chose.")
FIELD(U32, measured, "Cores measured.")
FIELD(STRING, stages, "As in `bare,handoff`.")
FIELD(STRING, limits, "`key=value` ...; null: none.")
FIELD(U64, threshold_ns, "The shortest gap recorded.", UNIT(NS))
FIELD(MAYBE, exposure_ns,
      "Of all cores and stages, as are those below; null: no core was measured.",
      UNIT(LONG_NS))
FIELD(MAYBE, gaps, "")
FIELD(MAYBE, noise_ns, "Their sum.", UNIT(NS))
#define COUNTED(id, name, from, kind, weight, plural, help, ...) \
	FIELD(MAYBE, name, help ".", .on_smi = IS_##kind)
#include "core/cause/counted_rows.h"
FIELD(MAYBE, longest_ns, "The longest gap.",
      UNIT(NS))
FIELD(MAYBE, longest_cpu, "Its core.")
FIELD(STRING, longest_stage, "Its stage.")
FIELD(STRING, longest_cause, "Its cause; null: no longer known.")
FIELD(CAUSES, cause, "Number and time of gaps.")
FIELD(MAYBE, stretch, "With `mode=stretch`: the worst p99.9; 1000000 is 1.", UNIT(PPM))
RECORD_END(summary)

RECORD(SURVEY, survey,
       "With `mode=survey`: a piece of [what the machine is](hardware.md#survey-a-machine).")
FIELD(STRING, stage, "", .key = true)
FIELD(STRING, area,
      "`cpuid` `msr` `sysreg` `apic` `evidence` `acpi` `smbios` `memory` `pci` "
      "`chipset` `timers`",
      .key = true)
FIELD(STRING, name, "Which of several, as in `APIC`; null: the only one.", .key = true)
FIELD(U32, piece, "From 0.", .key = true)
FIELD(U32, pieces, "How many.")
FIELD(U64, bytes, "Bytes of the whole, when it is inflated.")
FIELD(STRING, data, "The piece: the whole is deflated (RFC 1951) and in base45 (RFC "
      "9285).")
RECORD_END(survey)

RECORD(FAULT, fault,
       "The last words of a core that cannot go on.")
FIELD(STRING, stage, "Null: before the first.", .key = true)
FIELD(STRING, kind, "`exception`; `wait`: a wait was given up.",
      .key = true)
FIELD(STRING, what, "Which exception, or what was waited for.")
FIELD(MAYBE, cpu, "As Linux numbers it; null: not known.")
FIELD(MAYBE, vector, "x86-64: the exception's vector.")
FIELD(MAYBE, syndrome, "x86-64: its error code; AArch64: ESR.")
FIELD(MAYBE, pc, "Where: RIP or ELR.")
FIELD(MAYBE, image, "Where the probe's image was: `pc` less this is an address in it.")
FIELD(MAYBE, address, "The address that faulted: CR2 or FAR.")
FIELD(STRING, doing, "The last step of any core.")
FIELD(STRINGS, steps, "Up to 16 steps before that, the last one first.")
RECORD_END(fault)

RECORD(SERVICE, service,
       "With `mode=services`: what calls of a service take, and whom they stop.")
FIELD(STRING, stage, "", .key = true, ROLE(TAG))
FIELD(STRING, service, "As in `get_time`.", .key = true, ROLE(TAG))
FIELD(STRING, why, "Why it was not called as often as asked; null: it was.")
FIELD(U32, cpu, "The core that called.")
FIELD(U32, others, "Cores that sampled meanwhile.")
FIELD(U64, calls, "", ROLE(COUNT))
FIELD(U64, failed, "Calls that returned an error.", ROLE(COUNT))
FIELD(MAYBE, status,
      "The first error: an EFI status without its highest bit, PSCI's, or an errno.")
FIELD(MAYBE, min_ns, "Length of a call on its core.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p50_ns, "Length of a call on its core.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, p99_ns, "Length of a call on its core.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, max_ns, "Length of a call on its core.", ROLE(TIME), UNIT(NS))
FIELD(MAYBE, smi, "SMIs in calls, on the calling core.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_quiet, "SMIs in controls.", ROLE(COUNT), .on_smi = true)
FIELD(MAYBE, smi_others, "SMIs in gaps of other cores beside calls.", ROLE(COUNT),
      .on_smi = true)
FIELD(BOOL, stops,
      "Calls stop others. Chance finds that in at most 1 % of stages.")
FIELD(U32, stopped, "Cores known to be stopped, each by itself.", ROLE(COUNT))
FIELD(U64, overlaps, "Calls that another core's gap overlaps.", ROLE(COUNT))
FIELD(MAYBE, least_ns, "The longest such gap beside a call: the least of them.", ROLE(TIME),
      UNIT(NS))
FIELD(MAYBE, longest_ns, "The greatest of them.", ROLE(TIME), UNIT(NS))
FIELD(STRING, cause, "Its cause.")
FIELD(U64, controls, "Spans as long as a call, without one.", ROLE(COUNT))
FIELD(U64, control_overlaps, "Controls that a gap of another core overlaps.", ROLE(COUNT))
FIELD(I64, chance_milli,
      "log10, in thousandths, of the probability that calls have more beside them than "
      "their controls so often by chance, at most.")
FIELD(U64, unseen, "Calls beside which a core had no room for its gaps: they are not compared.")
RECORD_END(service)

RECORD(ATTEST, attest,
       "What the machine's TPM [attests](attestation.md). Bytes are in hex.")
FIELD(STRING, tpm, "How it is reached: `crb` (a command buffer) or `fifo`.")
FIELD(STRING, config,
      "SHA-256 of `config` of `begin`, by which PCR 15 was extended.")
FIELD(STRINGS, lines,
      "SHA-256 of all lines before this record, with their newlines, on each output.")
FIELD(STRINGS, started,
      "What extended PCR 4, by the firmware's log: SHA-256 digests, several to a string.")
FIELD(STRING, pcrs, "The PCRs quoted, of the bank of SHA-256.")
FIELD(STRINGS, values, "Their values.")
FIELD(STRING, key, "TPMT_PUBLIC.")
FIELD(STRING, quote,
      "TPMS_ATTEST. Its extraData is the SHA-256 of `sid`, then of each of `lines` a blank and the "
      "digest.")
FIELD(STRING, signature, "TPMT_SIGNATURE.")
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
#undef ON_INTERRUPT
#undef ON_ERROR
#undef IS_INTERRUPT
#undef IS_ERROR
