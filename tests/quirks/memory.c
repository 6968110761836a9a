/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory as some firmware leaves it. */
#include "quirks.h"

#include "efi/firmware.h"

#define LOW_END 0x9ffffu

/* Boot services hold all pages below 640 KiB. */
bool quirk_no_low_page(void)
{
	EFI_PHYSICAL_ADDRESS page;

	do {
		page = LOW_END;
	} while (!EFI_ERROR(
		firmware_boot()->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &page)));
	return true;
}
