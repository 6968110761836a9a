/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * puppet.efi: acts out endings of a run for the tests of the runner. It sends the
 * lines of \noisefloor.conf to COM1 as they are; a line "!exit N" writes N to the
 * debug-exit port, "!reset" and "!off" leave through the firmware, "!hang" stays.
 */
#include "arch/arch.h"
#include "core/lib/mem.h"
#include "efi/firmware.h"
#include "tests/inject/file.h"

#define COM1            0x3f8
#define LINE_STATUS     (COM1 + 5)
#define THR_EMPTY       0x20
#define DEBUG_EXIT      0x501
#define POLLS_MAX       1000000
#define SCRIPT_MAX      65536
#define STARTS(s, word) (memcmp((s), (word), sizeof(word) - 1) == 0)

static char script[SCRIPT_MAX + 16];

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
		firmware_runtime()->ResetSystem(EfiResetCold, EFI_SUCCESS, 0, NULL);
	else if (STARTS(command, "!off"))
		firmware_runtime()->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
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

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *table)
{
	UINTN bytes;

	firmware_init(image, table);
	bytes = file_read(firmware_boot_device(), L"\\noisefloor.conf", script, SCRIPT_MAX);
	for (UINTN at = 0, n; at < bytes; at += n) {
		n = line_bytes(script + at, bytes - at);
		if (script[at] == '!')
			act(script + at);
		else
			send(script + at, n);
	}
	return bytes ? EFI_SUCCESS : EFI_NOT_FOUND;
}
