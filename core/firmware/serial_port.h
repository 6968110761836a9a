/* SPDX-License-Identifier: BSD-2-Clause */
/* A serial port as the firmware, or a person, describes it. */
#pragma once

#include "core/lib/text.h"

#include <stdbool.h>
#include <stdint.h>

#define SERIAL_PORT_COM1      0x3f8
#define SERIAL_PORT_REGISTERS 8u /* registers of a 16550 */

/* Driver of a port. */
enum serial_port_kind {
	SERIAL_PORT_UNDRIVEN,
	SERIAL_PORT_16550,
	SERIAL_PORT_PL011,   /* PL011, or SBSA's generic UART, a subset of it; in memory */
	SERIAL_PORT_BCM2835, /* the mini UART behind AUX_ENABLES, which is at `base`; in memory */
};

struct serial_port {
	enum serial_port_kind kind;
	const char *name; /* "16550" "SBSA's UART" */
	const char *from; /* source of the description: "SPCR" "serial=" */
	bool mmio;
	uint64_t base;  /* I/O port or address of the first register, not 0 */
	uint8_t stride; /* bytes from one register to the next: 1, 2, 4 */
	uint8_t access; /* bytes that a register is read and written by: 1, 2, 4; <= stride */
	bool is_set_up; /* the firmware uses it as its console: the rate stays as it is */
};

/* 1 to 4: the PC's port of that number, COM1 to COM4; 0: it is none of them. */
unsigned serial_port_com(const struct serial_port *p);

/* "16550 at I/O port 0x3f8 (COM1), by SPCR" */
void serial_port_print(struct text *out, const struct serial_port *p);
