/* SPDX-License-Identifier: BSD-2-Clause */
/* Keyboard controller. Source: IBM PS/2 Hardware Interface Technical Reference, Keyboard and
 * Auxiliary Device Controller (8042). */
#include "ps2.h"

#include "arch/arch.h"

#define PORT_DATA   0x60
#define PORT_STATUS 0x64

#define STATUS_FULL  0x01
#define STATUS_MOUSE 0x20
#define ABSENT       0xff

#define CODE_BREAK 0x80 /* no make code: released, a prefix, or an answer */
#define BYTES_MAX  16   /* capacity of controller and keyboard together */

uint8_t ps2_key(void)
{
	uint8_t key = 0;

	for (unsigned n = 0; n < BYTES_MAX; n++) {
		uint8_t status = arch_in8(PORT_STATUS), code;

		if (status == ABSENT || !(status & STATUS_FULL))
			break;
		code = arch_in8(PORT_DATA);
		if (!key && !(status & STATUS_MOUSE) && !(code & CODE_BREAK))
			key = code;
	}
	return key;
}
