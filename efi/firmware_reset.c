/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks for ResetSystem, and calls it. */
#include "firmware.h"

static EFI_RESET_SYSTEM service;

const char *firmware_reset_problem(void)
{
	service = firmware_runtime()->ResetSystem;
	return service ? NULL : "is missing";
}

/*
 * This must not count a step (firmware_runtime()): arch_try_for() single-steps it, and between
 * single steps AArch64's store-exclusive never succeeds.
 */
void firmware_reset(bool off)
{
	service(off ? EfiResetShutdown : EfiResetCold, EFI_SUCCESS, 0, NULL);
}
