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

static const struct quirk *const quirks[] = { quirks_of_memory, quirks_of_reset, quirks_of_services,
					      quirks_of_usb, NULL };

static bool is_word(const char *at, const char *word)
{
	size_t n = strlen(word);

	return !memcmp(at, word, n) && (at[n] == ' ' || at[n] == '\n' || at[n] == '\0');
}

EFI_RUNTIME_SERVICES quirk_firmwares;

static bool set_up(const struct quirk *q)
{
	uint8_t *services = (uint8_t *)firmware_runtime();

	if (q->set_up)
		return q->set_up();
	*(quirk_service **)(void *)(services + q->service) = q->instead;
	return true;
}

/* Set up the quirk of that name. False: there is none, or it cannot be set up. */
static bool set_up_of(const struct quirk *const *all, const char *word)
{
	bool found = false;

	for (; *all; all++) {
		for (const struct quirk *q = *all; q->name; q++) {
			if (!is_word(word, q->name))
				continue;
			if (!set_up(q))
				return false;
			found = true;
		}
	}
	return found;
}

static bool set_up_all(const char *words)
{
	while (*words) {
		if (!set_up_of(quirks, words) && !set_up_of(quirks_of_processor, words)) {
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

static char options[OPTIONS_MAX];

void quirk_option(const char *text)
{
	for (size_t i = 0; text[i] && i < OPTIONS_MAX - 1; i++)
		options[i] = text[i];
}

EFI_STATUS efi_main(EFI_HANDLE self, EFI_SYSTEM_TABLE *table)
{
	static char words[WORDS_MAX + 1];
	EFI_HANDLE device, probe;
	EFI_STATUS status;

	firmware_init(self, table);
	quirk_firmwares = *firmware_runtime();
	device = firmware_boot_device();
	file_read(device, L"\\quirks.txt", words, WORDS_MAX);
	if (!set_up_all(words))
		return EFI_UNSUPPORTED;
	status = file_load_probe(self, device, options, &probe);
	return EFI_ERROR(status) ? status : firmware_boot()->StartImage(probe, NULL, NULL);
}
