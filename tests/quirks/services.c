/* SPDX-License-Identifier: BSD-2-Clause */
/* Services that take long, or do not come back. */
#include "quirks.h"

#include "arch/arch.h"
#include "efi/firmware.h"

/* tests/system/test_services.py has the same values. */
#define SPIN_TICKS  200000u
#define CLIMB_TICKS 5000u
#define CLIMB_STEPS 100u

static EFI_GET_TIME firmware_get_time;

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
	return firmware_get_time(time, capabilities);
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

static bool get_time_spins(void)
{
	firmware_get_time = firmware_runtime()->GetTime;
	firmware_runtime()->GetTime = spins;
	return true;
}

static bool get_time_climbs(void)
{
	firmware_runtime()->GetTime = climbs;
	return true;
}

static bool query_capsule_faults(void)
{
	firmware_runtime()->QueryCapsuleCapabilities = faults;
	return true;
}

static bool query_capsule_hangs(void)
{
	firmware_runtime()->QueryCapsuleCapabilities = hangs;
	return true;
}

const struct quirk quirks_of_services[] = {
	/*
	 * GetTime holds its own core; the second variant does so longer by a step each time, then
	 * begins anew.
	 */
	{ "get-time-spins", get_time_spins },
	{ "get-time-climbs", get_time_climbs },
	{ "query-capsule-hangs", query_capsule_hangs },
	{ "query-capsule-faults", query_capsule_faults },
	{ NULL, NULL },
};
