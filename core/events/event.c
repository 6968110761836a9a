/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Gaps are added by rising start, so only one event is open at a time: no gap that starts later
 * than its end plus the slack can belong to it.
 */
#include "event.h"

#include "core/lib/arith.h"
#include "core/lib/mem.h"

static const char *const scope_names[SCOPES] = {
	[SCOPE_CPU] = "cpu",
	[SCOPE_CORE] = "core",
	[SCOPE_PACKAGE] = "package",
	[SCOPE_MACHINE] = "machine",
};

const char *event_scope_name(enum event_scope scope)
{
	return scope < SCOPES ? scope_names[scope] : NULL;
}

void event_merge_begin(struct event_merge *m, const struct event_setup *setup)
{
	memset(m, 0, sizeof(*m));
	m->setup = *setup;
	for (uint32_t i = 0; i < setup->cpus; i++) {
		setup->cpu[i].event = 0;
		m->measured += setup->cpu[i].measured;
	}
}

/* The open event's n-th core. */
static const struct event_cpu *member(const struct event_merge *m, uint32_t n)
{
	return &m->setup.cpu[m->setup.cpu[n].member];
}

/* Find the first core in, the last one out, and the skew. */
static void find_edges(const struct event_merge *m, struct event *e)
{
	uint64_t last_start = e->start;

	e->first = e->last = UINT32_MAX;
	for (uint32_t n = 0; n < e->cpus; n++) {
		const struct event_cpu *cpu = member(m, n);

		if (cpu->start == e->start && cpu->index < e->first)
			e->first = cpu->index;
		if (cpu->end == m->end && cpu->index < e->last)
			e->last = cpu->index;
		if (cpu->start > last_start)
			last_start = cpu->start;
	}
	e->skew = last_start - e->start;
}

/* Scope of the cores seen. Missing gaps can only widen it, and the machine is the widest. */
static enum event_scope find_scope(const struct event_merge *m)
{
	const struct topology *first = &member(m, 0)->place;
	bool known = true, package = true, core = true;
	uint32_t hit = member(m, 0)->measured;

	for (uint32_t n = 1; n < m->open.cpus; n++) {
		const struct topology *place = &member(m, n)->place;

		known &= first->known && place->known;
		package &= topology_same_package(first, place);
		core &= topology_same_core(first, place);
		hit += member(m, n)->measured;
	}
	if (m->open.cpus > 1 && m->setup.whole && hit == m->measured)
		return SCOPE_MACHINE;
	if (known && !package)
		return SCOPE_MACHINE;
	if (m->open.partial)
		return SCOPE_UNKNOWN;
	if (m->open.cpus == 1)
		return SCOPE_CPU;
	if (core)
		return SCOPE_CORE;
	return package ? SCOPE_PACKAGE : SCOPE_UNKNOWN;
}

static void close_event(struct event_merge *m, struct event *closed)
{
	struct event *e = &m->open;

	e->length = m->end - e->start;
	e->partial = arith_sum(m->end, m->setup.slack) > m->setup.complete_until;
	find_edges(m, e);
	e->scope = find_scope(m);
	*closed = *e;
}

static void open_event(struct event_merge *m, uint64_t start)
{
	memset(&m->open, 0, sizeof(m->open));
	m->open.start = start;
	m->open.cause = m->setup.cause;
	m->end = start;
	m->events++;
}

static void add_member(struct event_merge *m, uint32_t position, uint64_t start, uint64_t end)
{
	struct event_cpu *cpu = &m->setup.cpu[position];

	if (cpu->event != m->events) {
		m->setup.cpu[m->open.cpus++].member = position;
		cpulist_add(&m->open.set, cpu->index);
		cpu->event = m->events;
		cpu->start = start;
		cpu->end = end;
	}
	if (start < cpu->start)
		cpu->start = start;
	if (end > cpu->end)
		cpu->end = end;
}

static bool overlaps_open(const struct event_merge *m, uint64_t start, uint64_t end)
{
	return start < arith_sum(m->end, m->setup.slack) &&
	       m->open.start < arith_sum(end, m->setup.slack);
}

bool event_merge_add(struct event_merge *m, const struct event_gap *gap, struct event *closed)
{
	uint64_t end = arith_sum(gap->start, gap->length);
	struct event *e = &m->open;
	bool closes = e->gaps && !overlaps_open(m, gap->start, end);

	if (closes)
		close_event(m, closed);
	if (closes || !e->gaps)
		open_event(m, gap->start);
	if (gap->start < e->start)
		e->start = gap->start;
	if (end > m->end)
		m->end = end;
	e->gaps++;
	add_member(m, gap->position, gap->start, end);
	return closes;
}

bool event_merge_end(struct event_merge *m, struct event *closed)
{
	if (!m->open.gaps)
		return false;
	close_event(m, closed);
	m->open.gaps = 0;
	return true;
}
