/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `cpu`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

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
METRIC(MAYBE, smi, "smis", "System management interrupts.", ROLE(COUNT), TOTAL(SUM), .label = "SMI",
       .on_smi = true)
METRIC(MAYBE, nmi, "nmis", "Non-maskable interrupts.", ROLE(COUNT), TOTAL(SUM), .label = "NMI",
       .on_smi = true)
METRIC(MAYBE, mce, "mces", "Machine checks.", ROLE(COUNT), TOTAL(SUM))
FIELD(MAYBE, smi_out, "SMIs between windows of the stage.", TOTAL(SUM), .on_smi = true)
FIELD(MAYBE, nmi_out, "NMIs between windows of the stage.", TOTAL(SUM), .on_smi = true)
FIELD(CAUSES, cause, "Gaps and their time by cause.", ROLE(COUNT), TOTAL(SUM))
FIELD(U64, interval_p50, "Time between samples, median.", UNIT(TICKS))
FIELD(U64, interval_p999, "Time between samples, 99.9th percentile.", UNIT(TICKS))
FIELD(PAIRS, histogram, "Lengths of all gaps: `[low_ns, count]`, ...")

#endif
