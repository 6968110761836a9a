/* SPDX-License-Identifier: BSD-2-Clause */
/* A periodic timer event, and exception handlers. */
#include "firmware.h"

#include "arch/arch.h"

#define TICK_100NS UINT64_C(10000000)

static void (*tick)(void);
static EFI_EVENT timer;

static VOID EFIAPI on_timer(EFI_EVENT event, VOID *context)
{
	(void)event, (void)context;
	tick();
}

/*
 * Some drivers wait at TPL_NOTIFY, such as EDK II's for variables and USB, so the event has to come
 * at a higher level. EDK II accepts levels below TPL_HIGH_LEVEL; other firmware accepts only those
 * of the specification.
 */
static bool create_timer(void)
{
	static const EFI_TPL levels[] = { TPL_HIGH_LEVEL - 1, TPL_NOTIFY };

	for (unsigned n = 0; n < sizeof(levels) / sizeof(levels[0]); n++)
		if (!EFI_ERROR(firmware_boot()->CreateEvent(EVT_TIMER | EVT_NOTIFY_SIGNAL,
							    levels[n], on_timer, NULL, &timer)))
			return true;
	timer = NULL;
	return false;
}

void firmware_watch(void (*each_second)(void))
{
	tick = each_second;
	if (create_timer())
		firmware_boot()->SetTimer(timer, TimerPeriodic, TICK_100NS);
}

void firmware_watch_end(void)
{
	if (timer)
		firmware_boot()->CloseEvent(timer);
	timer = NULL;
}

/* Exceptions */

typedef VOID(EFIAPI *fault_handler)(INTN vector, void *context);

struct cpu_arch {
	VOID *flush, *enable, *disable, *get_state, *init;
	EFI_STATUS(EFIAPI *handle)(struct cpu_arch *self, INTN vector, fault_handler handler);
};

static struct cpu_arch *cpu_arch;
static uint32_t boot_core;
static uint32_t handled; /* a bit per index in arch_firmware_faults[] */

/* EFI_SYSTEM_CONTEXT is a union of pointers, so it is passed as one pointer. */
static VOID EFIAPI on_fault(INTN vector, void *context)
{
	arch_firmware_fault((unsigned)vector, context, arch_apic_id() == boot_core);
}

void firmware_watch_faults(void)
{
	static EFI_GUID guid = {
		0x26baccb1, 0x6f42, 0x11d4, { 0xbc, 0xe7, 0x00, 0x80, 0xc7, 0x3c, 0x88, 0x81 }
	};

	boot_core = arch_apic_id();
	if (EFI_ERROR(firmware_boot()->LocateProtocol(&guid, NULL, (void **)&cpu_arch)))
		return;
	for (unsigned n = 0; arch_firmware_faults[n] >= 0; n++)
		if (!EFI_ERROR(cpu_arch->handle(cpu_arch, arch_firmware_faults[n], on_fault)))
			handled |= 1u << n;
}

void firmware_watch_no_faults(void)
{
	for (unsigned n = 0; arch_firmware_faults[n] >= 0; n++)
		if (handled & 1u << n)
			cpu_arch->handle(cpu_arch, arch_firmware_faults[n], NULL);
}
