/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a measurement beyond its output: read, and put where it is missing. */
#include "peer_format.h"

#include "core/lib/units.h"

#include <string.h>

#define MARK "# noisefloor:"

bool peer_stated_is(const char *line)
{
	return strncmp(line, MARK, strlen(MARK)) == 0;
}

static bool read_ns(struct maybe *m, const char *value, size_t bytes)
{
	m->known = units_parse_ns(value, bytes, &m->value) == UNITS_OK;
	return m->known;
}

static bool read_threshold(struct peer_stated *s, const char *value, size_t bytes)
{
	return read_ns(&s->threshold_ns, value, bytes);
}

static bool read_exposure(struct peer_stated *s, const char *value, size_t bytes)
{
	return read_ns(&s->exposure_ns, value, bytes);
}

static bool read_window(struct peer_stated *s, const char *value, size_t bytes)
{
	return read_ns(&s->window_ns, value, bytes);
}

static bool read_width(struct peer_stated *s, const char *value, size_t bytes)
{
	return read_ns(&s->width_ns, value, bytes);
}

static bool read_cpus(struct peer_stated *s, const char *value, size_t bytes)
{
	s->has_cpus = cpulist_parse(&s->cpus, value, bytes);
	return s->has_cpus;
}

static bool is_word(const char *value, size_t bytes, const char *word)
{
	return strlen(word) == bytes && memcmp(value, word, bytes) == 0;
}

static bool read_mode(struct peer_stated *s, const char *value, size_t bytes)
{
	s->per_cpu = is_word(value, bytes, "per-cpu");
	s->has_mode = s->per_cpu || is_word(value, bytes, "none") ||
		      is_word(value, bytes, "round-robin");
	return s->has_mode;
}

static const struct {
	const char *name;
	bool (*read)(struct peer_stated *s, const char *value, size_t bytes);
	const char *wanted;
} keys[] = {
	{ "threshold", read_threshold, "a length with a unit" },
	{ "exposure", read_exposure, "a time with a unit" },
	{ "window", read_window, "a time with a unit" },
	{ "width", read_width, "a time with a unit" },
	{ "cpus", read_cpus, "a list of cores, as 0-3,8" },
	{ "mode", read_mode, "none, round-robin or per-cpu" },
};

#define KEYS (sizeof(keys) / sizeof(keys[0]))

static bool read_word(struct peer_parse *p, const char *word, size_t bytes,
		      struct peer_stated *stated)
{
	const char *equals = memchr(word, '=', bytes);
	size_t name = equals ? (size_t)(equals - word) : bytes;

	for (size_t i = 0; i < KEYS; i++) {
		if (!is_word(word, name, keys[i].name))
			continue;
		if (equals && keys[i].read(stated, equals + 1, bytes - name - 1))
			return true;
		peer_say(p, "%s: not understood: \"%.*s\"; wanted: %s", MARK, (int)bytes, word,
			 keys[i].wanted);
		return false;
	}
	peer_say(p, "%s: unknown key in \"%.*s\"; known: threshold exposure window width cpus mode",
		 MARK, (int)bytes, word);
	return false;
}

bool peer_stated_read(struct peer_parse *p, const char *line, struct peer_stated *stated)
{
	const char *at = line + strlen(MARK);
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

static void apply_threshold(struct peer_parse *p)
{
	struct peer *peer = p->peer;
	uint64_t stated = peer->stated.threshold_ns.value;

	if (!peer->stated.threshold_ns.known)
		return;
	if (peer->threshold_from == PEER_STATED) {
		if (stated < peer->threshold_ns.low || stated > peer->threshold_ns.high)
			peer_say(p,
				 "its threshold is said to be %llu ns; the output itself says "
				 "%llu ns, which is kept",
				 (unsigned long long)stated,
				 (unsigned long long)peer->threshold_ns.low);
		return;
	}
	peer->threshold_ns = range_exact(stated);
	peer->threshold_from = PEER_STATED;
}

/* A core that was watched and of which nothing was told: nothing happened there. */
static void add_quiet_cores(struct peer_parse *p)
{
	const struct peer_stated *s = &p->peer->stated;

	for (uint32_t cpu = 0; s->has_cpus && cpu < CPULIST_MAX; cpu++) {
		struct peer_core *core;

		if (!cpulist_has(&s->cpus, cpu) || peer_find(p->peer, cpu))
			continue;
		core = peer_core(p, cpu);
		core->events = core->max_ns = core->sum_ns = range_exact(0);
	}
}

void peer_stated_apply(struct peer_parse *p)
{
	const struct peer_stated *s = &p->peer->stated;

	apply_threshold(p);
	add_quiet_cores(p);
	for (size_t i = 0; i < p->peer->cores && s->exposure_ns.known; i++) {
		struct peer_core *core = &p->peer->core[i];

		if (core->exposure_from == PEER_STATED)
			continue;
		core->exposure_ns = range_exact(s->exposure_ns.value);
		core->exposure_from = PEER_STATED;
	}
}
