/* SPDX-License-Identifier: BSD-2-Clause */
/* Two sorted lists, of what is certain and what is guessed, are merged. */
#include "index_order.h"

#include "files.h"

#include "host/lib/memory.h"

#include "host/lib/order.h"

#include <stdlib.h>

struct missing {
	struct index_table *known;
	struct index_table found;
	int dir, error;
};

static void add_file(void *ctx, uint64_t sid)
{
	struct missing *m = ctx;
	struct index_entry *known = index_find(m->known, sid);
	struct index_entry e = { .sid = sid, .is_guessed = true, .has_file = true };
	time_t when;

	if (known) {
		known->has_file = true;
		return;
	}
	when = store_status(m->dir, sid).st_mtime;
	if (when > 0)
		e.at = e.began = (uint64_t)when;
	m->error = m->error ? m->error : index_put(&m->found, &e);
}

static void drop_without_file(struct index_table *t)
{
	size_t kept = 0;

	for (size_t i = 0; i < t->count; i++) {
		if (t->entry[i].has_file)
			t->entry[kept++] = t->entry[i];
	}
	t->count = kept;
}

static int add_files(struct index_table *t, int dir)
{
	struct missing m = { .known = t, .dir = dir };
	int error = store_each(dir, add_file, &m);

	error = error ? error : m.error;
	for (size_t i = 0; i < m.found.count && !error; i++)
		error = index_put(t, &m.found.entry[i]);
	index_free(&m.found);
	index_sort(t);
	drop_without_file(t);
	return error;
}

/* What is certain by its place in the index, then what is not by its time. */
static int by_kind(const void *a, const void *b)
{
	const struct index_place *x = *(struct index_place *const *)a;
	const struct index_place *y = *(struct index_place *const *)b;
	int order = ORDER(x->is_guessed, y->is_guessed);

	if (!order && x->is_guessed)
		order = ORDER(x->began, y->began);
	return order ?: ORDER(x->place, y->place) ?: ORDER(x->sid, y->sid);
}

static bool is_before(const struct index_place *guessed, const struct index_place *certain)
{
	return guessed->began < certain->began ||
	       (guessed->place && guessed->place < certain->place);
}

void index_order_places(struct index_place **places, size_t count)
{
	size_t certain = 0, rank = 0, guessed;

	for (size_t i = 0; i < count; i++)
		certain += !places[i]->is_guessed;
	ORDER_SORT(places, count, by_kind);
	guessed = certain;
	for (size_t i = 0; i < certain; i++) {
		while (guessed < count && is_before(places[guessed], places[i]))
			places[guessed++]->rank = rank++;
		places[i]->rank = rank++;
	}
	while (guessed < count)
		places[guessed++]->rank = rank++;
}

int index_order(struct index_table *t, int dir)
{
	int error = dir < 0 ? 0 : add_files(t, dir);
	struct index_place *of, **sorted;

	if (error)
		return error;
	of = memory_new(t->count, sizeof(*of));
	sorted = memory_new(t->count, sizeof(struct index_place *));
	for (size_t i = 0; i < t->count; i++) {
		const struct index_entry *e = &t->entry[i];

		of[i] = (struct index_place){ e->sid, e->place, e->began, e->is_guessed, 0 };
		sorted[i] = &of[i];
	}
	index_order_places(sorted, t->count);
	for (size_t i = 0; i < t->count; i++)
		t->entry[i].rank = of[i].rank;
	free(sorted);
	free(of);
	return 0;
}

bool index_order_is_guessed(const struct index_entry *latest, const struct index_entry *other)
{
	return latest->is_guessed ||
	       (other->is_guessed && (!other->place || other->place > latest->place));
}
