/* SPDX-License-Identifier: BSD-2-Clause */
/* What PCs do; as struct quirk's set_up. */
#pragma once

#include "tests/quirks/quirks.h"

/* Only the boot core is in x2APIC mode; its thermal interrupts are delivered as SMIs. */
bool quirk_boot_core_in_x2apic_mode(void);
bool quirk_thermal_smi(void);

/* MP Services start all cores only for those who wait. */
bool quirk_aps_refused(void);

/* The serial port is the memory of an ivshmem-plain device, above 4 GiB: by the configuration, by
 * SPCR. */
bool quirk_high_uart(void);
bool quirk_high_spcr(void);

/* PCI has a second segment, without devices, in memory far above all other. */
bool quirk_high_ecam(void);

/* The MADT names a LINT pin for NMIs, of a core that is not there. */
bool quirk_nmis_of_no_core(void);

/* The MADT has 20 enabled cores more than the machine. */
bool quirk_phantom_cores(void);

/* The FADT has no RTC, though there is one. */
bool quirk_no_rtc(void);

/* The IOMMU translates, and its table has nothing: no device's DMA arrives. */
bool quirk_empty_iommu(void);

/* COM1's scratch register has a letter while GetVariable or SetVariable runs, and 0 after it. */
bool quirk_marked_variables(void);
