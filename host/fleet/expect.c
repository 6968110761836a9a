/* SPDX-License-Identifier: BSD-2-Clause */
/* The machines of the stores, sorted, and those of the file beside them. */
#include "expect.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"
#include "host/lib/uuid_list.h"

#include "core/lib/ticks.h"
#include "core/lib/uuid.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct machine {
	uint8_t uuid[UUID_BYTES];
	uint64_t at; /* when its last run's end was received, s since 1970 */
};

struct expect {
	struct machine *seen;
	size_t count, expected, missing;
	uint64_t max_age_s; /* 0: any */
	json_t *list;       /* NULL: text */
};

static int by_uuid(const void *a, const void *b)
{
	return memcmp(a, b, UUID_BYTES);
}

static int by_uuid_and_time(const void *a, const void *b)
{
	return by_uuid(a, b)
		       ?: ORDER(((const struct machine *)a)->at, ((const struct machine *)b)->at);
}

static bool read_seen(struct expect *e, struct runs *r)
{
	size_t kept = 0;

	if (!runs_read(r, r->stores > 1 ? "" : "WHERE ended AND uuid<>''", NULL))
		return false;
	for (size_t i = 0; i < r->count; i++) {
		const struct store_run *run = &r->one[i].run;
		struct machine m = { .at = run->ended_s };

		if (run->summary.ended && uuid_parse(run->summary.uuid, m.uuid))
			*MEMORY_ADD(e->seen, e->count) = m;
	}
	ORDER_SORT(e->seen, e->count, by_uuid_and_time);
	/* The latest of each. */
	for (size_t i = 0; i < e->count; i++) {
		kept += i && by_uuid(&e->seen[i - 1], &e->seen[i]) != 0;
		e->seen[kept] = e->seen[i];
	}
	e->count = e->count ? kept + 1 : 0;
	return true;
}

static void look_for(struct expect *e, const uint8_t uuid[UUID_BYTES])
{
	const struct machine *m = e->count ? bsearch(uuid, e->seen, e->count, sizeof(*e->seen),
						     by_uuid)
					   : NULL;
	uint64_t now = (uint64_t)time(NULL), age_s = m && now > m->at ? now - m->at : 0;
	char text[UUID_TEXT];

	e->expected++;
	if (m && (!e->max_age_s || age_s <= e->max_age_s))
		return;
	e->missing++;
	uuid_print(uuid, text);
	if (e->list)
		json_array_append_new(e->list, json_string(text));
	else if (m)
		printf("%s reported %" PRIu64 " h ago\n", text, age_s / 3600);
	else
		printf("%s has not reported\n", text);
}

static int report(struct expect *e, size_t mistakes)
{
	if (e->list)
		json_print("status-expect/1",
			   json_pack("{s:I, s:O}", "expected", (json_int_t)e->expected, "missing",
				     e->list),
			   0);
	else
		printf("%zu of %zu machines have not reported\n", e->missing, e->expected);
	return mistakes ? EXIT_ERROR : e->missing ? EXIT_INCOMPLETE : EXIT_PASS;
}

int expect_show(struct runs *r, const char *path, uint64_t max_age_ns, bool as_json)
{
	struct expect e = { .max_age_s = max_age_ns / NS_PER_S };
	struct uuid_list list;
	int code = EXIT_ERROR;

	if (!uuid_list_read("fleet status", "--expect", path, &list))
		return EXIT_ERROR;
	e.list = as_json ? json_array() : NULL;
	if (read_seen(&e, r)) {
		for (size_t i = 0; i < list.count; i++)
			look_for(&e, list.at[i]);
		code = report(&e, list.mistakes);
	}
	json_decref(e.list);
	free(e.seen);
	uuid_list_free(&list);
	return code;
}
