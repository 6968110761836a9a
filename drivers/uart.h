/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UART, 16550-compatible or PL011, in I/O or memory space, 8N1, polled. Every wait is
 * bounded: a port that is absent or stuck is given up, never waited for.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UART_COM1 0x3f8

struct uart {
	bool pl011; /* else a 16550 */
	bool mmio;
	uint64_t base;   /* port or address */
	uint32_t stride; /* bytes from one register to the next */
	uint32_t baud;
	uint64_t hz; /* of the clock that bounds waits */
	bool present;
	uint32_t timeouts; /* in a row; a port is given up after a few */
};

/*
 * Set up the port; u->mmio, base, stride, baud and hz are given. baud divides
 * 115200, or is 0: the rate is left as it is. False when nothing answers there.
 */
bool uart_open(struct uart *u);

/* Send bytes; a dead port swallows them. */
void uart_write(struct uart *u, const char *s, size_t bytes);

/* Wait, bounded, until all has left the wire. */
void uart_drain(struct uart *u);

/* One received byte that somebody has sent: no break, no noise, no NUL. False: there is none. */
bool uart_read(struct uart *u, uint8_t *byte);
