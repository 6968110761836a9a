/* SPDX-License-Identifier: BSD-2-Clause */
/* The store is queried for each machine in the file. */
#include "expect.h"

#include "host/lib/exit.h"
#include "host/lib/json_name.h"
#include "host/lib/uuid_list.h"

#include "core/lib/ticks.h"
#include "core/lib/uuid.h"

#include <inttypes.h>
#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <time.h>

struct expect {
	struct runs *runs;
	size_t expected, missing;
	uint64_t max_age_s; /* 0: any */
	json_t *list;       /* NULL: text */
};

static int take_time(void *ctx, sqlite3_stmt *row)
{
	*(uint64_t *)ctx = (uint64_t)sqlite3_column_int64(row, 0);
	return 0;
}

/* Look for a machine in the store. False: an error, reported on standard error. */
static bool look_for(struct expect *e, const uint8_t uuid[UUID_BYTES])
{
	uint64_t at = 0, now = (uint64_t)time(NULL), age_s;
	char text[UUID_TEXT];
	int error;

	uuid_print(uuid, text);
	error = store_ask(e->runs->store, "SELECT max(ended_s) FROM run WHERE uuid=?1 AND ended",
			  text, take_time, &at);
	if (error)
		return runs_fail(e->runs, error);
	e->expected++;
	age_s = now > at ? now - at : 0;
	if (at && (!e->max_age_s || age_s <= e->max_age_s))
		return true;
	e->missing++;
	if (e->list)
		json_array_append_new(e->list, json_string(text));
	else if (at)
		printf("%s reported %" PRIu64 " h ago\n", text, age_s / 3600);
	else
		printf("%s has not reported\n", text);
	return true;
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
	struct expect e = { .runs = r, .max_age_s = max_age_ns / NS_PER_S };
	struct uuid_list list;
	bool is_read = true;
	int code = EXIT_ERROR;

	if (!uuid_list_read("fleet status", "--expect", path, &list))
		return EXIT_ERROR;
	e.list = as_json ? json_array() : NULL;
	for (size_t i = 0; i < list.count && is_read; i++)
		is_read = look_for(&e, list.at[i]);
	if (is_read)
		code = report(&e, list.mistakes);
	json_decref(e.list);
	uuid_list_free(&list);
	return code;
}
