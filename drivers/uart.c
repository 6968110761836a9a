/* SPDX-License-Identifier: BSD-2-Clause */
/* A serial port, polled. */
#include "uart.h"

#include "arch/arch.h"
#include "deadline.h"

#define TIMEOUT_MS   200u /* the FIFO drains in 107 ms at 1200 baud */
#define TIMEOUTS_MAX 3u
#define NOISE_MAX    32u /* broken bytes that are skipped in one read: more than the FIFO holds */

static __attribute__((noinline)) const struct uart_kind *kind_of(const struct serial_port *p)
{
	static const struct uart_kind *const kinds[] = {
		[SERIAL_PORT_16550] = &uart_16550,
		[SERIAL_PORT_PL011] = &uart_pl011,
		[SERIAL_PORT_BCM2835] = &uart_bcm2835,
	};

	return kinds[p->kind];
}

static bool wait_for(struct uart *u, uint32_t bits)
{
	struct deadline d = deadline_in(TIMEOUT_MS, u->hz);

	do {
		if ((kind_of(&u->port)->state(u) & bits) == bits) {
			u->timeouts = 0;
			return true;
		}
	} while (!deadline_passed(&d));
	if (++u->timeouts >= TIMEOUTS_MAX)
		u->present = false;
	return false;
}

uint64_t uart_bytes(const struct serial_port *p)
{
	const struct uart_kind *kind = kind_of(p);

	return kind->first + (uint64_t)kind->bytes * p->stride;
}

bool uart_probe(struct uart *u, const char **why)
{
	if (u->port.mmio && !arch_map_device(u->port.base, uart_bytes(&u->port))) {
		*why = "cannot be mapped";
		return false;
	}
	return kind_of(&u->port)->is_there(u, why);
}

void uart_open(struct uart *u)
{
	/* A set-up would cut off the firmware's last bytes: wait until they are sent. */
	wait_for(u, UART_EMPTY);
	u->timeouts = 0;
	u->present = true;
	kind_of(&u->port)->set_up(u);
}

void uart_write(struct uart *u, const char *s, size_t bytes)
{
	/* A port that is off has no kind. */
	while (bytes && u->present) {
		size_t fifo = kind_of(&u->port)->fifo;
		size_t burst = bytes < fifo ? bytes : fifo;

		if (!wait_for(u, UART_ROOM))
			continue;
		for (size_t i = 0; i < burst; i++)
			kind_of(&u->port)->put(u, (uint8_t)s[i]);
		s += burst;
		bytes -= burst;
	}
}

void uart_drain(struct uart *u)
{
	if (u->present)
		wait_for(u, UART_EMPTY);
}

bool uart_read(struct uart *u, uint8_t *byte)
{
	for (unsigned n = 0; n < NOISE_MAX && u->present; n++) {
		uint32_t state = kind_of(&u->port)->state(u);

		if (!(state & UART_DATA))
			return false;
		if (kind_of(&u->port)->get(u, byte) && *byte && !(state & UART_NOISE))
			return true;
	}
	return false;
}
