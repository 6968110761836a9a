/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a measurement beyond its output: read, and put where it is missing. */
#include "tool_format.h"

#include "core/lib/units.h"

#include <string.h>

static bool read_cpus(struct tool_stated *s, const char *value, size_t bytes)
{
	return s->has_cpus = cpulist_parse(&s->cpus, value, bytes);
}

/* Of a clock: 1 MHz to 16 GHz, as Hz. */
static bool read_hz(struct tool_stated *s, const char *value, size_t bytes)
{
	const char *at = value;

	return s->hz.known = scan_maybe(&at, &s->hz) && at == value + bytes &&
			     s->hz.value >= 1000000 && s->hz.value <= UINT64_C(16000000000);
}

static bool is_word(const char *value, size_t bytes, const char *word)
{
	return strlen(word) == bytes && memcmp(value, word, bytes) == 0;
}

static bool read_mode(struct tool_stated *s, const char *value, size_t bytes)
{
	s->per_cpu = is_word(value, bytes, "per-cpu");
	s->has_mode = s->per_cpu || is_word(value, bytes, "none") ||
		      is_word(value, bytes, "round-robin");
	return s->has_mode;
}

static const struct {
	const char *name, *wanted;
	bool (*read)(struct tool_stated *s, const char *value, size_t bytes); /* NULL: a time */
	size_t offset;
} keys[] = {
	{ "threshold", "a length with a unit", NULL, offsetof(struct tool_stated, threshold_ns) },
	{ "exposure", "a time with a unit", NULL, offsetof(struct tool_stated, exposure_ns) },
	{ "window", "a time with a unit", NULL, offsetof(struct tool_stated, window_ns) },
	{ "width", "a time with a unit", NULL, offsetof(struct tool_stated, width_ns) },
	{ "cpus", "a list of cores, as 0-3,8", read_cpus, 0 },
	{ "hz", "ticks per second of the numbers that follow", read_hz, 0 },
	{ "mode", "none, round-robin or per-cpu", read_mode, 0 },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool read_value(struct tool_stated *s, size_t key, const char *value, size_t bytes)
{
	struct maybe *m = (void *)((char *)s + keys[key].offset);

	if (keys[key].read)
		return keys[key].read(s, value, bytes);
	return m->known = units_parse_ns(value, bytes, &m->value) == UNITS_OK;
}

static bool read_word(struct tool_parse *p, const char *word, size_t bytes,
		      struct tool_stated *stated)
{
	const char *equals = memchr(word, '=', bytes);
	size_t name = equals ? (size_t)(equals - word) : bytes;

	for (size_t i = 0; i < KEYS; i++) {
		if (!is_word(word, name, keys[i].name))
			continue;
		if (equals && read_value(stated, i, equals + 1, bytes - name - 1))
			return true;
		tool_report(p, "%s: not understood: \"%.*s\"; wanted: %s", TOOL_STATED_MARK,
			    (int)bytes, word, keys[i].wanted);
		return false;
	}
	tool_report(
		p,
		"%s: unknown key in \"%.*s\"; known: threshold exposure window width cpus hz mode",
		TOOL_STATED_MARK, (int)bytes, word);
	return false;
}

bool tool_stated_read(struct tool_parse *p, const char *line, struct tool_stated *stated)
{
	const char *at = line + strlen(TOOL_STATED_MARK);
	bool good = true;

	while (!scan_end(at)) {
		size_t bytes;

		at += strspn(at, " ");
		bytes = strcspn(at, " ");
		good = read_word(p, at, bytes, stated) && good;
		at += bytes;
	}
	return good;
}

static void apply_threshold(struct tool_parse *p)
{
	struct tool *tool = p->tool;
	uint64_t stated = tool->stated.threshold_ns.value;

	if (!tool->stated.threshold_ns.known)
		return;
	if (tool->threshold_from == TOOL_STATED) {
		if (stated < tool->threshold_ns.low || stated > tool->threshold_ns.high)
			tool_report(p,
				    "its threshold is given as %llu ns; the output itself has "
				    "%llu ns, which is used",
				    (unsigned long long)stated,
				    (unsigned long long)tool->threshold_ns.low);
		return;
	}
	tool_threshold(tool, range_exact(stated), TOOL_STATED);
}

/* A core that was watched and of which nothing was printed: nothing happened there. */
static void add_quiet_cores(struct tool_parse *p)
{
	const struct tool_stated *s = &p->tool->stated;

	for (uint32_t cpu = 0; s->has_cpus && cpu < CPULIST_MAX; cpu++) {
		struct tool_core *core;

		if (!cpulist_has(&s->cpus, cpu) || tool_find(p->tool, cpu))
			continue;
		core = tool_core(p, cpu);
		core->events = core->max_ns = core->sum_ns = range_exact(0);
	}
}

void tool_stated_apply(struct tool_parse *p, const struct tool_given *given)
{
	const struct tool_stated *s = &p->tool->stated;

	if (given->threshold_ns && !s->threshold_ns.known && p->tool->threshold_from != TOOL_STATED)
		p->tool->stated.threshold_ns = (struct maybe){ given->threshold_ns, true };
	apply_threshold(p);
	add_quiet_cores(p);
	for (size_t i = 0; i < p->tool->cores && s->exposure_ns.known; i++) {
		struct tool_core *core = &p->tool->core[i];

		if (core->exposure_from == TOOL_STATED)
			continue;
		tool_exposure(core, range_exact(s->exposure_ns.value), TOOL_STATED);
	}
}

const char *tool_unit_name(unsigned unit)
{
	static const char *const names[] = { "auto", "us", "ns" };

	return unit < TOOL_UNITS ? names[unit] : NULL;
}
