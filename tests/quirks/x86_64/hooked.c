/* SPDX-License-Identifier: BSD-2-Clause */
/* Hooks in the table of runtime services. */
#include "hooked.h"
#include "spare.h"

#include "arch/arch.h"
#include "efi/firmware.h"

#define SMI_WAITS 1000000

static unsigned hooked_cores;

/* Send an SMI, and wait until its handler has returned. */
static void send_smi(unsigned apic_id)
{
	volatile uint32_t *count = (volatile uint32_t *)(uintptr_t)SMI_COUNT;
	uint32_t before = *count;

	spare_send_smi((uint8_t)apic_id);
	for (uint32_t i = 0; i < SMI_WAITS && *count == before; i++)
		;
}

static EFI_STATUS EFIAPI get_time(EFI_TIME *time, EFI_TIME_CAPABILITIES *capabilities)
{
	uint64_t start = clock_now();

	(void)time, (void)capabilities;
	while (clock_now() - start < HOOKED_TICKS)
		;
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query_variables(UINT32 attributes, UINT64 *most, UINT64 *left,
					 UINT64 *largest)
{
	(void)attributes;
	*most = *left = *largest = 0;
	for (unsigned i = 0; i < hooked_cores; i++)
		send_smi(i);
	return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI query_capsule(EFI_CAPSULE_HEADER **capsules, UINTN count, UINT64 *most,
				       EFI_RESET_TYPE *reset)
{
	(void)capsules, (void)count;
	*most = 0;
	*reset = EfiResetCold;
	send_smi(1);
	return EFI_SUCCESS;
}

EFI_STATUS hooked_start(unsigned cores)
{
	EFI_RUNTIME_SERVICES *runtime = firmware_runtime();

	hooked_cores = cores;
	runtime->GetTime = get_time;
	runtime->QueryVariableInfo = query_variables;
	runtime->QueryCapsuleCapabilities = query_capsule;
	return spare_handle_smis();
}
