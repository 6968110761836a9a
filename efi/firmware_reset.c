/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for ResetSystem, and calls it. */
#include "firmware.h"

/* EFI_RT_SUPPORTED_RESET_SYSTEM: UEFI 2.10, 4.6.2. */
#define RESET_SYSTEM 0x0400u

struct properties {
	uint16_t version, bytes;
	uint32_t supported;
};

static uint32_t supported = UINT32_MAX;
static EFI_RESET_SYSTEM service;

void firmware_reset_look(void)
{
	static const EFI_GUID guid = {
		0xeb66918a, 0x7eef, 0x402a, { 0x84, 0x2e, 0x93, 0x1d, 0x21, 0xc3, 0x8a, 0xe9 }
	};
	const struct properties *p = (const void *)(uintptr_t)firmware_table(&guid);

	if (p && p->bytes >= sizeof(*p))
		supported = p->supported;
}

const char *firmware_reset_problem(void)
{
	service = firmware_runtime()->ResetSystem;
	if (!service)
		return "is missing";
	return firmware_is_gone() && !(supported & RESET_SYSTEM)
		       ? "is not supported, by EFI_RT_PROPERTIES_TABLE"
		       : NULL;
}

/*
 * This must not count a step (firmware_runtime()): arch_try_for() single-steps it, and between
 * single steps AArch64's store-exclusive never succeeds.
 */
void firmware_reset(bool off)
{
	service(off ? EfiResetShutdown : EfiResetCold, EFI_SUCCESS, 0, NULL);
}
