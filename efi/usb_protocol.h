/* SPDX-License-Identifier: BSD-2-Clause */
/* EFI_USB_IO_PROTOCOL, as far as it is called. Source: UEFI 2.10, 17.2.4. */
#pragma once

#include <efi.h>

#define USB_IO_PROTOCOL_GUID                                           \
	{                                                              \
		0x2b2f68d6, 0x0cd2, 0x44cf,                            \
		{                                                      \
			0x8e, 0x8b, 0xbb, 0xa2, 0x0b, 0x1b, 0x5b, 0x75 \
		}                                                      \
	}

struct usb_io {
	VOID *transfers[6]; /* control, bulk, interrupt, and isochronous ones */
	EFI_STATUS(EFIAPI *device_descriptor)(struct usb_io *usb, VOID *descriptor);
};
