/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of what PCs do. */
#include "pc.h"

const struct quirk quirks_of_processor[] = {
	{ "boot-core-in-x2apic-mode", quirk_boot_core_in_x2apic_mode },
	{ "thermal-smi", quirk_thermal_smi },
	{ "aps-refused", quirk_aps_refused },
	{ "high-uart", quirk_high_uart },
	{ "high-spcr", quirk_high_spcr },
	{ "high-ecam", quirk_high_ecam },
	{ "nmis-of-no-core", quirk_nmis_of_no_core },
	{ "phantom-cores", quirk_phantom_cores },
	{ "no-rtc", quirk_no_rtc },
	{ "empty-iommu", quirk_empty_iommu },
	{ "marked-variables", quirk_marked_variables },
	{ NULL, NULL },
};
