/* SPDX-License-Identifier: BSD-2-Clause */
/* What differs between UARTs: how their registers are read. */
#pragma once

#include "uart.h"

/* State, of which a bus with nobody on it shows nothing. */
#define UART_ROOM  0x1u /* a whole FIFO can be written */
#define UART_EMPTY 0x2u /* all has left the wire */
#define UART_DATA  0x4u /* a byte is there */
#define UART_NOISE 0x8u /* and nobody has sent it */

struct uart_kind {
	uint32_t bytes; /* its registers, where they are next to each other */
	uint32_t first; /* bytes from the port's base to its first register */
	uint32_t fifo;  /* bytes that UART_ROOM stands for */
	/* Without a change of what is sent, or of what the line is set to; *why as uart_probe(). */
	enum uart_answer (*is_there)(const struct uart *u, const char **why);
	/* Once it is there, and nothing is on the wire; NULL: there is no such test. */
	enum uart_answer (*loops_back)(const struct uart *u, const char **why);
	void (*set_up)(struct uart *u); /* u->baud; no interrupts */
	uint32_t (*state)(const struct uart *u);
	void (*put)(const struct uart *u, uint8_t byte);
	/* The byte that is there; false: nobody has sent it. */
	bool (*get)(const struct uart *u, uint8_t *byte);
};

extern const struct uart_kind uart_16550, uart_bcm2835, uart_pl011;
