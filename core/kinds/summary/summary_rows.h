/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `summary`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, verdict, "`pass` `fail` `none` `incomplete` `error`")
FIELD(MAYBE, sampled_ns, "Length of all windows of a stage; of several stages, of the shortest.",
      UNIT(LONG_NS))
FIELD(STRING, remark, "Of a `pass`: what it lacks; null: nothing.")
FIELD(STRING, version, "Version of noisefloor.")
FIELD(STRING, arch, "The processor's architecture.")
FIELD(STRING, began, "When it began, ISO 8601; null: the clock was not set.", UNIT(DATE))
OPEN(machine)
INNER(STRING, machine, vendor, "The machine's manufacturer.")
INNER(STRING, machine, product, "Its product name.")
INNER(STRING, machine, board, "Its board.")
INNER(STRING, machine, bios_vendor, "Vendor of the firmware.")
INNER(STRING, machine, bios_version, "Version of the firmware.")
INNER(STRING, machine, bios_date, "Date of the firmware.")
INNER(STRING, machine, uuid, "The machine's UUID.")
CLOSE
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
FIELD(MAYBE, smi, "System management interrupts.", .on_smi = true)
FIELD(MAYBE, nmi, "Non-maskable interrupts.", .on_smi = true)
FIELD(MAYBE, mce, "Machine checks.")
FIELD(MAYBE, longest_ns, "The longest gap; null: there was none, or no core was measured.",
      UNIT(NS))
FIELD(MAYBE, longest_cpu, "Its core.")
FIELD(STRING, longest_stage, "Its stage.")
FIELD(STRING, longest_cause, "Its cause; null: not known any more.")
FIELD(CAUSES, cause, "Gaps and their time by cause.")
OPEN(longest)
NAMED(MAYBE, longest[CAUSE_SMI], "smi", "Of `smi`.", UNIT(NS), .on_smi = true)
NAMED(MAYBE, longest[CAUSE_NMI], "nmi", "Of `nmi`.", UNIT(NS), .on_smi = true)
NAMED(MAYBE, longest[CAUSE_MCE], "mce", "Of `mce`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_EL3], "el3", "Of `el3`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_HYPERVISOR], "hypervisor", "Of `hypervisor`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_SERROR], "serror", "Of `serror`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STEAL], "steal", "Of `steal`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STOPPED], "stopped", "Of `stopped`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_STALL], "stall", "Of `stall`.", UNIT(NS))
NAMED(MAYBE, longest[CAUSE_UNKNOWN], "unknown", "Of `unknown`.", UNIT(NS))
CLOSE
FIELD(MAYBE, stretch, "With `mode=stretch`: the worst p99.9; 1000000 is 1.", UNIT(PPM))

#endif
