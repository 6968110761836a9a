/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * COM1 is used with the rate and the format that the loader or the BIOS has set. Sources: 16550
 * data sheet; Intel 8254 data sheet; Intel PCH data sheet, NMI_SC (port 61h).
 */
#include "console.h"

#include "arch/arch.h"
#include "core/lib/steps.h"

#define COM1         0x3f8
#define COM1_STATUS  (COM1 + 5)
#define STATUS_READY 0x01 /* a byte was received */
#define STATUS_FREE  0x20 /* the transmitter accepts a byte */
#define ABSENT       0xff
#define LOOKS        50000 /* reads of a port, about 1 us each, before giving up */

#define PIT_HZ      UINT64_C(1193182)
#define PIT_COUNTER 0x42 /* the value of counter 2 */
#define PIT_CONTROL 0x43
#define PIT_ONCE    0xb0 /* counter 2, low byte then high, mode 0: OUT rises at zero */
#define GATE        0x61
#define GATE_OPEN   0x01
#define GATE_SPEAKS 0x02
#define GATE_OVER   0x20   /* OUT of counter 2 */
#define PIECE_US    50000u /* 59,659 counts: they must fit in 16 bits */

static void put_byte(char c)
{
	uint8_t status = 0;

	for (unsigned n = 0; n < LOOKS && !(status & STATUS_FREE); n++)
		status = arch_in8(COM1_STATUS);
	if (status != ABSENT && status & STATUS_FREE)
		arch_out8(COM1, (uint8_t)c);
}

void console_print(const char *line)
{
	steps_go_on();
	for (; *line; line++)
		put_byte(*line >= ' ' && *line <= '~' ? *line : '?');
	put_byte('\r');
	put_byte('\n');
}

static enum door_key_kind kind_of(uint8_t c)
{
	switch (c) {
	case '\r':
	case '\n':
		return DOOR_KEY_ENTER;
	case '\b':
	case 0x7f:
		return DOOR_KEY_BACKSPACE;
	case 0x1b:
		return DOOR_KEY_ESC;
	default:
		return c >= ' ' && c <= '~' ? DOOR_KEY_CHARACTER : DOOR_KEY_OTHER;
	}
}

bool console_read_key(struct door_key *key)
{
	uint8_t status = arch_in8(COM1_STATUS), c;

	steps_go_on();
	if (status == ABSENT || !(status & STATUS_READY))
		return false;
	c = arch_in8(COM1);
	*key = (struct door_key){ kind_of(c), (char)c };
	return true;
}

/* Wait `us` microseconds, at most PIECE_US. Without an 8254, port 61h reads 0xff: no wait. */
static void stall_piece(uint32_t us)
{
	uint32_t count = us * PIT_HZ / 1000000;

	arch_out8(GATE, (uint8_t)((arch_in8(GATE) & ~GATE_SPEAKS) | GATE_OPEN));
	arch_out8(PIT_CONTROL, PIT_ONCE);
	arch_out8(PIT_COUNTER, (uint8_t)count);
	arch_out8(PIT_COUNTER, (uint8_t)(count >> 8));
	for (uint32_t n = 0; n < LOOKS * 2 && !(arch_in8(GATE) & GATE_OVER); n++)
		arch_relax();
}

void console_stall(uint32_t us)
{
	steps_go_on();
	for (; us > PIECE_US; us -= PIECE_US)
		stall_piece(PIECE_US);
	stall_piece(us);
}
