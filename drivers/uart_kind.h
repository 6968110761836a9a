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
	uint32_t fifo;  /* bytes that UART_ROOM stands for */
	bool (*answers)(const struct uart *u);
	void (*set_up)(struct uart *u); /* u->baud; no interrupts */
	uint32_t (*state)(const struct uart *u);
	void (*put)(const struct uart *u, uint8_t byte);
	/* The byte that is there; false: nobody has sent it. */
	bool (*get)(const struct uart *u, uint8_t *byte);
};

extern const struct uart_kind uart_16550, uart_pl011;
