/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory as some firmware leaves it. */
#include "quirks.h"

#include "efi/firmware.h"

#define LOW_END 0x9ffffu
/* AMD's HyperTransport range: AMD64 Technology, BKDG and PPR, "DRAM address map". */
#define HT_BASE  UINT64_C(0xfd00000000)
#define HT_PAGES (((UINT64_C(1) << 40) - HT_BASE) / 4096)

static EFI_GET_MEMORY_MAP firmware_map;
static EFI_MEMORY_DESCRIPTOR added;

static EFI_STATUS EFIAPI longer_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
				    UINTN *each, UINT32 *version)
{
	UINTN room = *bytes;
	EFI_STATUS status = firmware_map(bytes, map, key, each, version);
	EFI_MEMORY_DESCRIPTOR *more = (void *)((uint8_t *)map + *bytes);

	*bytes += *each;
	if (EFI_ERROR(status))
		return status;
	if (*bytes > room)
		return EFI_BUFFER_TOO_SMALL;
	*more = added;
	return EFI_SUCCESS;
}

void quirk_map(EFI_MEMORY_DESCRIPTOR range)
{
	added = range;
	firmware_map = firmware_boot()->GetMemoryMap;
	firmware_boot()->GetMemoryMap = longer_map;
}

static bool hole_below_1_tib(void)
{
	quirk_map((EFI_MEMORY_DESCRIPTOR){
		.Type = EfiReservedMemoryType,
		.PhysicalStart = HT_BASE,
		.NumberOfPages = HT_PAGES,
	});
	return true;
}

/* Boot services hold all pages below 640 KiB. */
static bool no_low_page(void)
{
	EFI_PHYSICAL_ADDRESS page;

	do {
		page = LOW_END;
	} while (!EFI_ERROR(
		firmware_boot()->AllocatePages(AllocateMaxAddress, EfiBootServicesData, 1, &page)));
	return true;
}

const struct quirk quirks_of_memory[] = {
	/* No page below 640 KiB is free. */
	QUIRK("no-low-page", no_low_page),
	/* A reserved range ends at 1 TiB, and nothing is between it and the memory. */
	QUIRK("hole-below-1-tib", hole_below_1_tib),
	QUIRKS_END,
};
