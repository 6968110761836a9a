/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UART, and what is like it. Source: National Semiconductor PC16550D data sheet. */
#include "uart.h"

#include "arch/arch.h"

#define REG_DATA    0 /* DLL when DLAB */
#define REG_IER     1 /* DLM when DLAB */
#define REG_FCR     2
#define REG_LCR     3
#define REG_MCR     4
#define REG_LSR     5
#define REG_SCRATCH 7

#define LCR_8N1          0x03
#define LCR_DLAB         0x80
#define FCR_ENABLE_CLEAR 0x07
#define MCR_DTR          0x01
#define MCR_RTS          0x02
#define LSR_DATA         0x01
#define LSR_ERRORS       0x1c /* parity, framing, break: the byte was not sent by anybody */
#define LSR_THRE         0x20
#define LSR_TEMT         0x40
#define ABSENT           0xff /* reading of a bus without a device */

/* A BCM2835's, from its auxiliary devices' first register on. */
#define AUX_ENABLES   0x04
#define AUX_MINI_UART 0x01
#define MINI_FIRST    0x40u

#define BASE_BAUD  115200u
#define FIFO_BYTES 16u

static uint64_t address_of(const struct uart *u, uint32_t reg)
{
	uint64_t first = u->port.kind == SERIAL_PORT_BCM2835 ? MINI_FIRST : 0;

	return u->port.base + first + (uint64_t)reg * u->port.stride;
}

static uint8_t uart_16550_read(const struct uart *u, uint32_t reg)
{
	uint64_t at = address_of(u, reg);

	if (!u->port.mmio)
		return arch_in8((uint16_t)at);
	if (u->port.access == 4)
		return (uint8_t)arch_mmio_read32(at);
	return u->port.access == 2 ? (uint8_t)arch_mmio_read16(at) : arch_mmio_read8(at);
}

static void write(const struct uart *u, uint32_t reg, uint8_t value)
{
	uint64_t at = address_of(u, reg);

	if (!u->port.mmio)
		arch_out8((uint16_t)at, value);
	else if (u->port.access == 4)
		arch_mmio_write32(at, value);
	else if (u->port.access == 2)
		arch_mmio_write16(at, value);
	else
		arch_mmio_write8(at, value);
}

static bool is_there(const struct uart *u, const char **why)
{
	static const uint8_t patterns[] = { 0x5a, 0xa5 };

	for (unsigned i = 0; i < sizeof(patterns); i++) {
		write(u, REG_SCRATCH, patterns[i]);
		if (uart_16550_read(u, REG_SCRATCH) != patterns[i]) {
			*why = "does not hold what is written to its scratch register";
			return false;
		}
	}
	if (uart_16550_read(u, REG_LSR) != ABSENT)
		return true;
	*why = "has a line status of 0xff";
	return false;
}

static void set_up(struct uart *u)
{
	write(u, REG_IER, 0);
	if (u->baud && u->port.kind == SERIAL_PORT_16550) {
		uint32_t divisor = BASE_BAUD / u->baud ? BASE_BAUD / u->baud : 1;

		write(u, REG_LCR, LCR_DLAB | LCR_8N1);
		write(u, REG_DATA, (uint8_t)divisor);
		write(u, REG_IER, (uint8_t)(divisor >> 8));
	}
	write(u, REG_LCR, LCR_8N1);
	write(u, REG_FCR, FCR_ENABLE_CLEAR);
	write(u, REG_MCR, MCR_DTR | MCR_RTS);
}

static uint32_t state(const struct uart *u)
{
	uint8_t lsr = uart_16550_read(u, REG_LSR);
	uint32_t state = 0;

	if (lsr == ABSENT)
		return 0;
	if (lsr & LSR_THRE)
		state |= lsr & LSR_TEMT ? UART_ROOM | UART_EMPTY : UART_ROOM;
	/* The bits are those of the byte that is read next, and reading clears them. */
	if (lsr & LSR_DATA)
		state |= lsr & LSR_ERRORS ? UART_DATA | UART_NOISE : UART_DATA;
	return state;
}

static void uart_16550_put(const struct uart *u, uint8_t byte)
{
	write(u, REG_DATA, byte);
}

static bool uart_16550_get(const struct uart *u, uint8_t *byte)
{
	*byte = uart_16550_read(u, REG_DATA);
	return true;
}

const struct uart_kind uart_16550 = {
	.bytes = SERIAL_PORT_REGISTERS,
	.fifo = FIFO_BYTES,
	.is_there = is_there,
	.set_up = set_up,
	.state = state,
	.put = uart_16550_put,
	.get = uart_16550_get,
};

/*
 * THRE of the mini UART stands for room for one byte. Its registers read as zero while it is off.
 * Source: BCM2835 ARM Peripherals, 2.1 and 2.2.
 */
static bool is_mini_there(const struct uart *u, const char **why)
{
	if (arch_mmio_read32(u->port.base + AUX_ENABLES) & AUX_MINI_UART)
		return is_there(u, why);
	*why = "is switched off in AUX_ENABLES";
	return false;
}

const struct uart_kind uart_bcm2835 = {
	.bytes = SERIAL_PORT_REGISTERS,
	.first = MINI_FIRST,
	.fifo = 1,
	.is_there = is_mini_there,
	.set_up = set_up,
	.state = state,
	.put = uart_16550_put,
	.get = uart_16550_get,
};
