/* SPDX-License-Identifier: BSD-2-Clause */
/* 16550 UART. Source: National Semiconductor PC16550D data sheet. */
#include "uart.h"

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

#define BASE_BAUD    115200u
#define FIFO_BYTES   16u
#define TIMEOUT_MS   200u  /* the FIFO drains in 107 ms at 1200 baud */
#define POLLS_MIN    1000u /* a hypervisor may stop us between two looks, for longer than that */
#define TIMEOUTS_MAX 3u
#define NOISE_MAX    32u /* bytes that are no bytes, at once: more than the FIFO holds */

static uint8_t get(const struct uart *u, uint32_t reg)
{
	uint64_t at = u->base + (uint64_t)reg * u->stride;

	if (!u->mmio)
		return arch_in8((uint16_t)at);
	if (u->stride == 4)
		return (uint8_t) * (volatile uint32_t *)(uintptr_t)at;
	return *(volatile uint8_t *)(uintptr_t)at;
}

static void put(const struct uart *u, uint32_t reg, uint8_t value)
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
		put(u, REG_SCRATCH, patterns[i]);
		if (get(u, REG_SCRATCH) != patterns[i])
			return false;
	}
	return get(u, REG_LSR) != ABSENT;
}

static bool wait_for(struct uart *u, uint8_t bits)
{
	uint64_t start = clock_now();
	uint64_t ticks = u->hz / 1000 * TIMEOUT_MS;

	for (unsigned polls = 0; polls < POLLS_MIN || clock_now() - start < ticks; polls++) {
		uint8_t lsr = get(u, REG_LSR);

		if (lsr != ABSENT && (lsr & bits) == bits) {
			u->timeouts = 0;
			return true;
		}
		clock_relax();
	}
	if (++u->timeouts >= TIMEOUTS_MAX)
		u->present = false;
	return false;
}

bool uart_map(const struct uart *u)
{
	return !u->mmio || arch_map_device(u->base, (uint64_t)REGISTERS * u->stride);
}

bool uart_open(struct uart *u)
{
	u->timeouts = 0;
	u->present = uart_map(u) && answers(u);
	if (!u->present)
		return false;
	/* What the firmware has sent last would be cut off. */
	wait_for(u, LSR_TEMT | LSR_THRE);
	u->timeouts = 0;
	u->present = true;
	put(u, REG_IER, 0);
	if (u->baud) {
		uint32_t divisor = BASE_BAUD / u->baud ? BASE_BAUD / u->baud : 1;

		put(u, REG_LCR, LCR_DLAB | LCR_8N1);
		put(u, REG_DATA, (uint8_t)divisor);
		put(u, REG_IER, (uint8_t)(divisor >> 8));
	}
	put(u, REG_LCR, LCR_8N1);
	put(u, REG_FCR, FCR_ENABLE_CLEAR);
	put(u, REG_MCR, MCR_DTR_RTS);
	return true;
}

void uart_write(struct uart *u, const char *s, size_t bytes)
{
	while (bytes && u->present) {
		size_t burst = bytes < FIFO_BYTES ? bytes : FIFO_BYTES;

		if (!wait_for(u, LSR_THRE))
			continue;
		for (size_t i = 0; i < burst; i++)
			put(u, REG_DATA, (uint8_t)s[i]);
		s += burst;
		bytes -= burst;
	}
}

void uart_drain(struct uart *u)
{
	if (u->present)
		wait_for(u, LSR_TEMT | LSR_THRE);
}

/* The bits of LSR are those of the byte that is read next. */
bool uart_read(struct uart *u, uint8_t *byte)
{
	for (unsigned n = 0; n < NOISE_MAX && u->present; n++) {
		uint8_t lsr = get(u, REG_LSR), got;

		if (lsr == ABSENT || !(lsr & LSR_DATA))
			return false;
		got = get(u, REG_DATA);
		if (lsr & LSR_ERRORS || !got)
			continue;
		*byte = got;
		return true;
	}
	return false;
}
