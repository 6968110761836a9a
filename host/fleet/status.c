/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor status`: the latest run of a UUID in a collector's folder, from its own file. */
#include "expect.h"
#include "folders.h"
#include "status_show.h"
#include "host/lib/exit.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"
#include "host/subcommands.h"
#include "host/store/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct search_result {
	struct status of;
	struct folders folders;
	const struct folders_run *in; /* the latest */
	int error;
	const char *failed; /* the folder where that was */
};

/* Of this machine? What the index does not have is read. */
static bool is_wanted(struct search_result *s, struct folders_run *r)
{
	struct summary *known = &r->entry.summary;
	int error = *known->uuid ? 0 : folders_summary(&s->folders, r, known, &s->failed);

	if (error)
		s->error = error;
	return strcasecmp(known->uuid, s->of.uuid) == 0;
}

static void find_latest(struct search_result *s)
{
	for (size_t i = 0; i < s->folders.runs; i++) {
		struct folders_run *r = &s->folders.run[i];

		if (is_wanted(s, r) && (!s->of.runs++ || r->entry.rank > s->of.latest.rank)) {
			s->of.latest = r->entry;
			s->in = r;
		}
	}
	for (size_t i = 0; i < s->folders.runs && s->of.runs; i++) {
		const struct index_entry *e = &s->folders.run[i].entry;

		s->of.is_guessed |= e->sid != s->of.latest.sid &&
				    strcasecmp(e->summary.uuid, s->of.uuid) == 0 &&
				    index_order_is_guessed(&s->of.latest, e);
	}
}

/* ---- Its peers ---- */

static int by_machine(const void *a, const void *b)
{
	const struct index_entry *x = *(const struct index_entry *const *)a;
	const struct index_entry *y = *(const struct index_entry *const *)b;

	return strcasecmp(x->summary.uuid, y->summary.uuid) ?: ORDER(x->rank, y->rank);
}

static bool is_peer(const struct summary *s, const struct summary *of)
{
	return s->ended && *s->uuid && s->mode == of->mode &&
	       strcmp(s->product, of->product) == 0 && strcmp(s->bios, of->bios) == 0;
}

/* The configuration of each one's latest run, as far as the index has it. */
static void add_peers(struct search_result *s)
{
	const struct index_entry **peer = memory_new(s->folders.runs, sizeof(*peer));
	const struct summary *own = &s->of.latest.summary;
	size_t peers = 0;

	for (size_t i = 0; i < s->folders.runs; i++) {
		const struct index_entry *e = &s->folders.run[i].entry;

		if (is_peer(&e->summary, own) && strcasecmp(e->summary.uuid, s->of.uuid) != 0)
			peer[peers++] = e;
	}
	ORDER_SORT(peer, peers, by_machine);
	for (size_t i = 0; i < peers; i++) {
		const struct summary *one = &peer[i]->summary;

		if (i + 1 == peers || strcasecmp(one->uuid, peer[i + 1]->summary.uuid) != 0)
			configs_add(&s->of.peers, one->facts.config, one->uuid);
	}
	free(peer);
}

static void find_configs(struct search_result *s)
{
	const struct summary *own = &s->of.latest.summary;

	if (s->folders.is_one) {
		s->of.peers = s->folders.machine.peers;
		s->folders.machine.peers = (struct configs){ 0 };
	} else {
		add_peers(s);
	}
	configs_add(&s->of.peers, own->facts.config, own->uuid);
	if (!facts_config_known(own->facts.config) || !configs_differ(&s->of.peers))
		configs_free(&s->of.peers);
}

/*
 * The peers are those of the run that came last. Another may be the latest, where a time decided,
 * or its file may have what the index has not.
 */
static bool has_peers_of(const struct search_result *s)
{
	const struct summary *own = &s->of.latest.summary, *last = NULL;
	uint64_t place = 0;

	for (size_t i = 0; i < s->folders.runs; i++) {
		const struct index_entry *e = &s->folders.run[i].entry;

		if (e->place > place && strcasecmp(e->summary.uuid, s->of.uuid) == 0) {
			place = e->place;
			last = &e->summary;
		}
	}
	return last && last->mode == own->mode && strcmp(last->product, own->product) == 0 &&
	       strcmp(last->bios, own->bios) == 0;
}

static int find_run(struct search_result *s)
{
	find_latest(s);
	return s->in ? folders_summary(&s->folders, s->in, &s->of.latest.summary, &s->failed)
		     : s->error;
}

/* Where the index has what the folder has not, or the other way round, all of it is read. */
static bool read_one(struct search_result *s, const struct folders_from *from)
{
	struct folders_from all = *from;

	if (!folders_open(&s->folders, "status", from))
		return false;
	s->error = find_run(s);
	if (!s->folders.is_one || (!s->error && (!s->in || has_peers_of(s))))
		return true;
	folders_close(&s->folders);
	*s = (struct search_result){ .of = { .uuid = s->of.uuid, .max_age_ns = s->of.max_age_ns } };
	all.uuid = NULL;
	if (!folders_open(&s->folders, "status", &all))
		return false;
	s->error = find_run(s);
	return true;
}

static void find_forward(struct search_result *s)
{
	struct folder_index_forward *own = &s->folders.machine.forward;

	if (s->folders.is_one) {
		s->of.forward = *own;
		*own = (struct folder_index_forward){ .run = NULL };
		return;
	}
	for (size_t i = 0; i < s->folders.dirs; i++)
		folder_index_read_forward(s->folders.dir[i].fd, s->folders.dir[i].path, s->of.uuid,
					  &s->of.forward);
}

static bool read_folders(struct search_result *s, const struct folders_from *from)
{
	if (!read_one(s, from))
		return false;
	if (s->error && s->in)
		fprintf(stderr, "status: " STORE_PATTERN ": %s\n", s->of.latest.sid,
			strerror(s->error));
	else if (s->error)
		fprintf(stderr, "status: %s: %s\n", text_sanitize_name(s->failed),
			strerror(s->error));
	else if (s->in)
		find_configs(s);
	if (s->in)
		find_forward(s);
	return !s->error;
}

static struct options {
	struct options_list dir;
	const char *policy, *expect;
	uint64_t max_age_ns;
	struct form_choice form;
} options;

static int run(int count, char **arguments)
{
	struct search_result s = { .of = { .uuid = count ? arguments[0] : "",
					   .max_age_ns = options.max_age_ns } };
	const struct folders_from from = { options.dir.count, options.dir.text, options.policy,
					   options.expect ? NULL : s.of.uuid, NULL };
	int code = EXIT_ERROR;

	if (options.expect && !count) {
		if (folders_open(&s.folders, "status", &from))
			code = expect_show(&s.folders, options.expect, options.max_age_ns,
					   options.form.form == FORM_JSON);
		folders_close(&s.folders);
		return code;
	}
	if (options.expect || !count) {
		fputs("status: either a UUID or --expect\n", stderr);
		return options_see_help(&status_subcommand);
	}
	if (!*s.of.uuid) {
		fputs("status: the UUID is empty\n", stderr);
		return options_see_help(&status_subcommand);
	}
	code = read_folders(&s, &from) ? status_show(&s.of, options.form.form == FORM_JSON)
				       : EXIT_ERROR;
	configs_free(&s.of.peers);
	free(s.of.forward.run);
	folders_close(&s.folders);
	return code;
}

static const struct options_row rows[] = {
	{ "dir", "DIR", "the collector's folder; may be given for each of several", options_list,
	  .offset = offsetof(struct options, dir), .required = true },
	{ "expect", "FILE",
	  "instead of a UUID: which of the UUIDs in this file, one on each line, have not "
	  "reported, or not within --max-age",
	  options_text, .offset = offsetof(struct options, expect) },
	{ "policy", "FILE", FOLDERS_POLICY_HELP, options_text,
	  .offset = offsetof(struct options, policy) },
	{ "max-age", "TIME", STATUS_MAX_AGE_HELP, options_time,
	  .offset = offsetof(struct options, max_age_ns) },
	OPTIONS_FORM(struct options, form, form_is_text_or_json),
	{ 0 },
};

const struct options_subcommand status_subcommand = {
	.name = "status",
	.run = run,
	.summary = "the verdict of one machine, from a collector's files",
	.arguments = "UUID",
	.least = 0,
	.most = 1,
	.about = "Reports how the latest run of the machine with this UUID ended, by the files of "
		 "the collector, which may be running.",
	.exit_code = "0 pass or no limit set, 1 fail, 2 error, or no run of that machine, 3 "
		     "incomplete, still running, older than --max-age, or records lost; with "
		     "--expect, a machine has not reported.",
	.rows = rows,
	.options = &options,
};
