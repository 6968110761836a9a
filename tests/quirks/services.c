/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that take long, or do not come back. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define SPIN_TICKS 200000u /* tests/system/test_services.py has the same */

static EFI_GET_TIME firmware_get_time;

static EFI_STATUS EFIAPI spins(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
	uint64_t start = clock_now();

	/* As a control does: cores that do nothing but read the TSC get into QEMU's way. */
	while (clock_now() - start < SPIN_TICKS)
		arch_relax();
	return firmware_get_time(time, capabilities);
}

static EFI_STATUS EFIAPI faults(EFI_CAPSULE_HEADER **capsules, UINTN count, UINT64 *most,
				EFI_RESET_TYPE *reset)
{
	(void)capsules, (void)count, (void)most, (void)reset;
	__builtin_trap();
}

bool quirk_get_time_spins(void)
{
	firmware_get_time = firmware_runtime()->GetTime;
	firmware_runtime()->GetTime = spins;
	return true;
}

bool quirk_query_capsule_faults(void)
{
	firmware_runtime()->QueryCapsuleCapabilities = faults;
	return true;
}
