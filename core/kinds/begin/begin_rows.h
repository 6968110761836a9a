/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `begin`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, version, "Version of noisefloor.", ROLE(TAG))
FIELD(STRING, arch,
      "The processor's architecture: `x86_64` (also when null), or `aarch64`, "
      "which has neither SMIs nor NMIs, and no record the fields named after them.")
FIELD(STRING, door,
      "How the probe was started: `uefi`; `pvh`, without firmware; `linux`, by kexec; null: a run "
      "under an OS.")
OPEN(machine)
INNER(STRING, machine, vendor, "The machine's manufacturer, from SMBIOS.", ROLE(TAG))
INNER(STRING, machine, product, "Its product name.", ROLE(TAG))
INNER(STRING, machine, board, "Its board.")
INNER(STRING, machine, bios_vendor, "Vendor of the firmware.")
INNER(STRING, machine, bios_version, "Version of the firmware.", ROLE(TAG))
INNER(STRING, machine, bios_date, "Date of the firmware.", ROLE(TAG))
INNER(STRING, machine, uuid, "The machine's UUID.", ROLE(TAG))
CLOSE
OPEN(cpu)
INNER(STRING, cpu, vendor, "Vendor of the processor, from CPUID.")
INNER(STRING, cpu, brand, "Its brand string.", ROLE(TAG), .series = "cpu")
INNER(U32, cpu, family, "Family.")
INNER(U32, cpu, model, "Model.")
INNER(U32, cpu, stepping, "Stepping.")
INNER(MAYBE, cpu, microcode, "Revision of the microcode.", ROLE(VALUE))
CLOSE
FIELD(STRING, hypervisor, "The hypervisor that names itself, or `unknown`; null: none.", ROLE(TAG))
FIELD(STRING, serial,
      "The serial port that output goes to, and who names it, as in `16550 at I/O port 0x3f8 "
      "(COM1), by SPCR`; null: none.")
FIELD(STRING, os, "The operating system it was measured from inside; null: none runs.")
OPEN(cpus)
INNER(U32, cpus, found, "Cores enabled in the MADT and chosen by `cpus`.")
INNER(U32, cpus, started, "Cores that answered.")
INNER(U32, cpus, measured, "Cores that take part in the windows.", ROLE(COUNT),
      .series = "cpus_measured")
INNER(STRING, cpus, apic_ids, "Their APIC ids, as in `0-3,8`; null: too long a list.")
INNER(MAYBE, cpus, bringup_ns, "From the first INIT to the last core.", UNIT(NS))
CLOSE
OPEN(clock)
INNER(U64, clock, hz, "Rate of the TSC.", ROLE(VALUE), UNIT(HZ))
INNER(STRING, clock, source,
      "`cpuid15` `cpuid16` `hypervisor` `hpet` `pmtimer` `rtc` "
      "`monotonic-raw`")
INNER(BOOL, clock, invariant, "CPUID reports a constant rate.")
INNER(MAYBE, clock, quantum, "Smallest step seen; null where none was measured.", UNIT(TICKS))
INNER(STRING, clock, audited_by, "The second clock; null: there is none.")
INNER(MAYBE, clock, audit_ppm, "Difference of the two.", UNIT(PPM))
CLOSE
FIELD(STRINGS, evidence, "Kinds of evidence that the boot core believes.")
FIELD(STRING, config, "The configuration in force: `key=value` ...")
FIELD(U64, begin_tsc, "TSC at the zero of all times in ns.", UNIT(TICKS))
FIELD(STRING, began, "The same in wall time, ISO 8601; null: the clock was not set.", ROLE(TAG),
      UNIT(DATE), .label = "began")

#endif
