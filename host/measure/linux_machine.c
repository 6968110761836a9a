/* SPDX-License-Identifier: BSD-2-Clause */
/* The files of /proc and /sys; machine, processor, kernel and memory from these and uname(2). */
#include "linux.h"

#include "core/lib/arith.h"
#include "core/lib/cpulist.h"
#include "core/lib/text.h"
#include "core/lib/units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define CPUINFO_MAX ((size_t)16 << 20)
#define MEMINFO_MAX ((size_t)16 << 10)

bool system_path(char path[SYSTEM_PATH_MAX], const char *root, const char *name)
{
	int n = snprintf(path, SYSTEM_PATH_MAX, "%s/%s", root, name);

	return n > 0 && n < SYSTEM_PATH_MAX;
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

int system_read_open(int fd, char *text, size_t cap)
{
	size_t used = 0;
	int error = read_all(fd, text, cap, &used);

	text[error ? 0 : used] = '\0';
	return error;
}

int system_read(const char *root, const char *name, char *text, size_t cap)
{
	char path[SYSTEM_PATH_MAX];
	int fd, error;

	text[0] = '\0';
	if (!system_path(path, root, name))
		return ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	error = system_read_open(fd, text, cap);
	close(fd);
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

static void drop_blanks(char *s)
{
	size_t bytes = strlen(s);

	while (bytes && s[bytes - 1] == ' ')
		s[--bytes] = '\0';
}

static void read_dmi(struct linux_machine *m, const char *root)
{
	for (size_t i = 0; i < LINUX_DMI_STRINGS; i++) {
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

/* ---- Memory ---- */

/* The limit of the cgroup at `path`, and of those above it: cgroups(7), version 2. */
static uint64_t limit_of(const char *root, const char *path, size_t bytes)
{
	uint64_t least = UINT64_MAX, limit;
	char name[SYSTEM_PATH_MAX], text[64];

	for (;;) {
		int n = snprintf(name, sizeof(name), "sys/fs/cgroup%.*s/memory.max", (int)bytes,
				 path);

		if (n < (int)sizeof(name) && system_read(root, name, text, sizeof(text)) == 0 &&
		    units_parse_u64(text, strlen(text), &limit) == UNITS_OK)
			least = arith_min(least, limit);
		if (!bytes)
			return least;
		while (bytes && path[--bytes] != '/')
			;
	}
}

uint64_t linux_memory_available(const char *root)
{
	char text[MEMINFO_MAX];
	uint64_t least, kib;
	const char *path;

	if (system_read(root, "proc/meminfo", text, sizeof(text)) != 0 ||
	    !find_number(text, "MemAvailable", &kib) || kib > UINT64_MAX >> 10)
		return 0;
	least = kib << 10;
	if (system_read(root, "proc/self/cgroup", text, sizeof(text)) != 0)
		return least;
	path = strstr(text, "0::/");
	if (path && (path == text || path[-1] == '\n'))
		path += strlen("0::");
	else
		path = "";
	return arith_min(least, limit_of(root, path, strcspn(path, "\n")));
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
	for (size_t i = 0; i < LINUX_DMI_STRINGS; i++)
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

/* ---- Caches: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu ---- */

#define INDEXES 16

struct place {
	const char *root;
	uint32_t cpu;
	unsigned index;
};

static bool read_text(const struct place *p, const char *name, char *text, size_t cap)
{
	TEXT_DEFINE(path, 80);

	text_add(&path, "sys/devices/system/cpu/cpu%u/cache/index%u/%s", (unsigned)p->cpu, p->index,
		 name);
	return system_read(p->root, path.buf, text, cap) == 0;
}

/* With that unit behind it, which may be none. */
static bool read_number(const struct place *p, const char *name, const char *unit, uint64_t *value)
{
	char text[24];
	size_t digits;

	if (!read_text(p, name, text, sizeof(text)))
		return false;
	digits = strspn(text, "0123456789");
	return strcmp(text + digits, unit) == 0 && units_parse_u64(text, digits, value) == UNITS_OK;
}

void linux_caches_read(struct caches *c, uint32_t cpu, const char *root)
{
	struct place p = { .root = root, .cpu = cpu };
	uint64_t level, kib;
	char type[24];

	*c = (struct caches){ 0 };
	for (; p.index < INDEXES && read_number(&p, "level", "", &level); p.index++) {
		if (read_text(&p, "type", type, sizeof(type)) && strcmp(type, "Instruction") != 0 &&
		    read_number(&p, "size", "K", &kib) && kib <= UINT64_MAX >> 10)
			caches_add(c, level, kib << 10);
	}
}
