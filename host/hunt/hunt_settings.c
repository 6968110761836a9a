/* SPDX-License-Identifier: BSD-2-Clause */
/* Which settings differ, and which of them made the same groups of runs. */
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

static struct hunt_setting new_setting(const struct hunt *h, const char *name)
{
	return (struct hunt_setting){
		.name = name,
		.value = memory_new(h->runs, sizeof(*(struct hunt_setting){ 0 }.value)),
		.same = memory_new(h->runs, sizeof(size_t)),
	};
}

static void drop_setting(struct hunt_setting *s)
{
	free(s->value);
	free(s->same);
}

static void add_setting(struct hunt *h, const char *name)
{
	struct hunt_setting s = new_setting(h, name);
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

/* Those that the first run's dump does not have. */
static void count_others(struct hunt *h)
{
	for (size_t r = 1; r < h->runs; r++) {
		const struct bios_dump *d = &h->run[r].dump;

		for (size_t i = 0; i < d->count; i++) {
			size_t before = 0;

			while (before < r &&
			       !bios_dump_find(&h->run[before].dump, d->attribute[i].name))
				before++;
			h->unknown += before == r;
		}
	}
}

static struct hunt_change *find_change(struct hunt *h, const bool *on)
{
	for (size_t i = 0; i < h->changes; i++)
		if (memcmp(h->change[i].on, on, h->runs * sizeof(*on)) == 0)
			return &h->change[i];
	return NULL;
}

static struct hunt_change *add_change(struct hunt *h, const bool *on)
{
	struct hunt_change *c;
	size_t first = 0;

	if (h->changes == HUNT_CHANGES_MAX)
		return NULL;
	while (!on[first])
		first++;
	c = MEMORY_ADD(h->change, h->changes);
	*c = (struct hunt_change){ memory_copy(on, h->runs, sizeof(*on)), first, NULL, 0 };
	return c;
}

/* Runs with the value of run `of`, and the others; the first run is among those that are off. */
static bool split_by(struct hunt *h, size_t setting, size_t of)
{
	const struct hunt_setting *s = &h->setting[setting];
	bool on[HUNT_RUNS_MAX];
	struct hunt_change *c;

	for (size_t r = 0; r < h->runs; r++)
		on[r] = (s->same[r] == of) == (of != 0);
	c = find_change(h, on);
	c = c ? c : add_change(h, on);
	if (!c)
		return false;
	*MEMORY_ADD(c->setting, c->settings) = setting;
	return true;
}

bool hunt_settings_find(struct hunt *h)
{
	const struct bios_dump *d = &h->run[0].dump;

	for (size_t i = 0; i < d->count; i++)
		add_setting(h, d->attribute[i].name);
	count_others(h);
	for (size_t i = 0; i < h->settings; i++) {
		const struct hunt_setting *s = &h->setting[i];

		/* Of two values one split has it all. */
		for (size_t r = s->values == 2; r < h->runs; r++)
			if (s->same[r] == r && !split_by(h, i, r))
				return false;
	}
	return true;
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
