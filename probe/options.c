/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the configuration by the door, and checks it against the machine. */
#include "options.h"

#include "probe/door.h"
#include "serial_choice.h"
#include "threshold.h"

#include "arch/arch.h"
#include "core/lib/text.h"

void options_complain(void *ctx, const char *source, unsigned line, const char *text)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	if (line)
		text_add(&t, "%s:%u: %s", source, line, text);
	else
		text_add(&t, "%s: %s", source, text);
	complaints_add(ctx, "error", t.buf);
}

/*
 * `report` may name the boot server without its address. Fill it in from the lease, or clear
 * `report` if there is none.
 */
static unsigned find_boot_server(struct options *o, config_complaint *complain, void *ctx)
{
	struct config *c = &o->config;
	struct config_place place = config_where(c, "report");
	bool is_named = c->report.kind == REPORT_AUTO || c->report.kind == REPORT_UDP;
	bool is_needed = c->report.kind == REPORT_UDP;

	if (!is_named || c->report.host.family != IPADDR_NONE)
		return 0;
	if (o->lease.server.family != IPADDR_NONE) {
		c->report.kind = REPORT_UDP;
		c->report.host = o->lease.server;
		return 0;
	}
	c->report.kind = REPORT_NONE;
	if (is_needed)
		complain(ctx, place.source, place.line,
			 "report=udp is the boot server of PXE or HTTP, and there is none, or only "
			 "its name is known; accepted: report=udp://address:port, or report=auto "
			 "where "
			 "it may be missing");
	return is_needed;
}

void options_read(struct options *o)
{
	config_defaults(&o->config);
	o->config.no_smi = ISA_NO_SMI;
	door.read_options(o);
}

/* The stage `firmware` measures live firmware: refuse it if there is none. */
static unsigned refuse_firmware(const struct config *c, config_complaint *complain, void *ctx)
{
	struct config_place place = config_where(c, "stages");

	if (door.lend || !(c->stages & 1u << STAGE_FIRMWARE))
		return 0;
	complain(ctx, place.source, place.line,
		 "stages=firmware measures live firmware, and this start is without any; accepted: "
		 "bare, acpi, handoff");
	return 1;
}

unsigned options_verify(struct options *o, config_complaint *complain, void *ctx)
{
	uint32_t found = o->machine->acpi.cpu_count ? o->machine->acpi.cpu_count : 1;
	unsigned mistakes = find_boot_server(o, complain, ctx) +
			    serial_choice_check(&o->config, o->machine, complain, ctx) +
			    refuse_firmware(&o->config, complain, ctx);
	uint64_t hz = o->machine->clock.hz;

	mistakes += config_check(&o->config, found, complain, ctx);
	return mistakes + (hz ? threshold_check(&o->config, hz, complain, ctx) : 0);
}

static void refuse_sealed(struct options *o)
{
	TEXT_DEFINE(t, CONFIG_COMPLAINT_MAX);

	text_add(&t,
		 "this is an %s guest, whose memory and cores cannot be taken over: measure in a "
		 "guest without it, or on its host",
		 o->machine->sealed);
	complaints_add(o->complaints, "error", t.buf);
	o->mistakes++;
}

void options_check(struct options *o)
{
	if (o->machine->sealed) {
		o->mistakes += serial_choice_check(&o->config, o->machine, options_complain,
						   o->complaints);
		refuse_sealed(o);
		return;
	}
	o->mistakes += options_verify(o, options_complain, o->complaints);
	if (o->machine->clock.hz)
		return;
	complaints_add(o->complaints, "error",
		       "the TSC's rate is unknown: no CPUID leaf 15h or 16h, no hypervisor that "
		       "reports it, no HPET, no PM timer, no RTC");
	o->mistakes++;
}
