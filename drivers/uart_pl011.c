/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PL011, and the part of it that is SBSA's generic UART. Sources: Arm DDI 0183 (PL011); Arm
 * DEN0029 (BSA), appendix on the generic UART. The rate depends on a clock that nobody names: it
 * stays as the firmware set it.
 */
#include "uart_kind.h"

#include "arch/arch.h"

#define REGISTERS 0x1000u

#define REG_DATA 0x00
#define REG_FLAG 0x18
#define REG_MASK 0x38 /* UARTIMSC */

#define DATA_ERRORS 0xf00u /* overrun, break, parity, framing */
#define FLAG_BUSY   (1u << 3)
#define FLAG_RXFE   (1u << 4)
#define FLAG_TXFF   (1u << 5)
#define FLAG_TXFE   (1u << 7)
#define FLAGS       0x1ffu /* more there are not */

static uint32_t read(const struct uart *u, uint32_t at)
{
	return arch_mmio_read32(u->base + at);
}

static bool answers(const struct uart *u)
{
	return u->mmio && !(read(u, REG_FLAG) & ~FLAGS);
}

static void set_up(struct uart *u)
{
	arch_mmio_write32(u->base + REG_MASK, 0);
}

static uint32_t state(const struct uart *u)
{
	uint32_t flags = read(u, REG_FLAG), state = 0;

	if (flags & ~FLAGS)
		return 0;
	if (!(flags & FLAG_TXFF))
		state |= UART_ROOM;
	if (flags & FLAG_TXFE && !(flags & FLAG_BUSY))
		state |= UART_EMPTY;
	return flags & FLAG_RXFE ? state : state | UART_DATA;
}

static void put(const struct uart *u, uint8_t byte)
{
	arch_mmio_write32(u->base + REG_DATA, byte);
}

static bool get(const struct uart *u, uint8_t *byte)
{
	uint32_t data = read(u, REG_DATA);

	*byte = (uint8_t)data;
	return !(data & DATA_ERRORS);
}

const struct uart_kind uart_pl011 = {
	.bytes = REGISTERS,
	.fifo = 1, /* the firmware may have left it off, and it may be 16 or 32 deep */
	.answers = answers,
	.set_up = set_up,
	.state = state,
	.put = put,
	.get = get,
};
