/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc and /sys; machine, processor and kernel from these and uname(2). */
#include "linux.h"

#include "core/lib/cpulist.h"
#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

int system_open(const char *root, const char *name)
{
	char path[SYSTEM_PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", root, name) < (int)sizeof(path))
		return open(path, O_RDONLY | O_CLOEXEC);
	errno = ENAMETOOLONG;
	return -1;
}

/* Until the end: such files give as much as they like at a time. */
static int read_all(int fd, char *text, size_t cap, size_t *used)
{
	ssize_t n;

	while ((n = read(fd, text + *used, cap - *used)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		*used += (size_t)n;
		if (*used == cap)
			return EFBIG;
	}
	while (*used && text[*used - 1] == '\n')
		--*used;
	return 0;
}

int system_read(const char *root, const char *name, char *text, size_t cap)
{
	int fd = system_open(root, name), error = fd < 0 ? errno : 0;
	size_t used = 0;

	if (!error) {
		error = read_all(fd, text, cap, &used);
		close(fd);
	}
	text[error ? 0 : used] = '\0';
	return error;
}

/* ---- The machine ---- */

/* In the order of struct linux_machine's strings. */
static const struct {
	const char *file;
	size_t offset;
} dmi[LINUX_DMI_STRINGS] = {
	{ "sys_vendor", offsetof(struct record_begin, machine.vendor) },
	{ "product_name", offsetof(struct record_begin, machine.product) },
	{ "board_name", offsetof(struct record_begin, machine.board) },
	{ "bios_vendor", offsetof(struct record_begin, machine.bios_vendor) },
	{ "bios_version", offsetof(struct record_begin, machine.bios_version) },
	{ "bios_date", offsetof(struct record_begin, machine.bios_date) },
	{ "product_uuid", offsetof(struct record_begin, machine.uuid) },
};

/* Without blanks at their ends, as the probe has them: `compare` compares both. */
static void read_dmi(struct linux_machine *m, struct record_begin *b, const char *root)
{
	for (size_t i = 0; i < LINUX_DMI_STRINGS; i++) {
		char *s = m->dmi[i];
		TEXT_DEFINE(name, 60);

		text_add(&name, "sys/class/dmi/id/%s", dmi[i].file);
		system_read(root, name.buf, s, sizeof(m->dmi[i]));
		for (size_t bytes = strlen(s); bytes && s[bytes - 1] == ' '; bytes--)
			s[bytes - 1] = '\0';
		*(const char **)(void *)((char *)b + dmi[i].offset) = *s ? s : NULL;
	}
}

/* Each processor is described in lines "name	: value", of which the first has its number. */
static void read_cpuinfo(struct linux_machine *m, struct record_begin *b, struct platform *p,
			 const char *root)
{
	int fd = system_open(root, "proc/cpuinfo");
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	unsigned number = 0, value, known = 0;
	static struct cpulist ids;
	char *line = NULL;
	size_t room = 0;
	struct text t;

	cpulist_clear(&ids);
	while (f && getline(&line, &room, f) > 0) {
		if (sscanf(line, "processor : %u", &number) != 1 &&
		    sscanf(line, "microcode : %x", &value) == 1)
			b->cpu.microcode = (struct maybe){ value, true };
		if (sscanf(line, "apicid : %u", &value) != 1 || value >= CPULIST_MAX)
			continue;
		for (uint32_t i = 0; i < p->cpus; i++) {
			if (p->cpu[i].index != number)
				continue;
			p->cpu[i].apic_id = value;
			cpulist_add(&ids, value);
			known++;
		}
	}
	free(line);
	if (f)
		fclose(f);
	text_init(&t, m->apic_ids, sizeof(m->apic_ids));
	cpulist_print(&ids, &t);
	b->cpus.apic_ids = known == p->cpus && !t.overflow ? m->apic_ids : NULL;
}

void linux_machine_describe(struct linux_machine *m, struct record_begin *b, struct platform *p,
			    const char *root)
{
	struct arch_identity *id = &m->identity;
	struct utsname u;
	struct text t;

	arch_identify(id);
	b->cpu.vendor = id->vendor;
	b->cpu.brand = id->brand[0] ? id->brand : NULL;
	b->cpu.family = id->family;
	b->cpu.model = id->model;
	b->cpu.stepping = id->stepping;
	b->cpu.microcode = id->microcode;
	b->hypervisor = id->hypervisor[0] ? id->hypervisor : NULL;
	read_dmi(m, b, root);
	read_cpuinfo(m, b, p, root);
	text_init(&t, m->os, sizeof(m->os));
	text_add(&t, "Linux");
	if (uname(&u) == 0)
		text_add(&t, " %s %s", u.release, u.version);
	b->os = m->os;
}
