/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * detect-detour: a line for each span that an interrupt, a softirq or another task
 * took from the processes it watches (paper: "Detecting Operating System Noise with
 * Detect-Detour", figures 2 and 3). It hooks the kernel's own entry points, so what
 * comes from below is not among them. How long it watched is not printed.
 */
#include "tool_format.h"
#include "tool_frame.h"

#include <stdio.h>
#include <string.h>

#define S_DIGITS 9

struct detour {
	uint64_t first_ns, last_ns;
	bool has_command; /* with --threshold */
	uint64_t threshold_ns;
	uint64_t shortest_ns;
};

static const struct {
	const char *name;
	enum tool_cause cause;
} kinds[] = { { "Softirq:", TOOL_SOFTIRQ }, { "Irq:", TOOL_IRQ }, { "Sched:", TOOL_THREAD } };

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

struct event {
	uint64_t t_ns, ns;
	uint32_t cpu;
	enum tool_cause cause;
	char name[TOOL_NAME_MAX];
};

/* IRQ: 24 [nvme], SIRQ: 1 [TIMER], PidNew: 1774 [khugepaged] */
static void take_name(const char *at, struct event *e)
{
	const char *name = strrchr(at, '[');
	uint64_t number;

	if (!name || !strchr(name, ']'))
		return;
	snprintf(e->name, sizeof(e->name), "%.*s", (int)strcspn(name + 1, "]"), name + 1);
	if (e->cause == TOOL_IRQ && scan_past(&at, "IRQ:") && scan_u64(&at, &number))
		snprintf(e->name + strlen(e->name), sizeof(e->name) - strlen(e->name), ":%u",
			 (unsigned)number);
}

/* [445283.508877] Softirq: CPU: 20   Pid: 748187 [allreduce]   Duration: 349933   SIRQ: 1 [TIMER]
 */
static bool read_event(const char *at, struct event *e)
{
	size_t kind = 0;

	if (!scan_literal(&at, "[") || !scan_fixed(&at, S_DIGITS, &e->t_ns) ||
	    !scan_literal(&at, "]"))
		return false;
	while (kind < KINDS && !scan_literal(&at, kinds[kind].name))
		kind++;
	if (kind == KINDS)
		return false;
	e->cause = kinds[kind].cause;
	if (!scan_literal(&at, "CPU:") || !scan_u32(&at, &e->cpu) || !scan_past(&at, "Duration:") ||
	    !scan_u64(&at, &e->ns))
		return false;
	take_name(at, e);
	return true;
}

/* The time stamp before a kind of event; NULL for none. */
static const char *find_event(const char *line)
{
	const char *at = NULL;

	for (size_t i = 0; i < KINDS && !at; i++) {
		at = tool_frame_word(line, kinds[i].name);
		while (at && at > line && strchr(" ].0123456789", at[-1]))
			at--;
		if (at && at > line && at[-1] == '[')
			return at - 1;
		at = NULL;
	}
	return at;
}

static enum tool_match find(const char *line, const char **at)
{
	*at = strstr(line, "--threshold") ? strstr(line, "detect-detour") : NULL;
	if (!*at)
		*at = tool_frame_word(line, "Number of processes monitored:");
	if (*at)
		return TOOL_TITLE;
	*at = find_event(line);
	return tool_match_at(*at, TOOL_BODY);
}

static void take_command(struct detour *d, const char *line)
{
	const char *at = line;

	if (strstr(line, "detect-detour") && scan_past(&at, "--threshold"))
		d->has_command = scan_u64(&at, &d->threshold_ns);
}

static void parse(struct tool_parse *p, const char *line)
{
	struct detour *d = p->state;
	struct tool_core *core;
	struct event e = { 0 };

	if (!find_event(line)) {
		take_command(d, line);
		return;
	}
	if (!read_event(line, &e)) {
		tool_wrong(p, line,
			   "[TIME] Irq, Sched or Softirq: CPU: N Pid: N [NAME] Duration: NS");
		return;
	}
	core = tool_core(p, e.cpu);
	if (!core)
		return;
	if (!p->tool->rows++) {
		d->first_ns = e.t_ns;
		d->shortest_ns = e.ns;
	}
	d->shortest_ns = arith_min(d->shortest_ns, e.ns);
	d->last_ns = arith_max(d->last_ns, arith_sum(e.t_ns, e.ns));
	tool_count(core, e.ns, e.ns, 1);
	tool_charge(&core->cause[e.cause], range_exact(1), range_exact(e.ns));
	if (e.name[0])
		tool_name(core, e.cause, e.name, e.ns);
}

static void finish(struct tool_parse *p)
{
	const struct detour *d = p->state;
	struct tool *tool = p->tool;

	for (size_t i = 0; i < tool->cores; i++) {
		struct tool_core *core = &tool->core[i];

		for (size_t k = 0; k < KINDS; k++) {
			struct tool_sum *sum = &core->cause[kinds[k].cause];

			range_count_none(&sum->events);
			range_count_none(&sum->ns);
		}
		tool_exposure_assume(core, arith_less(d->last_ns, d->first_ns));
	}
	tool_threshold(tool, range_exact(d->has_command ? d->threshold_ns : d->shortest_ns),
		       d->has_command ? TOOL_STATED : TOOL_ASSUMED);
}

const struct tool_format tool_detour = {
	.name = "detect-detour",
	.find = find,
	.state_bytes = sizeof(struct detour),
	.bare = true,
	.notes = TOOL_BLIND,
	.parse = parse,
	.finish = finish,
};
