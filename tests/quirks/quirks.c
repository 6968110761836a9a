/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * quirks.efi: for tests only. Gives the machine what OVMF and QEMU lack and real ones have, as the
 * words in \quirks.txt name it, then starts \noisefloor.efi from the same volume.
 */
#include "quirks.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"
#include "tests/inject/file.h"

#define WORDS_MAX   200
#define OPTIONS_MAX 100

static const struct quirk {
	const char *name;
	bool (*set_up)(void);
} quirks[] = {
	{ "reset-reads-page-0", quirk_reset_reads_page_0 },
	{ "reset-reads-high", quirk_reset_reads_high },
	{ "reset-faults", quirk_reset_faults },
	{ "reset-returns", quirk_reset_returns },
	{ "boot-core-in-x2apic-mode", quirk_boot_core_in_x2apic_mode },
	{ "thermal-smi", quirk_thermal_smi },
	{ "no-low-page", quirk_no_low_page },
	{ "aps-refused", quirk_aps_refused },
	{ "high-uart", quirk_high_uart },
	{ "high-spcr", quirk_high_spcr },
	{ "empty-iommu", quirk_empty_iommu },
	{ "hole-below-1-tib", quirk_hole_below_1_tib },
	{ "boot-next-lost", quirk_boot_next_lost },
	{ "no-rename", quirk_no_rename },
};

static bool is_word(const char *at, const char *word)
{
	size_t n = strlen(word);

	return !memcmp(at, word, n) && (at[n] == ' ' || at[n] == '\n' || at[n] == '\0');
}

static bool set_up(const char *word)
{
	for (size_t i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
		if (is_word(word, quirks[i].name))
			return quirks[i].set_up();
	return false;
}

static bool set_up_all(const char *words)
{
	while (*words) {
		if (!set_up(words)) {
			firmware_print("quirks: not here, or no such quirk:");
			firmware_print(words);
			return false;
		}
		while (*words && *words != ' ' && *words != '\n')
			words++;
		while (*words == ' ' || *words == '\n')
			words++;
	}
	return true;
}

static CHAR16 options[OPTIONS_MAX], *probe_name = L"\\noisefloor.efi";

void quirk_probe(CHAR16 *name)
{
	probe_name = name;
}

void quirk_option(const char *text)
{
	for (size_t i = 0; text[i] && i < OPTIONS_MAX - 1; i++)
		options[i] = (CHAR16)text[i];
}

static void give_options(EFI_HANDLE probe)
{
	static EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
	EFI_LOADED_IMAGE *image;

	if (!options[0] ||
	    EFI_ERROR(firmware_boot()->HandleProtocol(probe, &loaded_image_guid, (void **)&image)))
		return;
	image->LoadOptions = options;
	image->LoadOptionsSize = sizeof(options);
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static char words[WORDS_MAX + 1];
	EFI_HANDLE device, probe;
	EFI_STATUS status;

	firmware_init(self, table);
	device = firmware_boot_device();
	file_read(device, L"\\quirks.txt", words, WORDS_MAX);
	if (!set_up_all(words))
		return EFI_UNSUPPORTED;
	status = firmware_boot()->LoadImage(FALSE, self, file_path(device, probe_name), NULL, 0,
					    &probe);
	if (EFI_ERROR(status))
		return status;
	give_options(probe);
	return firmware_boot()->StartImage(probe, NULL, NULL);
}
