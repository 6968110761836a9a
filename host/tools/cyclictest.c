/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cyclictest's text (rt-tests): a status line per thread, drawn again and again; and the trailer
 * of its histogram. Neither names the core. Latencies of waking up, in us; with -N in ns, which
 * only its command line shows. Nothing but this line precedes them: "# /dev/cpu_dma_latency set
 * to 0us".
 */
#include "tool_format.h"

#define THREADS_MAX 4096

struct cyclictest {
	struct thread {
		uint64_t pid, cycles, min, max;
		bool known;
	} thread[THREADS_MAX];
	bool has_status, has_max, has_total;
};

/* A status that this run cannot have printed after the thread's last one begins another. */
static void take_status(struct tool_parse *p)
{
	const struct tool_values *v = &p->v;
	struct cyclictest *c = p->state;
	size_t t = v->thread;

	if (t >= THREADS_MAX) {
		tool_wrong(p, p->row);
		return;
	}
	if (c->has_max || c->has_total ||
	    (c->thread[t].known && (v->pid != c->thread[t].pid || v->count < c->thread[t].cycles ||
				    v->min > c->thread[t].min || v->max < c->thread[t].max))) {
		p->rest = p->row;
		return;
	}
	c->thread[t] = (struct thread){ v->pid, v->count, v->min, v->max, true };
	c->has_status = true;
}

/* "# Max Latencies: 02208 03219": a number per thread. */
static void take_trailer(struct tool_parse *p)
{
	struct cyclictest *c = p->state;
	bool max = p->arg;

	if (c->has_max || (!max && c->has_total)) {
		p->rest = p->row;
		return;
	}
	for (size_t n = 0; n < p->v.listed && n < THREADS_MAX; n++) {
		uint64_t number = p->v.list[n];

		if (max)
			c->thread[n].max = arith_max(c->thread[n].max, number);
		else
			c->thread[n].cycles = number;
		c->thread[n].known |= max;
	}
	if (!p->v.listed)
		tool_wrong(p, p->row);
	c->has_max = c->has_max || max;
	c->has_total = c->has_total || !max;
}

static void take_begin(struct tool_parse *p)
{
	p->rest = "";
}

/* Clocks that stepped give negative latencies: they are none here. */
static const struct tool_row rows[] = {
	{ "T:",
	  "%u(thread){ (%u(pid))}{ P:%u}{ I:%u} C:%u(count) Min:%i(min) Act:%i Avg:%i Max:%u(max)"
	  "{ SMI:%u}$",
	  take_status, 0 },
	{ "# Max Latencies:", "@$", take_trailer, true },
	{ "# Total:", "@$", take_trailer, false },
	{ "# /dev/cpu_dma_latency", "", take_begin, 0 },
	{ .key = NULL },
};

static void cyclictest_finish(struct tool_parse *p)
{
	const struct cyclictest *c = p->state;
	uint64_t unit_ns = p->tool->stated.in_ns ? 1 : NS_PER_US;

	if (!p->tool->stated.has_command)
		p->tool->notes |= TOOL_UNIT_ASSUMED;
	if (!c->has_max && (c->has_total || !c->has_status))
		tool_cut(p, "\"# Max Latencies:\"");
	for (size_t i = 0; i < THREADS_MAX; i++) {
		if (c->thread[i].known)
			tool_latency(tool_core(p, TOOL_NONE), c->thread[i].cycles, c->thread[i].max,
				     unit_ns);
	}
}

const struct tool_format tool_cyclictest = {
	.name = "cyclictest",
	.body = { "# Histogram$", "# Max Latencies:", "# Total:", "T:%u{ (%u)}{ P:%u}{ I:%u} C:" },
	.command = "cyclictest",
	.state_bytes = sizeof(struct cyclictest),
	.notes = TOOL_WAKEUP,
	.row = rows,
	.finish = cyclictest_finish,
};
