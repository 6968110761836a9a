/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor fleet status`: the latest run of a UUID in a collector's store. */
#include "expect.h"
#include "fleet.h"
#include "runs.h"
#include "status_show.h"

#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct options {
	const char *dir, *policy, *expect;
	uint64_t max_age_ns;
	struct form_choice form;
} options;

/* Runs come in the order in which they were begun, so the last one is the latest. */
static int take_run(void *ctx, const struct store_run *run)
{
	struct status *s = ctx;

	s->latest = *run;
	s->runs++;
	return 0;
}

/* ---- Its peers ---- */

#define PEERS                                                                            \
	"SELECT config, count(*), min(uuid COLLATE BINARY) FROM run WHERE latest AND "   \
	"product=%Q AND bios=%Q AND mode IS %Q AND uuid<>?1 AND config IS NOT NULL AND " \
	"uuid<>'' GROUP BY config"

static int take_peers(void *ctx, sqlite3_stmt *row)
{
	struct status *s = ctx;
	uint8_t digest[SHA256_BYTES];
	char *uuid = memory_text((const char *)sqlite3_column_text(row, 2));

	text_sanitize_ascii(uuid, strlen(uuid) + 1, uuid);
	if (text_unhex((const char *)sqlite3_column_text(row, 0), digest, SHA256_BYTES) ==
	    SHA256_BYTES)
		configs_add_many(&s->peers, digest, (size_t)sqlite3_column_int64(row, 1), uuid);
	return 0;
}

/* Find the configuration of each peer's latest run. */
static int find_configs(struct status *s, struct store *store)
{
	const struct summary *own = &s->latest.summary;
	char *query = sqlite3_mprintf(PEERS, own->product, own->bios,
				      own->mode ? own->mode->name : NULL);
	int error = query ? store_ask(store, query, s->uuid, take_peers, s) : ENOMEM;

	sqlite3_free(query);
	configs_add(&s->peers, own->facts.config, own->uuid);
	if (!facts_config_known(own->facts.config) || !configs_differ(&s->peers))
		configs_free(&s->peers);
	return error;
}

/* ---- Its way to an engine ---- */

/* What holds up all that wait is a setting. */
#define SETTING(name) "(SELECT value FROM setting WHERE name='" name "')"
#define WAITS         "forward_state IS NULL"

#define FORWARD                                                                                  \
	"SELECT sid, coalesce(forward_state, 'waiting'), max(forward_next_s, CASE WHEN " WAITS   \
	" THEN coalesce(CAST(" SETTING(                                                          \
		"forward_next_s") " AS INTEGER), 0) ELSE 0 END), "                               \
				  "coalesce(forward_why, CASE WHEN " WAITS " THEN " SETTING(     \
					  "forward_why") " END, '') "                            \
							 "FROM run WHERE uuid=?1 AND ended AND " \
							 "EXISTS " SETTING(                      \
								 "forward_to") " ORDER BY id"

static void copy_text(char *to, size_t room, sqlite3_stmt *row, int column)
{
	text_sanitize_ascii(to, room, (const char *)sqlite3_column_text(row, column));
}

static int take_forward(void *ctx, sqlite3_stmt *row)
{
	struct status *s = ctx;
	struct status_forward *f = MEMORY_ADD(s->forward, s->forwards);
	const char *sid = (const char *)sqlite3_column_text(row, 0);

	*f = (struct status_forward){ .sid = sid ? strtoull(sid, NULL, 16) : 0 };
	copy_text(f->state, sizeof(f->state), row, 1);
	f->next_s = (uint64_t)sqlite3_column_int64(row, 2);
	copy_text(f->why, sizeof(f->why), row, 3);
	return 0;
}

static bool read_status(struct status *s, struct runs *r)
{
	int error;

	if (!runs_each(r, "WHERE uuid=?1 ORDER BY id", s->uuid, take_run, s))
		return false;
	if (!s->runs)
		return true;
	error = find_configs(s, r->store);
	error = error ? error : store_ask(r->store, FORWARD, s->uuid, take_forward, s);
	return !error || runs_fail(r, error);
}

static int run(int count, char **arguments)
{
	struct status s = { .uuid = count ? arguments[0] : "", .max_age_ns = options.max_age_ns };
	struct runs r = { .store = NULL };
	int code = EXIT_ERROR;

	if (!options.expect == !count) {
		fputs("fleet status: either a UUID or --expect\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (count && !*s.uuid) {
		fputs("fleet status: the UUID is empty\n", stderr);
		return options_see_help(&fleet_status);
	}
	if (runs_open(&r, "fleet status", options.dir, options.policy)) {
		bool as_json = options.form.form == FORM_JSON;

		if (options.expect)
			code = expect_show(&r, options.expect, options.max_age_ns, as_json);
		else if (read_status(&s, &r))
			code = status_show(&s, as_json);
	}
	configs_free(&s.peers);
	free(s.forward);
	runs_close(&r);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder", options_text,
	  .offset = offsetof(struct options, dir), .required = true },
	{ "expect", "FILE",
	  "instead of a UUID: which of the UUIDs in this file, one on each line, have not "
	  "reported, or not within --max-age",
	  options_text, .offset = offsetof(struct options, expect) },
	{ "policy", "FILE", RUNS_POLICY_HELP, options_text,
	  .offset = offsetof(struct options, policy) },
	{ "max-age", "TIME", STATUS_MAX_AGE_HELP, options_time,
	  .offset = offsetof(struct options, max_age_ns) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand fleet_status = {
	.name = "status",
	.command = "noisefloor fleet status",
	.run = run,
	.summary = "the verdict of one machine",
	.arguments = "UUID",
	.least = 0,
	.most = 1,
	.about = "Reports how the latest run of the machine with this UUID ended, by the store of "
		 "the collector, which may be running.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, still running, older than --max-age, or records lost; with "
		     "--expect, a machine has not reported.",
	.rows = rows,
	.options = &options,
};
