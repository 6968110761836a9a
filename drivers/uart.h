/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A UART, 16550-compatible or PL011, in I/O or memory space, 8N1, polled. Every wait is
 * bounded: a port that is absent or stuck is given up, never waited for.
 */
#pragma once

#include "core/firmware/serial_port.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uart {
	struct serial_port port;
	uint32_t baud;
	uint64_t hz; /* rate of the clock that bounds waits */
	bool present;
	uint32_t timeouts; /* in a row; a port is given up after a few */
};

/* Bytes of its registers from port.base on; ports, of one in I/O space. */
uint64_t uart_bytes(const struct serial_port *p);

/*
 * True if a UART answers at u->port; else *why is what is missing, as in "has no scratch register".
 * Neither the line's settings nor bytes being sent change.
 */
bool uart_probe(struct uart *u, const char **why);

/*
 * Set up the port, which uart_probe() has found; u->port, baud and hz are given. baud divides
 * 115200, or is 0: the rate is left as it is.
 */
void uart_open(struct uart *u);

/* Send bytes; a dead port swallows them. */
void uart_write(struct uart *u, const char *s, size_t bytes);

/* Wait, bounded, until all has left the wire. */
void uart_drain(struct uart *u);

/* One received byte that somebody has sent: no break, no noise, no NUL. False: there is none. */
bool uart_read(struct uart *u, uint8_t *byte);

/* Differences between UARTs: how their registers are read. */

/* Bits of the state; a bus without a device has none. */
#define UART_ROOM  0x1u /* a whole FIFO can be written */
#define UART_EMPTY 0x2u /* all has left the wire */
#define UART_DATA  0x4u /* a byte is there */
#define UART_NOISE 0x8u /* a line error: nobody has sent the byte */

struct uart_kind {
	uint32_t bytes; /* its registers, where they are next to each other */
	uint32_t first; /* bytes from the port's base to its first register */
	uint32_t fifo;  /* bytes that UART_ROOM stands for */
	bool (*is_there)(const struct uart *u, const char **why); /* uart_probe() */
	void (*set_up)(struct uart *u);                           /* u->baud; no interrupts */
	uint32_t (*state)(const struct uart *u);
	void (*put)(const struct uart *u, uint8_t byte);
	/* Takes the received byte; false: a line error, nobody has sent it. */
	bool (*get)(const struct uart *u, uint8_t *byte);
};

extern const struct uart_kind uart_16550, uart_bcm2835, uart_pl011;
