/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine, processor and kernel, from /sys/class/dmi/id, /proc/cpuinfo and uname(2). */
#include "linux_machine.h"

#include "system_file.h"

#include "core/lib/cpulist.h"
#include "core/lib/text.h"
#include "core/lib/units.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#define CPUINFO_MAX ((size_t)16 << 20)

/* In the order of struct linux_machine's strings. */
static const struct {
	const char *file;
	size_t offset;
} dmi[INOS_DMI_STRINGS] = {
	{ "sys_vendor", offsetof(struct record_begin, machine.vendor) },
	{ "product_name", offsetof(struct record_begin, machine.product) },
	{ "board_name", offsetof(struct record_begin, machine.board) },
	{ "bios_vendor", offsetof(struct record_begin, machine.bios_vendor) },
	{ "bios_version", offsetof(struct record_begin, machine.bios_version) },
	{ "bios_date", offsetof(struct record_begin, machine.bios_date) },
	{ "product_uuid", offsetof(struct record_begin, machine.uuid) },
};

static void drop_blanks(char *s)
{
	size_t bytes = strlen(s);

	while (bytes && s[bytes - 1] == ' ')
		s[--bytes] = '\0';
}

static void read_dmi(struct linux_machine *m, const char *root)
{
	for (size_t i = 0; i < INOS_DMI_STRINGS; i++) {
		TEXT_DEFINE(name, 60);

		text_add(&name, "sys/class/dmi/id/%s", dmi[i].file);
		system_read(root, name.buf, m->dmi[i], sizeof(m->dmi[i]));
		drop_blanks(m->dmi[i]);
	}
}

/* "name	: value" of the processor described from `at` on, as far as the next one. */
static bool find_number(const char *at, const char *name, uint64_t *value)
{
	const char *line = at;

	while (line) {
		const char *next = strchr(line, '\n');

		if (line != at && strncmp(line, "processor", 9) == 0)
			return false;
		if (strncmp(line, name, strlen(name)) == 0 &&
		    strspn(line + strlen(name), "\t :") > 0) {
			line += strlen(name);
			line += strspn(line, "\t :");
			return units_parse_u64(line, strcspn(line, " \n"), value) == UNITS_OK;
		}
		line = next ? next + 1 : NULL;
	}
	return false;
}

struct maybe linux_apic_id(const char *cpuinfo, uint32_t cpu)
{
	struct maybe id = { 0 };
	uint64_t value;

	for (const char *at = cpuinfo; at; at = strstr(at, "\nprocessor")) {
		at += *at == '\n';
		if (!find_number(at, "processor", &value) || value != cpu)
			continue;
		id.known = find_number(at, "apicid", &id.value);
		break;
	}
	return id;
}

static void take_apic_ids(struct linux_machine *m, struct platform *p, const char *cpuinfo)
{
	static struct cpulist ids;
	struct text t;

	cpulist_clear(&ids);
	for (uint32_t i = 0; i < p->cpus; i++) {
		struct maybe id = linux_apic_id(cpuinfo, p->cpu[i].index);

		if (!id.known || id.value >= CPULIST_MAX)
			return;
		p->cpu[i].apic_id = (uint32_t)id.value;
		cpulist_add(&ids, (uint32_t)id.value);
	}
	text_init(&t, m->apic_ids, sizeof(m->apic_ids));
	cpulist_print(&ids, &t);
	if (t.overflow)
		m->apic_ids[0] = '\0';
}

static void read_cpuinfo(struct linux_machine *m, struct platform *p, const char *root)
{
	char *text = malloc(CPUINFO_MAX);
	uint64_t microcode;

	if (text && system_read(root, "proc/cpuinfo", text, CPUINFO_MAX) == 0) {
		take_apic_ids(m, p, text);
		if (find_number(text, "microcode", &microcode))
			m->identity.microcode = (struct maybe){ microcode, true };
	}
	free(text);
}

void linux_machine_read(struct linux_machine *m, struct platform *p, const char *root)
{
	struct utsname u;
	struct text t;

	memset(m, 0, sizeof(*m));
	arch_identify(&m->identity);
	read_dmi(m, root);
	read_cpuinfo(m, p, root);
	text_init(&t, m->os, sizeof(m->os));
	if (uname(&u) == 0)
		text_add(&t, "%s %s %s", u.sysname, u.release, u.version);
	else
		text_add(&t, "Linux");
}

static const char *or_null(const char *s)
{
	return s[0] ? s : NULL;
}

void linux_machine_describe(const struct linux_machine *m, struct record_begin *b)
{
	for (size_t i = 0; i < INOS_DMI_STRINGS; i++)
		*(const char **)(void *)((char *)b + dmi[i].offset) = or_null(m->dmi[i]);
	b->cpu.vendor = m->identity.vendor;
	b->cpu.brand = or_null(m->identity.brand);
	b->cpu.family = m->identity.family;
	b->cpu.model = m->identity.model;
	b->cpu.stepping = m->identity.stepping;
	b->cpu.microcode = m->identity.microcode;
	b->hypervisor = or_null(m->identity.hypervisor);
	b->os = m->os;
	b->cpus.apic_ids = or_null(m->apic_ids);
}
