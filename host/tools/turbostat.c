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

/* The patterns of a row's numbers, of at most 17 columns. */
#define PATTERN_BYTES (17 * sizeof(" %u(smi)"))

struct turbostat {
	char pattern[PATTERN_BYTES]; /* pattern of a row, up to SMI */
	uint64_t interval_ns;        /* interval of the next table; 0: not printed */
	uint64_t ns, tables, timed;  /* intervals in all, and those that were printed */
	uint64_t all, sum; /* SMIs in this table: of its row of sums, or TOOL_NONE; of its cores */
};

static bool is_named(const char *word, size_t bytes, const char *name)
{
	return bytes == strlen(name) && memcmp(word, name, bytes) == 0;
}

/* True if the line is the head of a table, of which this makes the pattern of a row up to SMI. */
static bool read_head(const struct tool_format *format, const char *line,
		      char pattern[PATTERN_BYTES])
{
	const char *at = line;
	size_t i = 0, bytes;
	bool smi = false;
	struct text t;

	while (i < TOOL_BODY_MAX && !tool_scan(&line, format->body[i], NULL))
		i++;
	text_init(&t, pattern, PATTERN_BYTES);
	for (; i < TOOL_BODY_MAX && *at && !smi; at += bytes) {
		at += strspn(at, " ");
		bytes = strcspn(at, " ");
		smi = is_named(at, bytes, "SMI");
		text_add(&t, "%s",
			 smi                          ? " %u(smi)"
			 : is_named(at, bytes, "CPU") ? " %m(cpu)"
			 : memchr(at, '%', bytes) || is_named(at, bytes, "IPC") ||
					 is_named(at, bytes, "Time_Of_Day_Seconds")
				 ? " %u.%u"
				 : " %m");
	}
	return smi;
}

/* Read "5.011506 sec" at the end of a line: the length of the next table's interval. */
static bool take_interval(struct turbostat *t, const char *line)
{
	const char *end = strstr(line, " sec"), *at = end;

	while (at && at > line && strchr("0123456789.", at[-1]))
		at--;
	return at && scan_end(end + 4) && memchr(at, '.', (size_t)(end - at)) &&
	       scan_fixed(&at, 9, &t->interval_ns);
}

/* End a table. A row is missing if the cores' SMIs do not add up to the row of sums. */
static void end_table(struct tool_parse *p)
{
	struct turbostat *t = p->state;

	if (t->tables && tool_or(t->all, t->sum) != t->sum)
		p->tool->notes |= TOOL_PART_LISTED;
	t->all = TOOL_NONE;
	t->sum = 0;
}

static void begin_table(struct tool_parse *p)
{
	struct turbostat *t = p->state;

	if (!t->tables)
		take_interval(t, p->before);
	end_table(p);
	t->tables++;
	t->timed += t->interval_ns > 0;
	t->ns = arith_sum(t->ns, t->interval_ns);
	t->interval_ns = 0;
}

static void take_row(struct tool_parse *p, const char *line)
{
	struct turbostat *t = p->state;
	struct tool_values *v = &p->v;
	const char *at = line;
	struct tool_core *core;

	if (!tool_scan(&at, t->pattern, v) || (*at && *at != ' ') ||
	    at[strspn(at, " -.0123456789abcdefx")]) {
		tool_wrong(p, line);
		return;
	}
	p->tool->rows++;
	if (v->cpu == TOOL_NONE) {
		t->all = v->smi;
		return;
	}
	core = tool_core(p, v->cpu);
	core->smi = (struct maybe){ arith_sum(core->smi.value, v->smi), true };
	t->sum = arith_sum(t->sum, v->smi);
}

static void turbostat_parse(struct tool_parse *p, const char *line)
{
	struct turbostat *t = p->state;
	const char *at = line + strspn(line, " ");
	char pattern[PATTERN_BYTES];

	if (read_head(p->format, line, pattern)) {
		memcpy(t->pattern, pattern, sizeof(pattern));
		begin_table(p);
	} else if (!take_interval(t, line) && *at && strchr("-0123456789", *at)) {
		take_row(p, line);
	}
}

static void turbostat_finish(struct tool_parse *p)
{
	const struct turbostat *t = p->state;
	uint64_t each = p->tool->stated.period_ns ?: DEFAULT_INTERVAL_NS;

	end_table(p);
	for (size_t i = 0; i < p->tool->cores; i++) {
		if (t->timed == t->tables)
			tool_exposure(&p->tool->core[i], range_exact(t->ns), TOOL_STATED);
		else
			tool_exposure_assume(&p->tool->core[i], arith_times(each, t->tables));
	}
}

/* The columns in their order; what follows SMI depends on the processor. */
#define TO_CORE "{ Package}{ Die}{ L3}{ Node}{ Core} CPU{ APIC}{ X2APIC}"
#define TO_SMI  "{ Avg_MHz}{ Busy%%}{ Bzy_MHz}{ TSC_MHz}{ IPC}{ IRQ}{ NMI} SMI"

const struct tool_format tool_turbostat = {
	.name = "turbostat",
	.body = { "usec{ Time_Of_Day_Seconds}" TO_CORE TO_SMI, "Time_Of_Day_Seconds" TO_CORE TO_SMI,
		  "Package" TO_CORE TO_SMI, "Die" TO_CORE TO_SMI, "L3" TO_CORE TO_SMI,
		  "Node" TO_CORE TO_SMI, "Core" TO_CORE TO_SMI, "CPU{ APIC}{ X2APIC}" TO_SMI },
	.command = "turbostat",
	.state_bytes = sizeof(struct turbostat),
	.parse = turbostat_parse,
	.finish = turbostat_finish,
};
