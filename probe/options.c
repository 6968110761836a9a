/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the configuration through the door, and checks it against the machine. */
#include "options.h"

#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/text.h"

#define UART_MMIO_BYTES (4 * SERIAL_PORT_REGISTERS)

void options_complain(void *ctx, const char *source, unsigned line, const char *text)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	(void)ctx;
	if (line)
		text_add(&t, "%s:%u: %s", source, line, text);
	else
		text_add(&t, "%s: %s", source, text);
	complaints_add("error", t.buf);
}

/*
 * `report` may name the boot server without its address. Fill it in, or clear `report` if
 * there is none. Returns why that is a mistake; NULL: it is none.
 */
static const char *find_boot_server(struct options *o)
{
	struct config *c = &o->config;
	bool is_needed = c->report.kind == REPORT_UDP;

	if ((!is_needed && c->report.kind != REPORT_AUTO) || c->report.host.family != IPADDR_NONE)
		return NULL;
	c->report.kind = REPORT_NONE;
	if (o->boot_server.family != IPADDR_NONE) {
		c->report.kind = REPORT_UDP;
		c->report.host = o->boot_server;
		return NULL;
	}
	return is_needed ? "report=udp is the boot server of PXE or HTTP, and there is none, or "
			   "only its name is known; accepted: report=udp://address:port, or "
			   "report=auto where it may be missing"
			 : NULL;
}

static bool is_after_linux(void)
{
	return door.is_after_linux && door.is_after_linux();
}

/* The configuration of a start that is given none. It depends on the machine and the door. */
static void options_defaults(struct config *c)
{
	config_defaults(c);
	if (is_after_linux())
		c->stages = 1u << STAGE_LINUX;
	c->no_smi = ISA_NO_SMI;
	c->no_modes = door.loan ? 0 : 1u << MODE_SURVEY;
}

void options_read(struct options *o)
{
	options_defaults(&o->config);
	door.read_options(o);
}

/*
 * True if the rules for an unsigned configuration apply: to an image that may be signed, or while
 * the variable SecureBoot is 1, as it is while images are verified (UEFI 2.10, 3.3).
 */
static bool is_secure_boot(void)
{
	size_t bytes = 1;
	uint8_t on = 0;

	if (door.is_verified)
		return *door.is_verified;
	return door.variable->get &&
	       door.variable->get(DOOR_FIRMWARES, "SecureBoot", &on, &bytes) == DOOR_OK && on == 1;
}

static const char *refuse_serial(const struct config *c, const struct machine *m)
{
	uint64_t base = c->serial.base;

	if (c->serial.kind == SERIAL_MMIO32 &&
	    memory_map_usable(&m->map, base, base + UART_MMIO_BYTES))
		return "serial= is memory, by the firmware's map; accepted: a device's registers";
	if (config_serial_is_chosen(c) && is_secure_boot())
		return "serial= is an address of an unsigned configuration, and Secure Boot's "
		       "rules apply; accepted: " CONFIG_SERIAL_UNCHOSEN;
	return NULL;
}

static const char *refuse_then(const struct config *c, const struct machine *m)
{
	if (c->then != THEN_QEMU_EXIT || m->identity.hypervisor[0] || !is_secure_boot())
		return NULL;
	return "then=qemu-exit writes to a port that only QEMU has, and Secure Boot's rules apply; "
	       "accepted: auto, reset, shutdown, halt, exit";
}

static const char *refuse_smi(const struct config *c)
{
	if (!c->smi.set || !is_secure_boot())
		return NULL;
	return "smi= is a command of an unsigned configuration, and Secure Boot's rules apply; "
	       "accepted: none";
}

static bool blame(const struct config *c, const char *key, const char *why,
		  config_complaint *complain, void *ctx)
{
	struct config_place place = config_where(c, key);

	if (why)
		complain(ctx, place.source, place.line, why);
	return why != NULL;
}

/*
 * A configuration is not signed, and `serial` is an address that is written to, so it must not be
 * memory. With Secure Boot, which promises that only signed code decides what is done,
 * `serial` must be a port that PCs have, `smi` must not be set, and `then=qemu-exit` needs a
 * virtual machine. A refused key is reset: `serial` and `then` to auto, `smi` to none.
 */
static unsigned refuse_unsigned(struct options *o, config_complaint *complain, void *ctx)
{
	const struct machine *m = o->machine;
	struct config *c = &o->config;
	bool bad_serial = blame(c, "serial", refuse_serial(c, m), complain, ctx);
	bool bad_smi = blame(c, "smi", refuse_smi(c), complain, ctx);
	bool bad_then = blame(c, "then", refuse_then(c, m), complain, ctx);

	if (bad_serial)
		c->serial.kind = SERIAL_AUTO;
	if (bad_then)
		c->then = THEN_AUTO;
	if (bad_smi)
		c->smi.set = false;
	o->may_write = true;
	return (unsigned)bad_serial + bad_smi + bad_then;
}

/* Why this start cannot measure these stages; NULL: it can. */
static const char *refuse_stages(uint32_t stages)
{
	if (is_after_linux())
		return stages == 1u << STAGE_LINUX
			       ? NULL
			       : "stages= measures what firmware has left, and Linux has run "
				 "since; accepted: linux";
	if (stages & 1u << STAGE_LINUX)
		return "stages=linux measures what a running Linux has left, and none started "
		       "this; accepted: bare, acpi, handoff, and firmware where there is any";
	if (stages & 1u << STAGE_FIRMWARE && !door.loan)
		return "stages=firmware measures live firmware, and this start is without any; "
		       "accepted: bare, acpi, handoff";
	return NULL;
}

unsigned options_verify(struct options *o, config_complaint *complain, void *ctx)
{
	uint32_t found = o->machine->acpi.cpu_count ? o->machine->acpi.cpu_count : 1;
	unsigned mistakes = blame(&o->config, "report", find_boot_server(o), complain, ctx) +
			    refuse_unsigned(o, complain, ctx) +
			    blame(&o->config, "stages", refuse_stages(o->config.stages), complain,
				  ctx);
	uint64_t hz = o->machine->clock.hz;

	mistakes += config_check(&o->config, found, complain, ctx);
	return mistakes + (hz ? options_check_threshold(&o->config, hz, complain, ctx) : 0);
}

static void refuse_sealed(struct options *o)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t,
		 "this is an %s guest, whose memory and cores cannot be taken over: measure in a "
		 "guest without it, or on its host",
		 o->machine->sealed);
	complaints_add("error", t.buf);
	o->mistakes++;
}

void options_check(struct options *o)
{
	if (o->machine->sealed) {
		o->mistakes += refuse_unsigned(o, options_complain, NULL);
		refuse_sealed(o);
		return;
	}
	o->mistakes += options_verify(o, options_complain, NULL);
	if (o->machine->clock.hz)
		return;
	complaints_add("error",
		       "the TSC's rate is unknown: no CPUID leaf 15h or 16h, no hypervisor that "
		       "reports it, no HPET, no PM timer, no PIT");
	o->mistakes++;
}
