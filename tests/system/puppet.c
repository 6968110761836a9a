/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * puppet.efi: acts out endings of a run for the tests of the runner. It sends the
 * lines of \noisefloor.conf to COM1 as they are; a line "!exit N" writes N to the
 * debug-exit port, "!reset" and "!off" leave through the firmware, "!hang" stays.
 */
#include "arch/arch.h"

#include <efi.h>
#include <efilib.h>

#define COM1            0x3f8
#define LINE_STATUS     (COM1 + 5)
#define THR_EMPTY       0x20
#define DEBUG_EXIT      0x501
#define POLLS_MAX       1000000
#define SCRIPT_MAX      65536
#define STARTS(s, word) (CompareMem((s), (word), sizeof(word) - 1) == 0)

static char script[SCRIPT_MAX + 16];

static EFI_STATUS read_script(EFI_HANDLE image, UINTN *bytes)
{
	EFI_LOADED_IMAGE *loaded;
	EFI_FILE_HANDLE root, file;
	EFI_STATUS status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&loaded);

	if (EFI_ERROR(status))
		return status;
	root = LibOpenRoot(loaded->DeviceHandle);
	if (!root)
		return EFI_NOT_FOUND;
	status = root->Open(root, &file, L"\\noisefloor.conf", EFI_FILE_MODE_READ, 0);
	if (EFI_ERROR(status))
		return status;
	*bytes = SCRIPT_MAX;
	return file->Read(file, bytes, script);
}

static void send(const char *s, UINTN bytes)
{
	for (UINTN i = 0; i < bytes; i++) {
		for (int polls = 0; polls < POLLS_MAX; polls++)
			if (arch_in8(LINE_STATUS) & THR_EMPTY)
				break;
		arch_out8(COM1, (uint8_t)s[i]);
	}
}

static void act(const char *command)
{
	if (STARTS(command, "!exit "))
		arch_out16(DEBUG_EXIT, (uint16_t)(command[6] - '0'));
	else if (STARTS(command, "!reset"))
		RT->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	else if (STARTS(command, "!off"))
		RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
	else if (STARTS(command, "!hang"))
		arch_halt();
}

static UINTN line_bytes(const char *s, UINTN left)
{
	UINTN n = 0;

	while (n < left && s[n] != '\n')
		n++;
	return n < left ? n + 1 : n;
}

/* Called by gnu-efi's start code, which has no header for it. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	UINTN bytes = 0;
	EFI_STATUS status;

	InitializeLib(image, table);
	status = read_script(image, &bytes);
	for (UINTN at = 0, n; at < bytes; at += n) {
		n = line_bytes(script + at, bytes - at);
		if (script[at] == '!')
			act(script + at);
		else
			send(script + at, n);
	}
	return status;
}
