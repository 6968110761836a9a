/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of JSON out, a sorted table in. */
#define _GNU_SOURCE /* asprintf */
#include "index.h"

#include "host/lib/json_name.h"
#include "host/lib/memory.h"
#include "host/lib/order.h"
#include "host/lib/text_sanitize.h"

#include "core/lib/text.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void index_free(struct index_table *t)
{
	free(t->entry);
	*t = (struct index_table){ .entry = NULL };
}

static void copy_text(char *to, size_t room, const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	text_sanitize_ascii(to, room, text ? text : "");
}

static uint64_t number_of(const json_t *object, const char *name)
{
	json_int_t value = json_integer_value(json_object_get(object, name));

	return value > 0 ? (uint64_t)value : 0;
}

/* ---- What a policy looks at ---- */

#define DIGITS (2 * SHA256_BYTES + 1)

/* Larger ones than JSON has are as large as it has. */
static json_int_t most(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (json_int_t)value;
}

static json_t *json_worst(const struct facts_worst *w)
{
	return json_pack("[I, I, b]", most(w->value), most(w->cpu), w->unknown);
}

static json_t *json_digest(const uint8_t digest[SHA256_BYTES])
{
	TEXT_DEFINE(digits, DIGITS);

	text_hex(&digits, digest, SHA256_BYTES);
	return json_string(digits.buf);
}

static const char *const attested[FACTS_ATTEST_STATES] = {
	[FACTS_ATTEST_NONE] = "none",   [FACTS_ATTEST_BAD] = "bad",
	[FACTS_ATTEST_LARGE] = "large", [FACTS_ATTEST_UNKNOWN] = "unknown",
	[FACTS_ATTEST_GOOD] = "good",
};

/* NULL: it was not read. */
static json_t *json_attest(const struct facts_attest *f)
{
	if (!f->lines)
		return NULL;
	return json_pack(
		"{s:I, s:s, s:i, s:i, s:o, s:o}", "lines", most(f->lines), "state",
		attested[f->state], "item", f->item, "count", f->count, "key", json_digest(f->key),
		"started",
		JSON_ARRAY(i, i < f->count && i < FACTS_STARTED, json_digest(f->started[i])));
}

static json_t *json_facts(const struct facts *f)
{
	return json_pack(
		"{s:s, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:I, s:I, s:o*}",
		"version", f->version, "config", json_digest(f->config), "threshold_ns",
		most(f->threshold_ns), "found", most(f->found), "measured", most(f->measured),
		"cpus", most(f->cpus), "stages", most(f->stages), "sampled_ns",
		f->sampled_ns.known ? json_integer(most(f->sampled_ns.value)) : json_null(),
		"max_ns", json_worst(&f->max_ns), "smi", json_worst(&f->smi), "noise_ppm",
		json_worst(&f->noise_ppm), "hidden_ns", most(f->clock.hidden_ns), "ahead_ns",
		most(f->clock.ahead_ns), "attest", json_attest(&f->attest));
}

static void take_worst(struct facts_worst *w, const json_t *facts, const char *name)
{
	json_t *list = json_object_get(facts, name);

	w->value = (uint64_t)json_integer_value(json_array_get(list, 0));
	w->cpu = (uint32_t)json_integer_value(json_array_get(list, 1));
	w->unknown = !json_is_false(json_array_get(list, 2));
}

/* All zero, if it is none. */
static void take_digest(uint8_t digest[SHA256_BYTES], const json_t *digits)
{
	if (text_unhex(json_string_value(digits), digest, SHA256_BYTES) != SHA256_BYTES)
		memset(digest, 0, SHA256_BYTES);
}

/* With what is no state it is to be read again. */
static void take_attest(struct facts_attest *f, const json_t *attest)
{
	const char *state = json_string_value(json_object_get(attest, "state"));
	const json_t *started = json_object_get(attest, "started");
	unsigned n = 0;

	while (n < FACTS_ATTEST_STATES && (!state || strcmp(attested[n], state) != 0))
		n++;
	if (n == FACTS_ATTEST_STATES)
		return;
	f->state = (enum facts_attested)n;
	f->lines = number_of(attest, "lines");
	f->item = (uint8_t)number_of(attest, "item");
	f->count = (uint8_t)number_of(attest, "count");
	take_digest(f->key, json_object_get(attest, "key"));
	for (unsigned i = 0; i < FACTS_STARTED; i++)
		take_digest(f->started[i], json_array_get(started, i));
}

static void take_facts(struct facts *f, const json_t *facts)
{
	const json_t *sampled = json_object_get(facts, "sampled_ns");

	f->known = json_is_object(facts);
	copy_text(f->version, sizeof(f->version), facts, "version");
	take_digest(f->config, json_object_get(facts, "config"));
	f->threshold_ns = number_of(facts, "threshold_ns");
	f->found = (uint32_t)number_of(facts, "found");
	f->measured = (uint32_t)number_of(facts, "measured");
	f->cpus = (uint32_t)number_of(facts, "cpus");
	f->stages = (uint32_t)number_of(facts, "stages");
	f->sampled_ns.known = json_is_integer(sampled);
	f->sampled_ns.value = number_of(facts, "sampled_ns");
	take_worst(&f->max_ns, facts, "max_ns");
	take_worst(&f->smi, facts, "smi");
	take_worst(&f->noise_ppm, facts, "noise_ppm");
	f->clock.hidden_ns = number_of(facts, "hidden_ns");
	f->clock.ahead_ns = number_of(facts, "ahead_ns");
	take_attest(&f->attest, json_object_get(facts, "attest"));
}

static bool entry_from(const json_t *object, struct index_entry *e)
{
	const char *sid = json_string_value(json_object_get(object, "sid"));
	const struct mode *mode;

	*e = (struct index_entry){ .at = number_of(object, "at") };
	if (!sid || sscanf(sid, "%16" SCNx64, &e->sid) != 1)
		return false;
	e->place = number_of(object, "place");
	e->began = e->place ? number_of(object, "began") : e->at;
	e->is_guessed = json_is_true(json_object_get(object, "guessed"));
	e->is_own = json_is_true(json_object_get(object, "own_key"));
	e->summary.ended = json_is_true(json_object_get(object, "ended"));
	for (unsigned n = 1; (mode = mode_at(n)); n++)
		if (json_is_true(json_object_get(object, mode->name)))
			e->summary.mode = mode;
	e->summary.lines = number_of(object, "lines");
	e->summary.lost = number_of(object, "lost");
	e->summary.length_ns = number_of(object, "length_ns");
	copy_text(e->summary.uuid, sizeof(e->summary.uuid), object, "uuid");
	copy_text(e->summary.product, sizeof(e->summary.product), object, "product");
	copy_text(e->summary.bios, sizeof(e->summary.bios), object, "bios");
	copy_text(e->summary.verdict, sizeof(e->summary.verdict), object, "verdict");
	copy_text(e->summary.reason, sizeof(e->summary.reason), object, "reason");
	copy_text(e->summary.remark, sizeof(e->summary.remark), object, "remark");
	copy_text(e->from, sizeof(e->from), object, "from");
	take_facts(&e->summary.facts, json_object_get(object, "facts"));
	return true;
}

bool index_parse(const char *text, struct index_entry *e)
{
	json_t *object = json_loads(text, 0, NULL);
	bool is_one = object && entry_from(object, e);

	json_decref(object);
	return is_one;
}

int index_put(struct index_table *t, const struct index_entry *e)
{
	struct index_entry *more = memory_try_grow(t->entry, t->count, sizeof(*more));

	if (!more)
		return ENOMEM;
	t->entry = more;
	t->entry[t->count++] = *e;
	return 0;
}

static int by_sid_and_place(const void *a, const void *b)
{
	const struct index_entry *x = a, *y = b;

	/* `lines` only grows: the later entry of a run has more. */
	return ORDER(x->sid, y->sid) ?: ORDER(x->summary.lines, y->summary.lines)
					?: ORDER(x->at, y->at)
					?: ORDER(x->place, y->place);
}

static bool comes_first(const struct index_entry *a, const struct index_entry *b)
{
	return a->place && (!b->place || a->place < b->place);
}

/* The last entry of each run, with the start time from the first one. */
void index_sort(struct index_table *t)
{
	size_t kept = 0;

	ORDER_SORT(t->entry, t->count, by_sid_and_place);
	for (size_t i = 0; i < t->count; i++) {
		struct index_entry *e = &t->entry[i];

		if (kept && t->entry[kept - 1].sid == e->sid) {
			struct index_entry *last = &t->entry[kept - 1];

			const struct index_entry *first = comes_first(last, e) ? last : e;

			e->began = first->began;
			e->place = first->place;
			e->is_guessed = first->is_guessed;
			if (!*e->from)
				memcpy(e->from, last->from, sizeof(e->from));
			*last = *e;
		} else {
			t->entry[kept++] = *e;
		}
	}
	t->count = kept;
}

static int read_lines(FILE *f, struct index_table *t)
{
	struct index_entry e;
	size_t room = 0, most = 4096;
	char *line = NULL;
	uint64_t place = 0;
	int error = 0;

	while (!error && getline(&line, &room, f) > 0) {
		place++;
		if (index_parse(line, &e)) {
			e.place = e.place ? e.place : place;
			error = index_put(t, &e);
		}
		/* Now and then, to drop entries that were replaced. */
		if (t->count >= most) {
			index_sort(t);
			most = 2 * t->count > most ? 2 * t->count : most;
		}
	}
	if (!error && ferror(f))
		error = EIO;
	free(line);
	index_sort(t);
	return error;
}

/* A FIFO in its place would keep us waiting. A descriptor, or -1 with errno. */
static int open_regular(int dir, const char *name, int flags)
{
	int fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
	struct stat status;

	if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

int index_read(int dir, struct index_table *t)
{
	int fd = open_regular(dir, INDEX_LINES, O_RDONLY), error;
	FILE *f;

	*t = (struct index_table){ .entry = NULL };
	if (fd < 0)
		return errno == ENOENT ? 0 : errno;
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return ENOMEM;
	}
	error = read_lines(f, t);
	fclose(f);
	return error;
}

static int by_sid(const void *sid, const void *entry)
{
	return ORDER(*(const uint64_t *)sid, ((const struct index_entry *)entry)->sid);
}

struct index_entry *index_find(const struct index_table *t, uint64_t sid)
{
	return t->count ? bsearch(&sid, t->entry, t->count, sizeof(*t->entry), by_sid) : NULL;
}

static int end_last_line(int fd)
{
	struct stat status;
	char last;

	if (fstat(fd, &status) != 0)
		return -1;
	if (status.st_size && pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n' &&
	    write(fd, "\n", 1) != 1)
		return -1;
	return 0;
}

int index_open(int dir, const char *name)
{
	int fd = open_regular(dir, name, O_RDWR | O_APPEND | O_CREAT);

	if (fd >= 0 && end_last_line(fd) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

char *index_text(const struct index_entry *e)
{
	char *text;
	json_t *object = json_pack(
		"{s:o, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:s, s:s, s:s, s:b, s:b}",
		"sid", json_sid(e->sid), "uuid", e->summary.uuid, "product", e->summary.product,
		"bios", e->summary.bios, "from", e->from, "at", (json_int_t)e->at, "lines",
		(json_int_t)e->summary.lines, "lost", (json_int_t)e->summary.lost, "length_ns",
		(json_int_t)e->summary.length_ns, "ended", e->summary.ended, "verdict",
		e->summary.verdict, "reason", e->summary.reason, "remark", e->summary.remark,
		"guessed", e->is_guessed, "own_key", e->is_own);

	/* One word each: so had the first of them. */
	for (unsigned n = 1; mode_at(n); n++)
		json_object_set_new(object, mode_at(n)->name,
				    json_boolean(e->summary.mode == mode_at(n)));
	if (e->summary.facts.known)
		json_object_set_new(object, "facts", json_facts(&e->summary.facts));
	if (e->place) {
		json_object_set_new(object, "place", json_integer(most(e->place)));
		json_object_set_new(object, "began", json_integer(most(e->began)));
	}
	text = object ? json_dumps(object, JSON_COMPACT) : NULL;
	json_decref(object);
	return text;
}

int index_add(int fd, const struct index_entry *e)
{
	struct index_entry placed = *e;
	char *text, *line = NULL;
	int bytes, error = ENOMEM;

	/* That is the line's own. */
	placed.place = 0;
	text = index_text(&placed);
	bytes = text ? asprintf(&line, "%s\n", text) : -1;
	if (bytes > 0) {
		ssize_t n = write(fd, line, (size_t)bytes);

		error = n == bytes ? 0 : n < 0 ? errno : ENOSPC;
	}
	free(line);
	free(text);
	return error;
}
