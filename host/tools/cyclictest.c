/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cyclictest's text (rt-tests): a status line per thread, drawn again and again; the
 * trailer of its histogram; and the triples of -v. None names the core. Latencies of
 * waking up, in us; with -N in ns, which the text does not show.
 */
#include "tool_format.h"
#include "tool_frame.h"

#include <string.h>

#define THREADS_MAX 4096

struct cyclictest {
	struct {
		uint64_t cycles, max_us;
		bool known;
	} thread[THREADS_MAX];
};

struct status {
	uint32_t thread;
	uint64_t cycles, max_us;
	struct maybe smi;
};

static bool skip_number(const char **at)
{
	uint64_t number;

	scan_literal(at, "-"); /* clocks that stepped give negative latencies */
	return scan_u64(at, &number);
}

/* T: 0 (  150) P:90 I:1000 C:   2931 Min:     20 Act:   50 Avg:  102 Max:   28208 [SMI: 3] */
static bool read_status(const char *at, struct status *s)
{
	if (!scan_literal(&at, "T:") || !scan_u32(&at, &s->thread) || !scan_past(&at, " C:") ||
	    !scan_u64(&at, &s->cycles) || !scan_literal(&at, "Min:") || !skip_number(&at) ||
	    !scan_literal(&at, "Act:") || !skip_number(&at) || !scan_literal(&at, "Avg:") ||
	    !skip_number(&at) || !scan_literal(&at, "Max:") || !scan_u64(&at, &s->max_us))
		return false;
	if (scan_literal(&at, "SMI:"))
		scan_maybe(&at, &s->smi);
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

static void take_status(struct tool_parse *p, const struct status *s)
{
	struct cyclictest *c = p->state;

	if (s->thread >= THREADS_MAX) {
		tool_report(p, "cyclictest: thread %u: up to %d are read", s->thread, THREADS_MAX);
		return;
	}
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

	if (scan_literal(&at, "# Max Latencies:") || scan_literal(&at, "# Total:")) {
		p->tool->rows++;
		if (!take_trailer(c, at, strstr(line, "Max") != NULL))
			tool_wrong(p, line, "a number for each thread");
	} else if (read_status(line, &s) || read_triple(line, &s)) {
		take_status(p, &s);
	} else if (scan_literal(&at, "T:")) {
		tool_wrong(p, line, "T: N (PID) P:N I:N C:N Min:N Act:N Avg:N Max:N");
	}
}

static void finish(struct tool_parse *p)
{
	const struct cyclictest *c = p->state;
	struct tool_core *core = NULL;

	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (!c->thread[i].known)
			continue;
		core = tool_core(p, TOOL_ANY_CPU);
		core->events = range_add(core->events, range_exact(c->thread[i].cycles));
		core->max_ns = range_max(core->max_ns, range_cut(c->thread[i].max_us, NS_PER_US));
	}
}

const struct tool_format tool_cyclictest = {
	.name = "cyclictest",
	.find = find,
	.state_bytes = sizeof(struct cyclictest),
	.notes = TOOL_WAKEUP,
	.parse = parse,
	.finish = finish,
};
