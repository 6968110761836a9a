/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `survey`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Stage.", .key = true)
FIELD(STRING, area,
      "What it is of: `cpuid` `msr` `sysreg` `apic` `evidence` `acpi` `smbios` `memory` `pci` "
      "`chipset` `timers`.",
      .key = true)
FIELD(STRING, name, "Which of several, `APIC`; null: there is one.", .key = true)
FIELD(U32, piece, "Number of the piece, from 0.", .key = true)
FIELD(U32, pieces, "Pieces of the whole.")
FIELD(U64, bytes, "Bytes of the whole, when it is inflated.")
FIELD(STRING, data, "The piece: the whole is deflated (RFC 1951) and in base64.")

#endif
