/* SPDX-License-Identifier: BSD-2-Clause */
/* Counters of each core, read from outside the windows. */
#include "linux.h"

#include "host/lib/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MSR_SMI_COUNT 0x34 /* Intel SDM vol. 4, table 2-2: bits 31:0, since the last reset */
#define TEXT_LEAST    ((size_t)64 << 10) /* bytes of /proc/interrupts */
#define TEXT_MOST     ((size_t)64 << 20)

/* The column of a core in the line of titles; SIZE_MAX: none. */
static size_t find_column(const char *line, uint32_t cpu)
{
	size_t column = 0;
	uint32_t n;

	while (scan_literal(&line, "CPU") && scan_u32(&line, &n)) {
		if (n == cpu)
			return column;
		column++;
	}
	return SIZE_MAX;
}

/* The number in that column, behind the row's name. */
static bool take_column(const char *at, size_t column, uint64_t *value)
{
	for (size_t i = 0; i <= column; i++)
		if (!scan_u64(&at, value))
			return false;
	return true;
}

static bool is_row(const char *name, size_t bytes, const char *wanted)
{
	return bytes == strlen(wanted) && memcmp(name, wanted, bytes) == 0;
}

static void take_row(const char *line, size_t column, struct linux_counts *counts)
{
	const char *name = line + strspn(line, " ");
	size_t bytes = strcspn(name, ":\n");
	uint64_t value = 0;

	if (name[bytes] != ':' || !take_column(name + bytes + 1, column, &value))
		return;
#define ROW_REGISTER(id, name_of)
#define ROW_HANDLER(id, name_of)      \
	if (is_row(name, bytes, #id)) \
		counts->name_of = (struct maybe){ value, true };
#define COUNTED(id, name_of, from, ...) ROW_##from(id, name_of)
#include "core/cause/counted_rows.h"
}

/* The next line begins here; NULL: there is none. */
static const char *next_line(const char *line)
{
	line = strchr(line, '\n');
	return line ? line + 1 : NULL;
}

void linux_counters_parse(const char *text, uint32_t cpu, struct linux_counts *counts)
{
	size_t column = find_column(text, cpu);

	*counts = (struct linux_counts){ 0 };
	if (column == SIZE_MAX)
		return;
	for (const char *line = next_line(text); line; line = next_line(line))
		take_row(line, column, counts);
}

/* 0, or an errno: then the text is empty. */
static int read_interrupts(struct linux_counters *c)
{
	return system_read(c->root, "proc/interrupts", c->text, c->cap);
}

static struct maybe read_smi(int fd)
{
	uint64_t value = 0;

	if (fd < 0 || pread(fd, &value, sizeof(value), MSR_SMI_COUNT) != sizeof(value))
		return (struct maybe){ 0 };
	return (struct maybe){ value & UINT32_MAX, true };
}

uint32_t linux_counters_smi(const struct linux_counters *c, uint32_t position)
{
	return (uint32_t)read_smi(c->core[position].msr).value;
}

static void read_counts(struct linux_counters *c, uint32_t position, struct linux_counts *counts)
{
	linux_counters_parse(c->text, c->platform->cpu[position].index, counts);
	counts->smi = read_smi(c->core[position].msr);
}

/*
 * Returns the steps of a 32-bit counter. Sets *lost if a reading is not known: the sum lacks
 * something then.
 */
static uint64_t step(struct maybe from, struct maybe to, bool *lost)
{
	if (from.known && to.known)
		return (uint32_t)(to.value - from.value);
	*lost = true;
	return 0;
}

static void take_steps(struct linux_core_counts *core, struct cpu *cpu,
		       const struct linux_counts *now, bool after)
{
	uint64_t steps[EVIDENCE_COUNTED];

	/* A guest's register may read 0 for ever: only what has counted is believed. */
#define COUNTED(id, name, ...)                                                     \
	steps[EVIDENCE_##id] = step(core->last.name, now->name, &cpu->blind.name); \
	cpu->name.moved = !cpu->blind.name && now->name.value;
#include "core/cause/counted_rows.h"
	core->last = *now;
	if (!after) {
		memcpy(core->before, steps, sizeof(steps));
		return;
	}
#define COUNTED(id, name, ...)                   \
	cpu->window.name = steps[EVIDENCE_##id]; \
	cpu->window.name##_out = core->before[EVIDENCE_##id];
#include "core/cause/counted_rows.h"
}

void linux_counters_step(struct linux_counters *c, bool after)
{
	read_interrupts(c);
	for (uint32_t i = 0; i < c->platform->cpus; i++) {
		struct linux_counts now;

		read_counts(c, i, &now);
		take_steps(&c->core[i], &c->platform->cpu[i], &now, after);
	}
}

/* Room for the text, which may grow by some rows while we measure. */
static bool allocate_text(struct linux_counters *c)
{
	for (c->cap = TEXT_LEAST;; c->cap *= 2) {
		char *text = realloc(c->text, c->cap);

		if (!text)
			return false;
		c->text = text;
		if (read_interrupts(c) != EFBIG || c->cap >= TEXT_MOST)
			return true;
	}
}

static void open_core(struct linux_counters *c, uint32_t position)
{
	struct linux_core_counts *core = &c->core[position];
	struct cpu *cpu = &c->platform->cpu[position];
	struct linux_counts now;
	char name[40];

	snprintf(name, sizeof(name), "dev/cpu/%u/msr", (unsigned)cpu->index);
	core->msr = system_open(c->root, name);
	cpu->blind.gaps = true;
	read_counts(c, position, &now);
	core->last = now;
	take_steps(core, cpu, &now, false);
}

bool linux_counters_open(struct linux_counters *c, struct platform *p, const char *root)
{
	*c = (struct linux_counters){ .platform = p };
	snprintf(c->root, sizeof(c->root), "%s", root);
	c->core = calloc(p->cpus, sizeof(*c->core));
	if (!c->core || !allocate_text(c))
		return false;
	for (uint32_t i = 0; i < p->cpus; i++)
		open_core(c, i);
	return true;
}

void linux_counters_close(struct linux_counters *c)
{
	for (uint32_t i = 0; c->core && i < c->platform->cpus; i++)
		if (c->core[i].msr >= 0)
			close(c->core[i].msr);
	free(c->core);
	free(c->text);
	*c = (struct linux_counters){ .cap = 0 };
}
