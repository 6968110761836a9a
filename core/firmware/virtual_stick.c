/* SPDX-License-Identifier: BSD-2-Clause */
/* Source: usb.ids (linux-usb.org); OpenBMC, meta-phosphor's jsnbd. */
#include "virtual_stick.h"

#include "core/lib/bytes.h"

#define IDS                    8u /* in the descriptor: vendor, then product */
#define ID(vendor, product)    ((vendor) | (uint32_t)(product) << 16)
#define AMI_VIRTUAL_HDISK      ID(0x046b, 0xff31)
#define LINUX_COMPOSITE_GADGET ID(0x1d6b, 0x0104) /* OpenBMC's "Virtual Media Device" */

bool virtual_stick(const uint8_t descriptor[VIRTUAL_STICK_BYTES])
{
	uint32_t id = bytes_le32(descriptor + IDS);

	return id == AMI_VIRTUAL_HDISK || id == LINUX_COMPOSITE_GADGET;
}
