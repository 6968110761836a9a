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
#define S_DIGITS            9
#define FIELDS_MAX          40

/* The columns that may precede SMI. */
enum kind { NUMBER, DECIMALS, PLACE, CPU, SMI };

static const struct {
	const char *name;
	enum kind kind;
} columns[] = {
	{ "usec", NUMBER },    { "Time_Of_Day_Seconds", DECIMALS },
	{ "Package", PLACE },  { "Die", PLACE },
	{ "L3", PLACE },       { "Node", PLACE },
	{ "Core", PLACE },     { "CPU", CPU },
	{ "APIC", PLACE },     { "X2APIC", PLACE },
	{ "Avg_MHz", NUMBER }, { "Busy%", DECIMALS },
	{ "Bzy_MHz", NUMBER }, { "TSC_MHz", NUMBER },
	{ "IPC", DECIMALS },   { "IRQ", NUMBER },
	{ "NMI", NUMBER },     { "SMI", SMI },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct head {
	enum kind kind[FIELDS_MAX];
	size_t fields; /* up to SMI */
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
	bool cpu = false;

	for (h->fields = 0; h->fields < FIELDS_MAX; h->fields++) {
		size_t bytes = (at += strspn(at, " "), strcspn(at, " ")), i = 0;

		while (i < COLUMNS &&
		       (strlen(columns[i].name) != bytes || memcmp(columns[i].name, at, bytes)))
			i++;
		if (i == COLUMNS)
			return false;
		h->kind[h->fields] = columns[i].kind;
		cpu = cpu || columns[i].kind == CPU;
		if (columns[i].kind == SMI)
			return h->fields++, cpu;
		at += bytes;
	}
	return false;
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
	    !scan_fixed(&at, S_DIGITS, &ns))
		return false;
	t->interval_ns = (struct maybe){ ns, true };
	return true;
}

/* Read a field of that kind; a place or a CPU is "-" in the row of sums. */
static bool take_field(const char **at, enum kind kind, struct maybe *value)
{
	const char *from = *at += strspn(*at, " ");
	size_t bytes = strcspn(from, " "), digits = strspn(from, "0123456789");

	*at += bytes;
	*value = (struct maybe){ 0 };
	if (kind == PLACE || kind == CPU) {
		if (bytes == 1 && *from == '-')
			return true;
		if (kind == PLACE && bytes == 2 && !memcmp(from, "-1", 2))
			return true;
	}
	if (kind == DECIMALS)
		return digits && from[digits] == '.' && digits < bytes;
	return digits == bytes && scan_maybe(&from, value);
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
	struct maybe cpu = { 0 }, smi = { 0 }, value;
	const char *at = line;
	struct tool_core *core;

	for (size_t i = 0; i < t->head.fields; i++) {
		if (!take_field(&at, t->head.kind[i], &value)) {
			tool_wrong(p, line, "a row of turbostat's table: numbers up to SMI");
			return;
		}
		cpu = t->head.kind[i] == CPU ? value : cpu;
		smi = value;
	}
	if (at[strspn(at, " -.0123456789abcdefx")]) {
		tool_wrong(p, line, "a row of turbostat's table: numbers behind SMI");
		return;
	}
	p->tool->rows++;
	if (!cpu.known) {
		t->all = smi;
		return;
	}
	core = tool_core(p, cpu.value);
	if (!core)
		return;
	core->smi = (struct maybe){ arith_sum(core->smi.value, smi.value), true };
	t->sum = arith_sum(t->sum, smi.value);
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
