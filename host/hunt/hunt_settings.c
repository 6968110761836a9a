/* SPDX-License-Identifier: BSD-2-Clause */
/* Which settings differ, which of them made the same groups of runs, and the next runs. */
#include "hunt.h"

#include "host/lib/memory.h"

#include <stdlib.h>
#include <string.h>

/* Its values; false if a dump has none of it. */
static bool take_values(const struct hunt *h, struct hunt_setting *s)
{
	for (size_t r = 0; r < h->runs; r++) {
		s->value[r] = bios_dump_value(&h->run[r].dump, s->name);
		if (!s->value[r])
			return false;
		for (s->same[r] = 0; strcmp(s->value[s->same[r]], s->value[r]) != 0;)
			s->same[r]++;
		s->values += s->same[r] == r;
	}
	return true;
}

static void drop_setting(struct hunt_setting *s)
{
	free(s->value);
	free(s->same);
}

static void add_setting(struct hunt *h, const char *name)
{
	struct hunt_setting s = { .name = name,
				  .value = memory_new(h->runs, sizeof(*s.value)),
				  .same = memory_new(h->runs, sizeof(*s.same)) };
	bool known = take_values(h, &s);

	if (known && s.values > 1 && (s.values < h->runs || h->runs == 2)) {
		*MEMORY_ADD(h->setting, h->settings) = s;
		return;
	}
	h->unknown += !known;
	h->unchanged += known && s.values == 1;
	h->always += known && s.values > 1;
	drop_setting(&s);
}

/* Has the dump of an earlier run the setting? */
static bool is_known(const struct hunt *h, size_t run, const char *name)
{
	while (run-- > 0)
		if (bios_dump_find(&h->run[run].dump, name))
			return true;
	return false;
}

/* Runs with the value of run `of`, and the others; the first run is among those that are off. */
static bool split_by(struct hunt *h, size_t setting, size_t of)
{
	struct hunt_change *c = NULL;
	bool on[HUNT_RUNS_MAX];

	for (size_t r = 0; r < h->runs; r++)
		on[r] = (h->setting[setting].same[r] == of) == (of != 0);
	for (size_t i = 0; i < h->changes && !c; i++)
		if (memcmp(h->change[i].on, on, h->runs * sizeof(*on)) == 0)
			c = &h->change[i];
	if (!c && h->changes == HUNT_CHANGES_MAX)
		return false;
	if (!c) {
		c = MEMORY_ADD(h->change, h->changes);
		*c = (struct hunt_change){ .on = memory_copy(on, h->runs, sizeof(*on)) };
		while (!on[c->first_on])
			c->first_on++;
	}
	*MEMORY_ADD(c->setting, c->settings) = setting;
	return true;
}

bool hunt_settings_find(struct hunt *h)
{
	for (size_t r = 0; r < h->runs; r++) {
		const struct bios_dump *d = &h->run[r].dump;

		for (size_t i = 0; i < d->count; i++)
			if (!is_known(h, r, d->attribute[i].name))
				add_setting(h, d->attribute[i].name);
	}
	for (size_t i = 0; i < h->settings; i++) {
		const struct hunt_setting *s = &h->setting[i];

		/* Of two values one split has it all. */
		for (size_t r = s->values == 2; r < h->runs; r++)
			if (s->same[r] == r && !split_by(h, i, r))
				return false;
	}
	return true;
}

/* The first runs that have each of its values, one value after the other, round and round. */
static void lay(const struct hunt_setting *s, const struct hunt *h, size_t *as, size_t runs)
{
	size_t of = 0;

	for (size_t n = 0; n < runs; n++) {
		while (s->same[of] != of)
			of = (of + 1) % h->runs;
		as[n] = of;
		of = (of + 1) % h->runs;
	}
}

/* Setting by setting: those that always changed together come apart. */
size_t *hunt_plan(const struct hunt *h, size_t runs)
{
	size_t *as = memory_new(runs * h->settings, sizeof(*as));
	uint64_t seed = runs;

	for (size_t r = 0; r < h->runs; r++)
		seed = seed * 31 + h->run[r].sid;
	for (size_t i = 0; i < h->settings; i++) {
		lay(&h->setting[i], h, as + i * runs, runs);
		shuffle_deal(as + i * runs, runs, &seed);
	}
	return as;
}

void hunt_free(struct hunt *h)
{
	for (size_t r = 0; r < h->runs; r++) {
		bios_dump_free(&h->run[r].dump);
		free(h->run[r].name);
	}
	for (size_t i = 0; i < h->settings; i++)
		drop_setting(&h->setting[i]);
	for (size_t i = 0; i < h->changes; i++) {
		free(h->change[i].on);
		free(h->change[i].setting);
	}
	for (size_t n = 0; n < h->times; n++)
		free(h->time[n].name);
	free(h->order);
	free(h->run);
	free(h->setting);
	free(h->change);
}
