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
	uint64_t hz; /* of the clock that bounds waits */
	bool present;
	uint32_t timeouts; /* in a row; a port is given up after a few */
};

/*
 * How sure it is that the port is there. Memory that holds what is written to it is doubtful, as is
 * a UART without a loop-back, such as some hypervisors' and a BCM2835's.
 */
enum uart_answer { UART_ABSENT, UART_DOUBTFUL, UART_ANSWERS };

/* Bytes of its registers from port.base on; ports, of one in I/O space. */
uint64_t uart_bytes(const struct serial_port *p);

/*
 * Whether the port of u->port is there; *why is what is missing, as "has no scratch register". What
 * the firmware has sent last is waited for. The line stays as it is set up.
 */
enum uart_answer uart_probe(struct uart *u, const char **why);

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
