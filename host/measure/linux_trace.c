/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of each core around one gap; first those of the gap's own core. */
#include "linux_trace.h"

#include "host/tools/trace_line.h"

#include "core/lib/ticks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL     "trace"
#define RING_KB   "1024" /* per core: some 12,000 events */
#define AROUND_NS 100000 /* of the time before and after the gap */
#define SHOWN_MAX 200    /* of the gap's core, and of all others */

/* Those that a kernel has; osnoise's only come while somebody runs that tracer. */
static const char *const events[] = { "irq", "irq_vectors", "nmi", "osnoise",
				      "sched/sched_switch" };

static int start(struct linux_trace *t)
{
	int error = tracefs_set(&t->fs, "tracing_on", "0");
	char file[80];

	if (!error)
		error = tracefs_set(&t->fs, "trace_clock", "x86-tsc");
	tracefs_enlarge(&t->fs, RING_KB);
	for (size_t i = 0; !error && i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(file, sizeof(file), "events/%s/enable", events[i]);
		error = tracefs_set(&t->fs, file, "1");
		error = error == ENOENT ? 0 : error;
	}
	return error ? error : tracefs_set(&t->fs, "tracing_on", "1");
}

void linux_trace_open(struct linux_trace *t, const struct config *config, const char *given,
		      struct report *report)
{
	TEXT_DEFINE(why, 400);
	char root[256];
	int error;

	*t = (struct linux_trace){ .on = false };
	if (!config->stop_ns.set && !config->stop_total_ns.set)
		return;
	if (tracefs_find(root, given, &why) && tracefs_open(&t->fs, root, &why)) {
		error = start(t);
		t->on = !error;
		if (error)
			text_add(&why, "%s: %s", root, strerror(error));
	}
	if (!t->on)
		report_log(report, "info", "what Linux does around a gap is not traced: %s",
			   why.buf);
}

void linux_trace_window(struct linux_trace *t, const struct run *run)
{
	if (t->on && atomic_load(&run->plan.end) == 0)
		tracefs_set(&t->fs, "tracing_on", "0");
}

/* ---- The gap ---- */

struct spike {
	const struct run *run;
	const struct cpu *cpu;
	uint64_t ticks;
	int64_t start; /* in the boot core's TSC */
};

static int64_t to_boot(const struct cpu *cpu, uint64_t tsc)
{
	return (int64_t)tsc - cpu->tsc_offset;
}

/* The longest gap of the core's last window. */
static void take_longest(struct spike *s, const struct cpu *cpu)
{
	const struct gap *gap = &cpu->worst;

	for (size_t i = cpu->ring.used; i-- > 0 && cpu->ring.slot[i].start >= cpu->window_start;)
		if (cpu->ring.slot[i].ticks == cpu->window.max)
			gap = &cpu->ring.slot[i];
	if (s->cpu && s->start <= to_boot(cpu, gap->start))
		return;
	*s = (struct spike){ s->run, cpu, gap->ticks, to_boot(cpu, gap->start) };
}

static bool find_spike(struct spike *s, const struct run *run)
{
	const struct platform *p = run->platform;

	*s = (struct spike){ .run = run };
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].window.max >= run->plan.stop ||
		    p->cpu[i].window.noise >= run->plan.stop_total)
			take_longest(s, &p->cpu[i]);
	return s->cpu;
}

/* ---- Its lines ---- */

static const struct cpu *core_of(const struct platform *p, uint32_t index)
{
	for (uint32_t i = 0; i < p->cpus; i++)
		if (p->cpu[i].index == index)
			return &p->cpu[i];
	return NULL;
}

struct shown {
	bool own; /* of the gap's core; else of the others */
	unsigned kept, inside;
	uint64_t left_out;
};

/* "          <idle>-0       [000] d.h1. 6127492874: local_timer_entry: vector=236" */
static void take_line(struct shown *l, const struct spike *s, const char *line)
{
	const struct platform *p = s->run->platform;
	int64_t around = (int64_t)ticks_from_ns(AROUND_NS, p->hz), after;
	const struct cpu *cpu;
	struct trace_line t;
	const char *time;
	uint64_t ns;

	if (!trace_line_read(line, &t) || !(cpu = core_of(p, t.cpu)) || (cpu == s->cpu) != l->own)
		return;
	for (time = t.event - 1; time > line && time[-1] >= '0' && time[-1] <= '9';)
		time--;
	after = to_boot(cpu, strtoull(time, NULL, 10)) - s->start;
	if (after < -around || after > (int64_t)s->ticks + around)
		return;
	l->inside += after >= 0 && after <= (int64_t)s->ticks;
	if (l->kept == SHOWN_MAX) {
		l->left_out++;
		return;
	}
	l->kept++;
	line += strspn(line, " ");
	ns = ticks_to_ns((uint64_t)llabs(after), p->hz);
	report_log(s->run->report, LEVEL, "cpu %u %s%llu.%03llu: %.*s%.160s", (unsigned)t.cpu,
		   after < 0 ? "-" : "", (unsigned long long)ns / 1000,
		   (unsigned long long)ns % 1000, (int)(t.task_end - line), line, t.event);
}

static bool read_lines(struct shown *l, const struct linux_trace *t, const struct spike *s)
{
	FILE *f = tracefs_trace(&t->fs);
	char *line = NULL;
	size_t room = 0;
	bool good;

	if (!f)
		return false;
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = '\0';
		take_line(l, s, line);
	}
	good = !ferror(f);
	free(line);
	fclose(f);
	return good;
}

void linux_trace_keep(const struct linux_trace *t, const struct run *run)
{
	struct shown own = { .own = true }, others = { .own = false };
	struct report *report = run->report;
	struct spike s;
	TEXT_DEFINE(took, 40);

	if (!t->on || !find_spike(&s, run))
		return;
	text_duration(&took, ticks_to_ns(s.ticks, run->platform->hz));
	report_log(report, LEVEL, "around the gap of %s on cpu %u, in us from its begin:", took.buf,
		   (unsigned)s.cpu->index);
	if (!read_lines(&own, t, &s) || !read_lines(&others, t, &s))
		report_log(report, "warning", "the trace could not be read: %s", strerror(errno));
	else if (!own.inside)
		report_log(report, LEVEL, "no event in this gap on cpu %u", (unsigned)s.cpu->index);
	if (own.left_out + others.left_out)
		report_log(report, LEVEL, "%llu more lines are left out",
			   (unsigned long long)(own.left_out + others.left_out));
}

static void complain(void *ctx, const char *text)
{
	(void)ctx;
	fprintf(stderr, "measure: %s\n", text);
}

bool linux_trace_close(struct linux_trace *t)
{
	return tracefs_put_back(&t->fs, complain, NULL);
}
