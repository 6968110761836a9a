/* SPDX-License-Identifier: BSD-2-Clause */
/* A row per product, BIOS version, stage and service. */
#include "fleet_services.h"

#include "host/capture/service_records.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FLEET_SERVICES_NAMES: there is no room for it. */
static unsigned find_name(struct fleet_services_names *n, const char *name)
{
	char printable[sizeof(n->at[0])];
	unsigned i = 0;

	text_sanitize_ascii(printable, sizeof(printable), name);
	while (i < n->count && strcmp(n->at[i], printable) != 0)
		i++;
	if (i == n->count && i < FLEET_SERVICES_NAMES)
		memcpy(n->at[n->count++], printable, sizeof(printable));
	return i;
}

static void add_one(struct fleet_services *f, const struct summary *of, const char *stage,
		    const struct record_service *r)
{
	const struct fleet_service s = {
		.of = of,
		.stage = find_name(&f->stages, stage),
		.service = find_name(&f->services, r->service),
		.stops = r->stops,
		.p50_ns = r->p50_ns.value,
		.max_ns = r->max_ns.value,
	};

	if (s.stage < FLEET_SERVICES_NAMES && s.service < FLEET_SERVICES_NAMES)
		*MEMORY_ADD(f->at, f->count) = s;
}

void fleet_services_add(struct fleet_services *f, const struct summary *s, const struct result *run)
{
	for (size_t n = 0; n < run->stages; n++) {
		const struct service_records of = service_records_of(&run->stage[n]);

		for (size_t i = 0; i < of.count; i++)
			if (of.at[i].service && of.at[i].p50_ns.known)
				add_one(f, s, run->stage[n].name, &of.at[i]);
	}
}

static int by_machines(const struct fleet_service *x, const struct fleet_service *y)
{
	return strcmp(x->of->product, y->of->product)
		       ?: strcmp(x->of->bios, y->of->bios) ?: ORDER(x->stage, y->stage);
}

static int by_service(const struct fleet_service *x, const struct fleet_service *y)
{
	return by_machines(x, y) ?: ORDER(x->service, y->service);
}

static int by_median(const void *a, const void *b)
{
	const struct fleet_service *x = a, *y = b;

	return by_service(x, y) ?: ORDER(x->p50_ns, y->p50_ns);
}

/* Of one service, with the same product, BIOS and stage. */
struct row {
	const struct fleet_service *first;
	size_t nodes, stops;
	uint64_t p50_ns;
	const struct fleet_service *longest;
};

/* The next of the sorted list. False: there is none. */
static bool next_row(const struct fleet_services *f, struct row *r)
{
	size_t at = r->first ? (size_t)(r->first - f->at) + r->nodes : 0;

	if (at == f->count)
		return false;
	*r = (struct row){ .first = &f->at[at], .longest = &f->at[at] };
	for (; at < f->count && by_service(r->first, &f->at[at]) == 0; at++) {
		r->nodes++;
		r->stops += f->at[at].stops;
		if (f->at[at].max_ns > r->longest->max_ns)
			r->longest = &f->at[at];
	}
	r->p50_ns = r->first[(r->nodes - 1) / 2].p50_ns / 2 + r->first[r->nodes / 2].p50_ns / 2;
	return true;
}

static void print_row(const struct fleet_services *f, const struct row *r)
{
	TEXT_DEFINE(t, 200);

	text_add(&t, "  %s: %zu machines, stops others on %zu; median ",
		 f->services.at[r->first->service], r->nodes, r->stops);
	text_duration(&t, r->p50_ns);
	text_add(&t, ", most ");
	text_duration(&t, r->longest->max_ns);
	printf("%s (%s)\n", t.buf, fleet_or_unknown(r->longest->of->uuid));
}

void fleet_services_print(struct fleet_services *f)
{
	const struct fleet_service *before = NULL;
	struct row r = { 0 };

	ORDER_SORT(f->at, f->count, by_median);
	for (; next_row(f, &r); before = r.first) {
		if (!before || by_machines(before, r.first) != 0)
			printf("%s, BIOS %s, stage %s, calls of firmware\n",
			       fleet_or_unknown(r.first->of->product),
			       fleet_or_unknown(r.first->of->bios), f->stages.at[r.first->stage]);
		print_row(f, &r);
	}
}

static json_t *json_row(const struct fleet_services *f, const struct row *r)
{
	const struct summary *s = r->first->of;

	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:s}", "product", s->product,
			 "bios", s->bios, "stage", f->stages.at[r->first->stage], "service",
			 f->services.at[r->first->service], "nodes", (json_int_t)r->nodes, "stops",
			 (json_int_t)r->stops, "p50_ns", (json_int_t)r->p50_ns, "max_ns",
			 (json_int_t)r->longest->max_ns, "uuid", r->longest->of->uuid);
}

json_t *fleet_services_json(struct fleet_services *f)
{
	json_t *all = json_array();
	struct row r = { 0 };

	ORDER_SORT(f->at, f->count, by_median);
	while (next_row(f, &r))
		json_array_append_new(all, json_row(f, &r));
	return all;
}
