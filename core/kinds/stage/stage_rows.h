/* SPDX-License-Identifier: BSD-2-Clause */
/* The rows of the record `stage`, as core/records/record_rows.h has it. No include guard. */
#ifdef FIELD

FIELD(STRING, stage, "Name of the stage that begins.", .key = true)
FIELD(MAYBE, sci_en, "1: ACPI mode, events are SCIs; 0: they are SMIs.")
FIELD(STRING, usb_owner, "Of all USB controllers: `bios` owns one, else `os`, else `none`.")
FIELD(STRING, usb, "Each USB controller: type, address, owner.")
FIELD(STRING, chipset, "What the SMI registers are decoded as; null: unknown.")
FIELD(MAYBE, smi_en, "Intel: the register SMI_EN.", .on_smi = true)
FIELD(STRING, smi_enabled, "SMI sources that are enabled, by the chipset's names.", .on_smi = true)
FIELD(MAYBE, smi_sts, "Intel: the register SMI_STS.", .on_smi = true)
FIELD(STRING, smi_status, "SMI sources whose status is set.", .on_smi = true)
FIELD(TIMERS, timers, "Periods of the timers that raise SMIs, by name.", UNIT(NS))
FIELD(STRING, tsc_adjust, "TSC_ADJUST of each core; null if all are equal.")
FIELD(STRING, firmware_first,
      "Error sources that the firmware handles before the OS, by HEST: "
      "`MCE` `CMC` `AER` `DMC`, `GHES:` with its notification (`SCI` ...); null: no HEST.")

#endif
