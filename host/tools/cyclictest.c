/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cyclictest's text (rt-tests): a status line per thread, drawn again and again; and the trailer
 * of its histogram. Neither names the core. Latencies of waking up, in us; with -N in ns, which
 * only its command line shows. Nothing but this line precedes them: "# /dev/cpu_dma_latency set
 * to 0us".
 */
#include "tool_format.h"

#include <string.h>

#define THREADS_MAX 4096

struct cyclictest {
	struct {
		uint64_t pid, cycles, min_us, max_us;
		bool known;
	} thread[THREADS_MAX];
	bool has_max, has_total;
};

/* A status that this run cannot have printed after the thread's last one begins another. */
static void take_status(struct tool_parse *p, const uint64_t *n)
{
	struct cyclictest *c = p->state;
	size_t t = n[0];

	if (t >= THREADS_MAX) {
		tool_wrong(p, p->row, "a thread below 4096");
		return;
	}
	if (c->has_max || c->has_total ||
	    (c->thread[t].known && (n[1] != c->thread[t].pid || n[4] < c->thread[t].cycles ||
				    n[5] > c->thread[t].min_us || n[8] < c->thread[t].max_us))) {
		p->rest = p->row;
		return;
	}
	c->thread[t].pid = n[1];
	c->thread[t].cycles = n[4];
	c->thread[t].min_us = n[5];
	c->thread[t].max_us = n[8];
	c->thread[t].known = true;
}

/* "# Max Latencies: 02208 03219": a number per thread. */
static void take_trailer(struct tool_parse *p, const uint64_t *unused)
{
	struct cyclictest *c = p->state;
	const char *at = strchr(p->row, ':') + 1;
	bool max = p->arg;
	uint64_t number;
	size_t n = 0;

	(void)unused;
	if (c->has_max || (!max && c->has_total)) {
		p->rest = p->row;
		return;
	}
	for (; n < THREADS_MAX && scan_u64(&at, &number); n++) {
		c->thread[n].known = true;
		if (max)
			c->thread[n].max_us = arith_max(c->thread[n].max_us, number);
		else
			c->thread[n].cycles = number;
	}
	if (!n || !scan_end(at))
		tool_wrong(p, p->row, "a number for each thread");
	c->has_max = c->has_max || max;
	c->has_total = c->has_total || !max;
}

static void take_begin(struct tool_parse *p, const uint64_t *n)
{
	(void)n;
	p->rest = p->row;
}

/* Clocks that stepped give negative latencies: they are none here. */
static const struct tool_row rows[] = {
	{ "T:", "%u{ (%u)}{ P:%u}{ I:%u} C:%u Min:%i Act:%i Avg:%i Max:%u{ SMI:%u}$", take_status,
	  0 },
	{ "# Max Latencies:", "", take_trailer, true },
	{ "# Total:", "", take_trailer, false },
	{ "# /dev/cpu_dma_latency", "", take_begin, 0 },
	{ .key = NULL },
};

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

	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (c->thread[i].known)
			tool_latency(tool_core(p, TOOL_ANY_CPU), c->thread[i].cycles,
				     c->thread[i].max_us, unit_ns);
	}
}

const struct tool_format tool_cyclictest = {
	.name = "cyclictest",
	.body = { "# Max Latencies:", "# Total:", "T:%u*Act:" },
	.command = "cyclictest",
	.state_bytes = sizeof(struct cyclictest),
	.notes = TOOL_WAKEUP,
	.row = rows,
	.finish = finish,
};
