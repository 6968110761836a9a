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

static const struct quirk quirks[] = {
	{ "reset-reads-page-0", quirk_reset_reads_page_0 },
	{ "reset-reads-high", quirk_reset_reads_high },
	{ "reset-faults", quirk_reset_faults },
	{ "reset-spins", quirk_reset_spins },
	{ "reset-spins-masked", quirk_reset_spins_masked },
	{ "reset-missing", quirk_reset_missing },
	{ "reset-unsupported", quirk_reset_unsupported },
	{ "no-low-page", quirk_no_low_page },
	{ "hole-below-1-tib", quirk_hole_below_1_tib },
	{ "virtual-stick", quirk_virtual_stick },
	{ "get-time-spins", quirk_get_time_spins },
	{ "get-time-climbs", quirk_get_time_climbs },
	{ "query-capsule-hangs", quirk_query_capsule_hangs },
	{ "query-capsule-faults", quirk_query_capsule_faults },
	{ NULL, NULL },
};

static bool is_word(const char *at, const char *word)
{
	size_t n = strlen(word);

	return !memcmp(at, word, n) && (at[n] == ' ' || at[n] == '\n' || at[n] == '\0');
}

static const struct quirk *find(const struct quirk *q, const char *word)
{
	while (q->name && !is_word(word, q->name))
		q++;
	return q;
}

static bool set_up(const char *word)
{
	const struct quirk *q = find(quirks, word);

	if (!q->name)
		q = find(quirks_of_processor, word);
	return q->name && q->set_up();
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

static CHAR16 options[OPTIONS_MAX], *const probe_name = L"\\noisefloor.efi";

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
