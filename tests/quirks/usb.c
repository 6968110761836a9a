/* SPDX-License-Identifier: BSD-2-Clause */
/* A stick that a management controller shows. */
#include "quirks.h"

#include "core/lib/mem.h"
#include "efi/firmware.h"

static EFI_STATUS(EFIAPI *firmware_descriptor)(struct firmware_usb *usb, VOID *descriptor);

/* USB 2.0, 9.6.1: vendor 046b, product ff31. */
static EFI_STATUS EFIAPI descriptor_of_hdisk(struct firmware_usb *usb, VOID *descriptor)
{
	EFI_STATUS status = firmware_descriptor(usb, descriptor);

	if (!EFI_ERROR(status))
		memcpy((uint8_t *)descriptor + 8, "\x6b\x04\x31\xff", 4);
	return status;
}

static bool virtual_stick(void)
{
	static EFI_GUID guid = FIRMWARE_USB_GUID;
	struct firmware_usb *usb = firmware_protocol_above(firmware_boot_device(), &guid);

	if (!usb)
		return false;
	firmware_descriptor = usb->device_descriptor;
	usb->device_descriptor = descriptor_of_hdisk;
	return true;
}

const struct quirk quirks_of_usb[] = {
	/* The USB stick that the probe is started from is a virtual one, by its ids. */
	QUIRK("virtual-stick", virtual_stick),
	QUIRKS_END,
};
