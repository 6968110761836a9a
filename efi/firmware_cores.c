/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One procedure runs on all other processors; the firmware signals an event when all have returned.
 * Source: PI 1.8 vol. 2, 13.4 (EFI_MP_SERVICES_PROTOCOL).
 */
#include "firmware.h"

typedef VOID(EFIAPI *ap_procedure)(VOID *argument);

struct mp_services {
	EFI_STATUS(EFIAPI *get_number)(struct mp_services *self, UINTN *all, UINTN *enabled);
	VOID *get_info;
	EFI_STATUS(EFIAPI *startup_all)
	(struct mp_services *self, ap_procedure procedure, BOOLEAN single_thread, EFI_EVENT wait,
	 UINTN timeout_us, VOID *argument, UINTN **failed);
};

static EFI_GUID mp_services_guid = {
	0x3fdda605, 0xa76e, 0x4f46, { 0xad, 0x29, 0x12, 0xf4, 0x53, 0x1b, 0x3d, 0x08 }
};

static EFI_EVENT done;
static void (*lent_to)(void);

static VOID EFIAPI on_processor(VOID *argument)
{
	(void)argument;
	lent_to();
}

static bool firmware_cores_lend(void (*procedure)(void), uint32_t *others)
{
	EFI_BOOT_SERVICES *bs = firmware_boot();
	struct mp_services *mp;
	UINTN all, enabled;

	*others = UINT32_MAX;
	lent_to = procedure;
	if (EFI_ERROR(bs->LocateProtocol(&mp_services_guid, NULL, (void **)&mp)) ||
	    EFI_ERROR(bs->CreateEvent(0, TPL_CALLBACK, NULL, NULL, &done)))
		return false;
	/* Disabled processors, as by the firmware's setup, never arrive. */
	if (!EFI_ERROR(mp->get_number(mp, &all, &enabled)) && enabled <= UINT32_MAX)
		*others = enabled ? (uint32_t)enabled - 1 : 0;
	return mp->startup_all(mp, on_processor, FALSE, done, 0, NULL, NULL) == EFI_SUCCESS;
}

static bool is_lent(void)
{
	return firmware_boot()->CheckEvent(done) == EFI_NOT_READY;
}

static void end_loan(void)
{
	if (done)
		firmware_boot()->CloseEvent(done);
}

const struct door_loan firmware_loan = { .lend = firmware_cores_lend,
					 .is_lent = is_lent,
					 .end = end_loan };
