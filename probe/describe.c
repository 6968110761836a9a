/* SPDX-License-Identifier: BSD-2-Clause */
/* Filling the begin record. */
#include "probe/app.h"
#include "probe/door.h"

#include "arch/arch.h"
#include "core/lib/cpulist.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "core/report/report_words.h"

static const char *or_null(const char *s)
{
	return s[0] ? s : NULL;
}

void describe_machine(void)
{
	const struct smbios_info *s = &app->machine.smbios;
	const struct arch_identity *id = &app->machine.identity;
	struct record_begin *b = &app->begin.record;

	b->version = NF_VERSION;
	b->arch = ISA_NAME;
	b->door = door.name;
	b->machine.vendor = or_null(s->vendor);
	b->machine.product = or_null(s->product);
	b->machine.board = or_null(s->board);
	b->machine.bios_vendor = or_null(s->bios_vendor);
	b->machine.bios_version = or_null(s->bios_version);
	b->machine.bios_date = or_null(s->bios_date);
	b->machine.uuid = or_null(s->uuid);
	b->cpu.vendor = id->vendor;
	b->cpu.brand = or_null(id->brand);
	b->cpu.family = id->family;
	b->cpu.model = id->model;
	b->cpu.stepping = id->stepping;
	b->cpu.microcode = id->microcode;
	b->hypervisor = or_null(id->hypervisor);
}

void describe_time(void)
{
	struct describe_begin *d = &app->begin;
	struct date date;
	struct text t;

	if (!door.time || !door.time(&date))
		return;
	text_init(&t, d->began, sizeof(d->began));
	if (date_print(&t, &date))
		d->record.began = d->began;
}

static void describe_cores(struct describe_begin *d, const struct platform *p)
{
	struct record_begin *b = &d->record;
	struct cpulist ids;
	struct text t;

	cpulist_clear(&ids);
	b->cpus.found = p->cpus;
	for (uint32_t i = 0; i < p->cpus; i++) {
		b->cpus.started += p->cpu[i].state == CPU_READY;
		b->cpus.measured += p->cpu[i].measured;
		cpulist_add(&ids, p->cpu[i].apic_id);
	}
	text_init(&t, d->apic_ids, sizeof(d->apic_ids));
	cpulist_print(&ids, &t);
	b->cpus.apic_ids = t.overflow || cpulist_last(&ids) >= CPULIST_MAX - 1 ? NULL : d->apic_ids;
}

static void fill_begin(struct describe_begin *d)
{
	const struct machine *m = &app->machine;
	const struct platform *p = &app->platform;
	struct record_begin *b = &d->record;
	struct text t;

	b->clock.hz = m->clock.hz;
	b->clock.source = m->clock.source;
	b->clock.invariant = m->identity.clock_invariant;
	b->clock.quantum = (struct maybe){ p->cpu[0].quantum, p->cpu[0].quantum };
	b->clock.audited_by = m->clock.audited_by;
	b->clock.audit_ppm = m->clock.audit_ppm;
	describe_cores(d, p);
	arch_evidence_names(&p->cpu[0], b->evidence, d->busy, RECORD_STRINGS);
	text_init(&t, d->config, sizeof(d->config));
	config_print(&app->options.config, &t);
	b->config = d->config;
	b->begin_tsc = p->begin_tsc;
}

void describe_begin(void)
{
	struct describe_begin *d = &app->begin;
	struct report *r = &app->report;

	fill_begin(d);
	report_begin(r, &d->record);
	report_log(r, "info", "memory: %u KiB, and %u KiB of gap rings (%u gaps per core)",
		   (unsigned)(app->memory_bytes / 1024), (unsigned)(app->cores.ring_bytes / 1024),
		   (unsigned)app->platform.cpu[0].ring.capacity);
	for (unsigned i = 0; d->busy[i]; i++)
		report_log(r, "info", "evidence \"%s\" " REPORT_BUSY ": left alone", d->busy[i]);
}
