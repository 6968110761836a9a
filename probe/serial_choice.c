/* SPDX-License-Identifier: BSD-2-Clause */
/* Serial ports by address: which of them, and when. */
#include "serial_choice.h"

#include "probe/door.h"

#define UART_MMIO_BYTES (4 * SERIAL_PORT_REGISTERS)

/* The variable SecureBoot is 1 while images are verified: UEFI 2.10, 3.3. */
static bool is_secure_boot(void)
{
	size_t bytes = 1;
	uint8_t on = 0;

	return door.variable.get(DOOR_FIRMWARES, "SecureBoot", &on, &bytes) == DOOR_OK && on == 1;
}

static const char *refuse_serial(const struct config *c, const struct machine *m)
{
	uint64_t base = c->serial.base;
	bool is_mmio = c->serial.kind == SERIAL_MMIO32, is_io = c->serial.kind == SERIAL_IO;
	const struct serial_port port = { .mmio = is_mmio, .base = base };

	if (is_mmio && memory_map_overlaps(&m->map, base, base + UART_MMIO_BYTES))
		return "serial= is memory, by the firmware's map; accepted: a device's registers";
	if ((is_mmio || (is_io && !serial_port_com(&port))) && is_secure_boot())
		return "serial= is an address of an unsigned configuration, and Secure Boot is "
		       "on; accepted: auto, off, 0x3f8, 0x2f8, 0x3e8, 0x2e8";
	return NULL;
}

static const char *refuse_then(const struct config *c, const struct machine *m)
{
	if (c->then != THEN_QEMU_EXIT || m->identity.hypervisor[0] || !is_secure_boot())
		return NULL;
	return "then=qemu-exit writes to a port that only QEMU has, and Secure Boot is on; "
	       "accepted: auto, reset, shutdown, halt, exit";
}

static const char *refuse_smi(const struct config *c)
{
	if (!c->smi.set || !is_secure_boot())
		return NULL;
	return "smi= is a command of an unsigned configuration, and Secure Boot is on; accepted: "
	       "none";
}

static bool blame(const struct config *c, const char *key, const char *why,
		  config_complaint *complain, void *ctx)
{
	struct config_place place = config_where(c, key);

	if (why)
		complain(ctx, place.source, place.line, why);
	return why != NULL;
}

unsigned serial_choice_check(struct config *c, const struct machine *m, config_complaint *complain,
			     void *ctx)
{
	bool bad_serial = blame(c, "serial", refuse_serial(c, m), complain, ctx);
	bool bad_smi = blame(c, "smi", refuse_smi(c), complain, ctx);
	bool bad_then = blame(c, "then", refuse_then(c, m), complain, ctx);

	if (bad_serial)
		c->serial.kind = SERIAL_AUTO;
	if (bad_then)
		c->then = THEN_AUTO;
	if (bad_smi)
		c->smi.set = false;
	return (unsigned)bad_serial + bad_smi + bad_then;
}
