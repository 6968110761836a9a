/* SPDX-License-Identifier: BSD-2-Clause */
/* The parts of a run are read chunk by chunk, and their lines merged by number. */
#include "runs.h"

#include "store_judge.h"
#include "store/run_line.h"

#include "host/attest/attest_facts.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool runs_fail(const struct runs *r, size_t store, int error)
{
	fprintf(stderr, "%s: %s/" STORE_NAME ": %s\n", r->subcommand,
		text_sanitize_name(r->store[store].path), store_why(error));
	return false;
}

/* ---- Opening ---- */

/* That of the first store that has one. */
static bool read_stored_policy(struct runs *r)
{
	for (size_t i = 0; i < r->stores; i++) {
		char *text = store_setting(r->store[i].store, "policy");

		if (text)
			r->policy = policy_parse(r->subcommand, r->store[i].path, text);
		free(text);
		if (text)
			return r->policy;
	}
	return true;
}

static bool read_policy(struct runs *r, const char *path)
{
	if (path ? !*path : r->stores > 1)
		return read_stored_policy(r);
	r->policy = path ? policy_read(r->subcommand, path) : NULL;
	return !path || r->policy;
}

bool runs_open(struct runs *r, const char *subcommand, size_t count, const char *const *paths,
	       const char *policy)
{
	char why[STORE_WHY];

	*r = (struct runs){ .subcommand = subcommand,
			    .store = memory_new(count, sizeof(*r->store)) };
	for (; r->stores < count; r->stores++) {
		struct runs_store *s = &r->store[r->stores];

		s->path = paths[r->stores];
		s->store = store_open(s->path, STORE_READ, why);
		if (!s->store) {
			fprintf(stderr, "%s: %s\n", subcommand, text_sanitize_name(why));
			return false;
		}
	}
	return read_policy(r, policy);
}

void runs_close(struct runs *r)
{
	for (size_t i = 0; i < r->stores; i++)
		store_close(r->store[i].store);
	free(r->store);
	free(r->part);
	free(r->one);
	policy_free(r->policy);
}

/* ---- Runs ---- */

struct reading {
	struct runs *runs;
	size_t in;
	uint64_t when;
};

static int add_run(void *ctx, const struct store_run *run)
{
	struct reading *to = ctx;
	struct runs *r = to->runs;

	to->when = run->begun_s > to->when ? run->begun_s : to->when;
	*MEMORY_ADD(r->part, r->parts) = (struct runs_part){ to->in, run->sid, run->id, to->when };
	*MEMORY_ADD(r->one, r->count) = (struct runs_one){ .run = *run, .parts = 1 };
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct runs_part *x = a, *y = b;

	return ORDER(x->when, y->when) ?: ORDER(x->in, y->in) ?: ORDER(x->id, y->id);
}

static int by_sid(const void *a, const void *b)
{
	const struct runs_one *x = a, *y = b;

	return ORDER(x->run.sid, y->run.sid) ?: ORDER(x->run.begun_s, y->run.begun_s);
}

static int part_by_sid(const void *a, const void *b)
{
	const struct runs_part *x = a, *y = b;

	return ORDER(x->sid, y->sid) ?: by_time(a, b);
}

static bool add_parts_of(struct runs *r, const struct runs_part *p)
{
	for (size_t in = 0; in < r->stores; in++) {
		struct reading to = { r, in, 0 };
		struct store_run run;
		int error = in == p->in ? ENOENT : store_find(r->store[in].store, p->sid, &run);

		if (error && error != ENOENT)
			return runs_fail(r, in, error);
		if (!error)
			add_run(&to, &run);
	}
	return true;
}

/* A part in which the machine is not named does not meet a condition on that. */
static bool add_other_parts(struct runs *r)
{
	for (size_t i = 0, known = r->parts; i < known; i++) {
		const struct runs_part part = r->part[i];

		if (!add_parts_of(r, &part))
			return false;
	}
	return true;
}

/* The rows follow the parts. A part that was found twice is one. */
static void rank(struct runs *r)
{
	size_t parts = 0, count = 0;

	for (size_t i = 0; i < r->count; i++)
		r->one[i].part = i;
	ORDER_SORT(r->part, r->parts, by_time);
	for (size_t i = 0; i < r->parts; i++)
		r->part[i].when = i;
	ORDER_SORT(r->part, r->parts, part_by_sid);
	for (size_t i = 0; i < r->parts; i++)
		if (!parts || r->part[parts - 1].in != r->part[i].in ||
		    r->part[parts - 1].id != r->part[i].id)
			r->part[parts++] = r->part[i];
	r->parts = parts;
	ORDER_SORT(r->one, r->count, by_sid);
	for (size_t i = 0; i < r->count; i++)
		if (!count || r->one[count - 1].run.sid != r->one[i].run.sid)
			r->one[count++] = r->one[i];
	r->count = count;
	for (size_t i = 0, part = 0; i < count; i++) {
		struct runs_one *one = &r->one[i];

		one->part = part;
		one->rank = r->part[part].when;
		while (part < r->parts && r->part[part].sid == one->run.sid)
			part++;
		one->parts = part - one->part;
	}
}

/* ---- What several parts, or another policy, make of a run ---- */

static void add_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	struct store_run *run = ctx;

	(void)text;
	run->summary.lost += line->seq - run->next;
	run->next = line->seq + 1;
	run->bytes += bytes;
	summary_line(&run->summary, line, NULL);
}

static void feed_line(void *ctx, const struct line *line, const char *text, size_t bytes)
{
	(void)ctx, (void)line;
	attest_facts_feed(text, bytes);
}

/* Twice, if the policy asks for the attestation: whose run it is shows only then. */
static bool read_parts(struct runs *r, struct runs_one *one)
{
	struct runs_sink sink = { .line = add_line, .ctx = &one->run };
	struct runs_sink again = { .line = feed_line };
	bool is_read;

	one->run.summary = (struct summary){ .lines = 0 };
	one->run.next = one->run.bytes = 0;
	is_read = runs_lines(r, one, &sink);
	if (is_read && policy_asks_attest(r->policy, &one->run.summary)) {
		attest_facts_begin();
		is_read = runs_lines(r, one, &again);
		attest_facts_end(is_read ? one->run.summary.lines : 0,
				 &one->run.summary.facts.attest);
	}
	policy_judge(r->policy, &one->run.summary);
	return is_read;
}

static bool judge(struct runs *r, struct runs_one *one)
{
	if (one->parts > 1)
		return read_parts(r, one);
	if (r->policy)
		store_judge(r->policy, r->store[r->part[one->part].in].store, &one->run);
	return true;
}

bool runs_read(struct runs *r, const char *where, const char *text)
{
	for (size_t in = 0; in < r->stores; in++) {
		struct reading to = { r, in, 0 };
		int error = store_each(r->store[in].store, where, text, add_run, &to);

		if (error)
			return runs_fail(r, in, error);
	}
	if (r->stores > 1 && !add_other_parts(r))
		return false;
	rank(r);
	for (size_t i = 0; i < r->count; i++)
		if (!judge(r, &r->one[i]))
			return false;
	return true;
}

/* ---- Lines ---- */

/* A chunk of a part, and the line in it that comes next. */
struct lines {
	size_t in; /* of the stores */
	struct store_cursor cursor;
	const char *text;
	size_t bytes, length; /* of the rest of the chunk, and of the line; 0: there is no more */
	struct line line;
	uint64_t next;
	int error;
};

static void next_line(struct lines *l, uint64_t sid)
{
	do {
		l->text += l->length;
		l->bytes -= l->length;
		l->length = 0;
		if (!l->bytes && !store_cursor_next(&l->cursor, &l->text, &l->bytes, &l->error)) {
			l->bytes = 0;
			return;
		}
		/* Chunks end with a newline. */
		l->length = (size_t)((const char *)memchr(l->text, '\n', l->bytes) - l->text) + 1;
	} while (!run_line_read(l->text, l->length - 1, sid, &l->line) || l->line.seq < l->next);
	l->next = l->line.seq + 1;
}

static struct lines *lowest(struct lines *l, size_t parts)
{
	struct lines *first = NULL;

	for (size_t i = 0; i < parts; i++)
		if (l[i].length && (!first || l[i].line.seq < first->line.seq))
			first = &l[i];
	return first;
}

/* The same line in the others. */
static void skip_again(const struct runs *r, struct lines *l, size_t parts,
		       const struct lines *first, uint64_t sid, struct runs_sink *sink)
{
	for (size_t i = 0; i < parts; i++) {
		if (&l[i] == first || !l[i].length || l[i].line.seq != first->line.seq)
			continue;
		sink->again++;
		if (sink->conflict && (l[i].length != first->length ||
				       memcmp(l[i].text, first->text, first->length) != 0))
			sink->conflict(sink->ctx, r->store[first->in].path, r->store[l[i].in].path,
				       first->line.seq);
		next_line(&l[i], sid);
	}
}

static bool open_lines(struct runs *r, const struct runs_one *one, struct lines *l)
{
	for (size_t i = 0; i < one->parts; i++) {
		const struct runs_part *p = &r->part[one->part + i];

		l[i].in = p->in;
		l[i].error = store_cursor_open(r->store[p->in].store, p->id, &l[i].cursor);
		if (l[i].error)
			return runs_fail(r, p->in, l[i].error);
		next_line(&l[i], p->sid);
	}
	return true;
}

static void report_damage(struct runs *r, const struct lines *l, uint64_t sid)
{
	const struct store_cursor *c = &l->cursor;

	r->damaged += c->damaged;
	if (c->damaged)
		fprintf(stderr,
			"%s: %s/" STORE_NAME ": run %016" PRIx64 ": %" PRIu64
			" chunks are damaged, and left out; the first is that of line %" PRIu64
			"\n",
			r->subcommand, text_sanitize_name(r->store[l->in].path), sid, c->damaged,
			c->first);
}

bool runs_lines(struct runs *r, const struct runs_one *one, struct runs_sink *sink)
{
	struct lines *l = memory_new(one->parts, sizeof(*l)), *first;
	uint64_t sid = one->run.sid;
	bool is_read = open_lines(r, one, l);

	while (is_read && (first = lowest(l, one->parts))) {
		sink->line(sink->ctx, &first->line, first->text, first->length);
		skip_again(r, l, one->parts, first, sid, sink);
		next_line(first, sid);
	}
	for (size_t i = 0; i < one->parts; i++) {
		report_damage(r, &l[i], sid);
		if (is_read && l[i].error)
			is_read = runs_fail(r, l[i].in, l[i].error);
		store_cursor_close(&l[i].cursor);
	}
	free(l);
	return is_read;
}
