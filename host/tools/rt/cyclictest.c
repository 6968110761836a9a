/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cyclictest's text (rt-tests): a status line per thread, drawn again and again; the
 * trailer of its histogram; and the triples of -v. None names the core. Latencies of
 * waking up, in us; with -N in ns, which only its command line shows. Nothing but this line
 * precedes them: "# /dev/cpu_dma_latency set to 0us".
 */
#include "host/tools/tool_format.h"
#include "host/tools/tool_frame.h"

#include <string.h>

#define THREADS_MAX 4096

struct status {
	uint32_t thread;
	uint64_t pid, cycles, min_us, max_us;
	bool sums; /* since the begin; else of one cycle */
	struct maybe smi;
};

struct cyclictest {
	struct {
		struct status last;
		uint64_t cycles, max_us;
		bool known;
	} thread[THREADS_MAX];
	bool has_max, has_total;
};

/* Clocks that stepped give negative latencies: they are none here. */
static bool take_latency(const char **at, uint64_t *us)
{
	bool negative = scan_literal(at, "-"), read = scan_u64(at, us);

	*us = negative ? 0 : *us;
	return read;
}

/* T: 0 (  150) P:90 I:1000 C:   2931 Min:     20 Act:   50 Avg:  102 Max:   28208 [SMI: 3] */
static bool read_status(const char *at, struct status *s)
{
	uint64_t other;

	if (!scan_literal(&at, "T:") || !scan_u32(&at, &s->thread))
		return false;
	if (scan_literal(&at, "("))
		scan_u64(&at, &s->pid);
	if (!scan_past(&at, " C:") || !scan_u64(&at, &s->cycles) || !scan_literal(&at, "Min:") ||
	    !take_latency(&at, &s->min_us) || !scan_literal(&at, "Act:") ||
	    !take_latency(&at, &other) || !scan_literal(&at, "Avg:") ||
	    !take_latency(&at, &other) || !scan_literal(&at, "Max:") || !scan_u64(&at, &s->max_us))
		return false;
	if (scan_literal(&at, "SMI:"))
		scan_maybe(&at, &s->smi);
	s->sums = true;
	return scan_end(at);
}

/*        0:       1:      27 */
static bool read_triple(const char *at, struct status *s)
{
	uint64_t cycle;

	if (!scan_u32(&at, &s->thread) || *at != ':' || !scan_literal(&at, ":") ||
	    !scan_u64(&at, &cycle) || *at != ':' || !scan_literal(&at, ":") ||
	    !scan_u64(&at, &s->max_us))
		return false;
	s->cycles = arith_sum(cycle, 1);
	if (!scan_end(at))
		scan_maybe(&at, &s->smi);
	return scan_end(at);
}

static enum tool_match find(const char *line, const char **at)
{
	static const char *const marks[] = { "# Max Latencies:", "# Total:", "T:" };
	struct status s = { 0 };

	*at = NULL;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = tool_frame_word(line, marks[i]);

		if (mark && (!*at || mark < *at) && (*mark == '#' || strstr(mark, " Act:")))
			*at = mark;
	}
	if (*at)
		return TOOL_BODY;
	*at = line;
	return *line == ' ' && read_triple(line, &s) ? TOOL_BODY : TOOL_NO;
}

/* "# Max Latencies: 02208 03219": a number per thread. */
static bool take_trailer(struct cyclictest *c, const char *at, bool max)
{
	uint64_t number;
	size_t n = 0;

	for (; n < THREADS_MAX && scan_u64(&at, &number); n++) {
		c->thread[n].known = true;
		if (max)
			c->thread[n].max_us = arith_max(c->thread[n].max_us, number);
		else
			c->thread[n].cycles = number;
	}
	return n && scan_end(at);
}

/* It cannot be of the run that has printed the thread's last line. */
static bool is_another(const struct cyclictest *c, const struct status *s)
{
	const struct status *last = &c->thread[s->thread].last;

	if (c->has_max || c->has_total || s->cycles < last->cycles)
		return true;
	return s->sums && last->sums &&
	       (s->pid != last->pid || s->min_us > last->min_us || s->max_us < last->max_us);
}

static void take_status(struct tool_parse *p, const struct status *s, const char *line)
{
	struct cyclictest *c = p->state;

	if (s->thread >= THREADS_MAX) {
		tool_report(p, "cyclictest: thread %u: up to %d are read", s->thread, THREADS_MAX);
		return;
	}
	if (is_another(c, s)) {
		p->rest = line;
		return;
	}
	c->thread[s->thread].last = *s;
	c->thread[s->thread].known = true;
	c->thread[s->thread].cycles = arith_max(c->thread[s->thread].cycles, s->cycles);
	c->thread[s->thread].max_us = arith_max(c->thread[s->thread].max_us, s->max_us);
	p->tool->rows++;
}

static void parse(struct tool_parse *p, const char *line)
{
	struct cyclictest *c = p->state;
	struct status s = { 0 };
	const char *at = line;

	bool max = scan_literal(&at, "# Max Latencies:"), total = scan_literal(&at, "# Total:");

	if ((max && c->has_max) || (total && (c->has_total || c->has_max)) ||
	    (p->tool->rows && scan_literal(&at, "# /dev/cpu_dma_latency"))) {
		p->rest = line;
	} else if (max || total) {
		if (!take_trailer(c, at, max)) {
			tool_wrong(p, line, "a number for each thread");
			return;
		}
		p->tool->rows++;
		c->has_max = c->has_max || max;
		c->has_total = c->has_total || total;
	} else if (read_status(line, &s) || read_triple(line, &s)) {
		take_status(p, &s, line);
	} else if (scan_literal(&at, "T:")) {
		tool_wrong(p, line, "T: N (PID) P:N I:N C:N Min:N Act:N Avg:N Max:N");
	}
}

/* As the command line has it, or the user; else us, with a note. */
static uint64_t unit_of(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;

	if (s->has_command)
		return s->ns ? 1 : NS_PER_US;
	if (p->given->unit)
		return p->given->unit == TOOL_UNIT_NS ? 1 : NS_PER_US;
	p->tool->notes |= TOOL_UNIT_ASSUMED;
	return NS_PER_US;
}

static void finish(struct tool_parse *p)
{
	const struct cyclictest *c = p->state;
	uint64_t unit_ns = unit_of(p);
	struct tool_core *core = NULL;

	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (!c->thread[i].known)
			continue;
		core = tool_core(p, TOOL_ANY_CPU);
		core->events = range_add(core->events, range_exact(c->thread[i].cycles));
		core->max_ns = range_max(core->max_ns, range_cut(c->thread[i].max_us, unit_ns));
	}
}

const struct tool_format tool_cyclictest = {
	.name = "cyclictest",
	.find = find,
	.bare = true,
	.state_bytes = sizeof(struct cyclictest),
	.notes = TOOL_WAKEUP,
	.parse = parse,
	.finish = finish,
};
