/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that take long, or do not come back. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

/* tests/system/test_services.py has the same values. */
#define SPIN_TICKS  200000u
#define CLIMB_TICKS 5000u
#define CLIMB_STEPS 100u

static void spin(uint64_t ticks)
{
	uint64_t start = clock_now();

	/* Wait as a control does: cores that only read the TSC disturb QEMU. */
	while (clock_now() - start < ticks)
		arch_relax();
}

static EFI_STATUS EFIAPI spins(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
	spin(SPIN_TICKS);
	return quirk_firmwares.GetTime(time, capabilities);
}

/* Do nothing else, so that the whole length of a call is known. */
static EFI_STATUS EFIAPI climbs(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
	static uint64_t calls;

	(void)time, (void)capabilities;
	spin((calls++ % CLIMB_STEPS + 1) * CLIMB_TICKS);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI hangs(EFI_CAPSULE_HEADER **capsules, UINTN count, UINT64 *most,
			       EFI_RESET_TYPE *reset)
{
	(void)capsules, (void)count, (void)most, (void)reset;
	for (;;)
		arch_relax();
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI faults(EFI_CAPSULE_HEADER **capsules, UINTN count, UINT64 *most,
				EFI_RESET_TYPE *reset)
{
	(void)capsules, (void)count, (void)most, (void)reset;
	__builtin_trap();
}

const struct quirk quirks_of_services[] = {
	/*
	 * GetTime holds its own core; the second variant does so longer by a step each time, then
	 * begins anew.
	 */
	QUIRK_SERVICE("get-time-spins", GetTime, spins),
	QUIRK_SERVICE("get-time-climbs", GetTime, climbs),
	QUIRK_SERVICE("query-capsule-hangs", QueryCapsuleCapabilities, hangs),
	QUIRK_SERVICE("query-capsule-faults", QueryCapsuleCapabilities, faults),
	QUIRKS_END,
};
