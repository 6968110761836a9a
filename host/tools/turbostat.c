/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads turbostat's column SMI: the number of SMIs that each core's own counter (MSR_SMI_COUNT)
 * counted. Their lengths are not known. turbostat prints a table for each interval, with its length
 * in the line before, "5.011506 sec", unless --quiet is given. The first row of a table has the
 * sums, and "-" as its core. Columns up to SMI are checked; those behind it may touch each other,
 * and are missing in most rows.
 */
#include "tool_format.h"

#include <string.h>

#define DEFAULT_INTERVAL_NS (5 * NS_PER_S)

/* The columns that may precede SMI, and what a row has there. */
static const struct {
	const char *name, *pattern;
} columns[] = {
	{ "usec", " %u" },    { "Time_Of_Day_Seconds", " %u.%u" },
	{ "Package", " %m" }, { "Die", " %m" },
	{ "L3", " %m" },      { "Node", " %m" },
	{ "Core", " %m" },    { "CPU", " %m" },
	{ "APIC", " %m" },    { "X2APIC", " %m" },
	{ "Avg_MHz", " %u" }, { "Busy%", " %u.%u" },
	{ "Bzy_MHz", " %u" }, { "TSC_MHz", " %u" },
	{ "IPC", " %u.%u" },  { "IRQ", " %u" },
	{ "NMI", " %u" },     { "SMI", " %u" },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct head {
	char pattern[8 * COLUMNS]; /* of a row, up to SMI */
	size_t cpu, smi;           /* which of its numbers, from 1; 0: none */
};

struct turbostat {
	struct head head;
	struct maybe interval_ns;
	uint64_t ns, tables, timed;
	struct maybe all; /* SMIs in the current table's row of sums */
	uint64_t sum;     /* SMIs in the rows of its cores, so far */
};

/* Read a head. True if all fields up to SMI are known columns, and one of them is CPU. */
static bool read_head(const char *at, struct head *h)
{
	size_t numbers = 0, bytes;
	struct text pattern;

	*h = (struct head){ .smi = 0 };
	text_init(&pattern, h->pattern, sizeof(h->pattern));
	for (; !h->smi; at += bytes) {
		size_t i = 0;

		at += strspn(at, " ");
		bytes = strcspn(at, " ");
		while (i < COLUMNS &&
		       (strlen(columns[i].name) != bytes || memcmp(columns[i].name, at, bytes)))
			i++;
		if (i == COLUMNS || numbers + 2 > TOOL_NUMBERS_MAX)
			return false;
		if (strcmp(columns[i].name, "CPU") == 0)
			h->cpu = numbers + 1;
		if (strcmp(columns[i].name, "SMI") == 0)
			h->smi = numbers + 1;
		text_add(&pattern, "%s", columns[i].pattern);
		numbers += columns[i].pattern[3] ? 2 : 1;
	}
	return h->cpu;
}

static const char *find_body(const char *line)
{
	struct head head;

	for (size_t i = 0; i < COLUMNS; i++) {
		const char *at = tool_scan_word(line, columns[i].name);

		if (at && read_head(at, &head))
			return at;
	}
	return NULL;
}

/* Read "5.011506 sec" at the end of a line: the length of the next table's interval. */
static bool take_interval(struct turbostat *t, const char *line)
{
	const char *end = strstr(line, " sec"), *at = end;
	uint64_t ns;

	while (at && at > line && strchr("0123456789.", at[-1]))
		at--;
	if (!at || !scan_end(end + 4) || !memchr(at, '.', (size_t)(end - at)) ||
	    !scan_fixed(&at, 9, &ns))
		return false;
	t->interval_ns = (struct maybe){ ns, true };
	return true;
}

/* End a table. A row is missing if the cores' SMIs do not add up to the row of sums. */
static void end_table(struct tool_parse *p)
{
	struct turbostat *t = p->state;

	if (t->all.known && t->all.value != t->sum)
		p->tool->notes |= TOOL_PART_LISTED;
	t->all.known = false;
	t->sum = 0;
}

static void begin_table(struct tool_parse *p)
{
	struct turbostat *t = p->state;

	end_table(p);
	t->tables++;
	t->timed += t->interval_ns.known;
	t->ns = arith_sum(t->ns, t->interval_ns.value);
	t->interval_ns = (struct maybe){ 0 };
}

static void take_row(struct tool_parse *p, const char *line)
{
	struct turbostat *t = p->state;
	uint64_t n[TOOL_NUMBERS_MAX], cpu, smi;
	const char *at = line;
	struct tool_core *core;

	if (!tool_scan(&at, t->head.pattern, n) || (*at && *at != ' ') ||
	    at[strspn(at, " -.0123456789abcdefx")]) {
		tool_wrong(p, line, "a row of turbostat's table: numbers up to SMI, and behind it");
		return;
	}
	cpu = n[t->head.cpu - 1];
	smi = n[t->head.smi - 1];
	p->tool->rows++;
	if (cpu == TOOL_NONE) {
		t->all = (struct maybe){ smi, true };
		return;
	}
	core = tool_core(p, cpu);
	if (!core)
		return;
	core->smi = (struct maybe){ arith_sum(core->smi.value, smi), true };
	t->sum = arith_sum(t->sum, smi);
}

static void parse(struct tool_parse *p, const char *line)
{
	struct turbostat *t = p->state;
	const char *at = line + strspn(line, " ");
	struct head head;

	if (read_head(line, &head)) {
		t->head = head;
		if (!t->tables)
			take_interval(t, p->before);
		begin_table(p);
	} else if (!take_interval(t, line) && *at && strchr("-0123456789", *at)) {
		take_row(p, line);
	}
}

static void finish(struct tool_parse *p)
{
	const struct turbostat *t = p->state;
	const struct maybe stated = p->tool->stated.period_ns;
	uint64_t each = stated.known ? stated.value : DEFAULT_INTERVAL_NS;

	end_table(p);
	for (size_t i = 0; i < p->tool->cores; i++) {
		if (t->timed == t->tables)
			tool_exposure(&p->tool->core[i], range_exact(t->ns), TOOL_STATED);
		else
			tool_exposure_assume(&p->tool->core[i], arith_times(each, t->tables));
	}
}

const struct tool_format tool_turbostat = {
	.name = "turbostat",
	.find_body = find_body,
	.command = "turbostat",
	.state_bytes = sizeof(struct turbostat),
	.parse = parse,
	.finish = finish,
};
