/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of serial ports. */
#include "serial_port.h"

#define COMS 4

/* The I/O ports of a PC's COM1 to COM4. */
static const uint16_t coms[COMS] = { SERIAL_PORT_COM1, 0x2f8, 0x3e8, 0x2e8 };

unsigned serial_port_com(const struct serial_port *p)
{
	for (unsigned i = 0; !p->mmio && i < COMS; i++)
		if (p->base == coms[i])
			return i + 1;
	return 0;
}

void serial_port_print(struct text *out, const struct serial_port *p)
{
	unsigned com = serial_port_com(p);

	text_add(out, "%s at %s0x%llx", p->name, p->mmio ? "" : "I/O port ",
		 (unsigned long long)p->base);
	if (com)
		text_add(out, " (COM%u)", com);
	text_add(out, ", by %s", p->from);
}
