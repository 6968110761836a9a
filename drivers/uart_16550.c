/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UART. Source: National Semiconductor PC16550D data sheet. */
#include "uart_kind.h"

#include "arch/arch.h"

#define REG_DATA    0 /* DLL when DLAB */
#define REG_IER     1 /* DLM when DLAB */
#define REG_FCR     2
#define REG_LCR     3
#define REG_MCR     4
#define REG_LSR     5
#define REG_SCRATCH 7
#define REGISTERS   8u

#define LCR_8N1          0x03
#define LCR_DLAB         0x80
#define FCR_ENABLE_CLEAR 0x07
#define MCR_DTR_RTS      0x03
#define LSR_DATA         0x01
#define LSR_ERRORS       0x1c /* parity, framing, break: the byte was not sent by anybody */
#define LSR_THRE         0x20
#define LSR_TEMT         0x40
#define ABSENT           0xff /* what a bus with nobody on it reads as */

#define BASE_BAUD  115200u
#define FIFO_BYTES 16u

static uint8_t read(const struct uart *u, uint32_t reg)
{
	uint64_t at = u->base + (uint64_t)reg * u->stride;

	if (!u->mmio)
		return arch_in8((uint16_t)at);
	if (u->stride == 4)
		return (uint8_t) * (volatile uint32_t *)(uintptr_t)at;
	return *(volatile uint8_t *)(uintptr_t)at;
}

static void write(const struct uart *u, uint32_t reg, uint8_t value)
{
	uint64_t at = u->base + (uint64_t)reg * u->stride;

	if (!u->mmio)
		arch_out8((uint16_t)at, value);
	else if (u->stride == 4)
		*(volatile uint32_t *)(uintptr_t)at = value;
	else
		*(volatile uint8_t *)(uintptr_t)at = value;
}

static bool answers(const struct uart *u)
{
	static const uint8_t patterns[] = { 0x5a, 0xa5 };

	for (unsigned i = 0; i < sizeof(patterns); i++) {
		write(u, REG_SCRATCH, patterns[i]);
		if (read(u, REG_SCRATCH) != patterns[i])
			return false;
	}
	return read(u, REG_LSR) != ABSENT;
}

static void set_up(struct uart *u)
{
	write(u, REG_IER, 0);
	if (u->baud) {
		uint32_t divisor = BASE_BAUD / u->baud ? BASE_BAUD / u->baud : 1;

		write(u, REG_LCR, LCR_DLAB | LCR_8N1);
		write(u, REG_DATA, (uint8_t)divisor);
		write(u, REG_IER, (uint8_t)(divisor >> 8));
	}
	write(u, REG_LCR, LCR_8N1);
	write(u, REG_FCR, FCR_ENABLE_CLEAR);
	write(u, REG_MCR, MCR_DTR_RTS);
}

static uint32_t state(const struct uart *u)
{
	uint8_t lsr = read(u, REG_LSR);
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

static void put(const struct uart *u, uint8_t byte)
{
	write(u, REG_DATA, byte);
}

static bool get(const struct uart *u, uint8_t *byte)
{
	*byte = read(u, REG_DATA);
	return true;
}

const struct uart_kind uart_16550 = {
	.bytes = REGISTERS,
	.fifo = FIFO_BYTES,
	.answers = answers,
	.set_up = set_up,
	.state = state,
	.put = put,
	.get = get,
};
