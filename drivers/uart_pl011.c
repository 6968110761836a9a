/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * PL011, and the part of it that is SBSA's generic UART. Sources: Arm DDI 0183 (PL011); Arm
 * DEN0029 (BSA), appendix on the generic UART. The rate depends on a clock that nobody names: it
 * stays as the firmware set it.
 */
#include "uart.h"

#include "arch/arch.h"

#define REGISTERS 0x1000u

#define REG_DATA 0x00
#define REG_FLAG 0x18
#define REG_MASK 0x38  /* UARTIMSC */
#define REG_PART 0xfe0 /* UARTPeriphID0 and 1 */
#define REG_CELL 0xff0 /* UARTPCellID0 to 3 */

#define CELL_ID      0xb105f00du
#define PART_MASK    0xfffu
#define PART_PL011   0x011u
#define MASK_OVERRUN (1u << 10)

#define DATA_ERRORS 0xf00u /* overrun, break, parity, framing */
#define FLAG_BUSY   (1u << 3)
#define FLAG_RXFE   (1u << 4)
#define FLAG_TXFF   (1u << 5)
#define FLAG_TXFE   (1u << 7)
#define FLAGS       0x1ffu /* the register has no other bits */

static uint32_t uart_pl011_read(const struct uart *u, uint32_t at)
{
	return arch_mmio_read32(u->port.base + at);
}

/*
 * True if this is another PrimeCell, such as a clock or a timer. SBSA's UART has no such registers.
 */
static bool is_other_cell(const struct uart *u)
{
	uint32_t cell = 0, part = 0;

	for (uint32_t i = 0; i < 4; i++)
		cell |= (uart_pl011_read(u, REG_CELL + 4 * i) & 0xff) << 8 * i;
	for (uint32_t i = 0; i < 2; i++)
		part |= (uart_pl011_read(u, REG_PART + 4 * i) & 0xff) << 8 * i;
	return cell == CELL_ID && (part & PART_MASK) != PART_PL011;
}

static bool holds_mask(const struct uart *u)
{
	const uint32_t before = uart_pl011_read(u, REG_MASK);
	bool holds = true;

	/* Test the overrun mask bit, which polling does not need. */
	arch_mmio_write32(u->port.base + REG_MASK, MASK_OVERRUN);
	holds &= uart_pl011_read(u, REG_MASK) == MASK_OVERRUN;
	arch_mmio_write32(u->port.base + REG_MASK, 0);
	holds &= uart_pl011_read(u, REG_MASK) == 0;
	arch_mmio_write32(u->port.base + REG_MASK, before);
	return holds;
}

static bool is_there(const struct uart *u, const char **why)
{
	if (uart_pl011_read(u, REG_FLAG) & ~FLAGS)
		*why = "has flags that no PL011 has";
	else if (is_other_cell(u))
		*why = "has the ID registers of another device";
	else if (!holds_mask(u))
		*why = "does not hold what is written to its interrupt mask";
	else
		return true;
	return false;
}

static void set_up(struct uart *u)
{
	arch_mmio_write32(u->port.base + REG_MASK, 0);
}

static uint32_t state(const struct uart *u)
{
	uint32_t flags = uart_pl011_read(u, REG_FLAG), state = 0;

	if (flags & ~FLAGS)
		return 0;
	if (!(flags & FLAG_TXFF))
		state |= UART_ROOM;
	if (flags & FLAG_TXFE && !(flags & FLAG_BUSY))
		state |= UART_EMPTY;
	return flags & FLAG_RXFE ? state : state | UART_DATA;
}

static void uart_pl011_put(const struct uart *u, uint8_t byte)
{
	arch_mmio_write32(u->port.base + REG_DATA, byte);
}

static bool uart_pl011_get(const struct uart *u, uint8_t *byte)
{
	uint32_t data = uart_pl011_read(u, REG_DATA);

	*byte = (uint8_t)data;
	return !(data & DATA_ERRORS);
}

const struct uart_kind uart_pl011 = {
	.bytes = REGISTERS / 4, /* its stride is 4 */
	.fifo = 1,              /* the firmware may have left it off, and it may be 16 or 32 deep */
	.is_there = is_there,
	.set_up = set_up,
	.state = state,
	.put = uart_pl011_put,
	.get = uart_pl011_get,
};
