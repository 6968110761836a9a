/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capture's bytes become lines, lines become records, and parts are joined to whole records.
 * Chatter costs one search for a short mark per line.
 */
#include "reader.h"
#include "json_scan.h"
#include "result.h"

#include "host/lib/memory.h"
#include "host/lib/progress.h"
#include "host/lib/text_sanitize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLAINT_MAX 512
#define MARK_BYTES    (sizeof(LINE_MARK) - 1)

struct reader {
	const char *name;
	struct capture_want want;
	struct reader_totals totals;
	struct line_splitter lines;
	uint64_t line; /* number of the current line, from 1 */

	struct result *run[READER_RUNS_MAX];
	size_t runs;
	struct result *latest; /* the run of the last record */

	char pending[READER_LINE_MAX];
	char stripped[READER_LINE_MAX];
	char strings[READER_LINE_MAX]; /* strings of a line that is only checked */
};

void reader_free(struct reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->runs; i++)
		result_free(r->run[i]);
	free(r);
}

const struct reader_totals *reader_totals(const struct reader *r)
{
	return &r->totals;
}

struct result *reader_run(struct reader *r, size_t n)
{
	return n < r->runs ? r->run[n] : NULL;
}

void capture_print(void *ctx, const char *file, uint64_t line, const char *text)
{
	(void)ctx;
	progress_hide();
	if (line)
		fprintf(stderr, "%s:%llu: %s\n", file, (unsigned long long)line, text);
	else
		fprintf(stderr, "%s: %s\n", file, text);
}

static void reader_complain(struct reader *r, uint64_t line, const char *what, const char *why)
{
	TEXT_DEFINE(t, COMPLAINT_MAX);
	char clean[2 * COMPLAINT_MAX];

	if (r->totals.complaints++ >= READER_COMPLAINTS_MAX)
		return;
	text_add(&t, "%s: %s", what, why);
	text_sanitize_copy(clean, sizeof(clean), t.buf);
	r->want.complain(r->want.ctx, r->name, line, clean);
}

static void damaged(struct reader *r, uint64_t line, const char *why)
{
	r->totals.damaged++;
	reader_complain(r, line, "damaged record", why);
}

/* Report a record that arrived intact, but cannot be used: its first line, at line `at`. */
static void unusable(struct reader *r, struct result *run, uint64_t at, const struct line *line,
		     const char *why)
{
	TEXT_DEFINE(t, COMPLAINT_MAX);

	run->unusable++;
	text_add(&t, "seq %llu, type %.*s: %s", (unsigned long long)line->seq,
		 (int)line->type_bytes, line->type, why);
	damaged(r, at, t.buf);
}

static void reader_refuse(struct reader *r, const char *why)
{
	r->totals.refused++;
	reader_complain(r, r->line, "refused record", why);
}

static void forget_first(struct reader *r)
{
	result_free(r->run[0]);
	r->latest = NULL;
	memmove(&r->run[0], &r->run[1], --r->runs * sizeof(r->run[0]));
}

static struct result *find_run(struct reader *r, uint64_t sid)
{
	if (r->latest && r->latest->sid == sid)
		return r->latest;
	for (size_t i = 0; i < r->runs; i++) {
		if (r->run[i]->sid == sid)
			return r->run[i];
	}
	if (r->runs == READER_RUNS_MAX && !r->want.forgets)
		return NULL;
	if (r->runs == READER_RUNS_MAX)
		forget_first(r);
	r->run[r->runs] = result_new(sid);
	r->run[r->runs]->line = r->line;
	r->run[r->runs]->wanted = !r->want.run || sid == strtoull(r->want.run, NULL, 16);
	return r->run[r->runs++];
}

static struct line first_line(enum record_type type, uint64_t seq)
{
	const char *name = record_type_name(type);

	return (struct line){ .seq = seq, .type = name, .type_bytes = strlen(name) };
}

/* Drop the parts received so far: the rest cannot be used, or will never arrive. */
static void drop_joint(struct reader *r, struct result *run, const char *cause)
{
	struct line first;

	if (!run->joint.is_open)
		return;
	first = first_line(run->joint.type, run->joint.first_seq);
	unusable(r, run, run->joint.line, &first, cause);
	run->joint.is_open = false;
}

/* The decoder has all lines of the record. */
static void deliver(struct reader *r, struct result *run)
{
	const union record *record = &run->joint.decode.record;
	enum record_type type = run->joint.type;
	TEXT_DEFINE(why, COMPLAINT_MAX);

	if (!record_decode_finish(&run->joint.decode, &why)) {
		drop_joint(r, run, why.buf);
		return;
	}
	run->joint.is_open = false;
	run->records[type]++;
	if (type == RECORD_END) {
		run->ended = true;
		memcpy(run->end_records, record->end.records, sizeof(run->end_records));
	}
	if (run->wanted)
		result_keep(run, type, record, r->want.keep & RESULT_HISTOGRAMS);
}

/* True for a part of a record that was dropped, which is already reported. */
static bool is_given_up(struct result *run, const struct line *line)
{
	if (!run->joint.given_up || run->joint.next_seq != line->seq)
		return false;
	run->joint.next_seq++;
	run->joint.given_up = line->more;
	return true;
}

static uint64_t parts_max(enum record_type type)
{
	return type == RECORD_BEGIN ? READER_BEGIN_PARTS_MAX : READER_PARTS_MAX;
}

/* True if this part follows those received so far. */
static bool is_next_part(const struct result *run, const struct line *line, enum record_type type,
			 uint64_t part)
{
	return run->joint.is_open && run->joint.type == type && run->joint.parts == part &&
	       run->joint.next_seq == line->seq && part < parts_max(type);
}

static void start_joint(struct reader *r, struct result *run, const struct line *line,
			enum record_type type)
{
	record_decode_start(&run->joint.decode, type);
	run->joint.is_open = true;
	run->joint.given_up = false;
	run->joint.type = type;
	run->joint.parts = 0;
	run->joint.first_seq = line->seq;
	run->joint.line = r->line;
}

/* Give up a line that cannot be used and, if there is one, the record that it interrupts. */
static void give_up(struct reader *r, struct result *run, const struct line *line,
		    const char *cause, const char *why)
{
	if (run->joint.is_open)
		drop_joint(r, run, cause);
	else
		unusable(r, run, r->line, line, why);
	run->joint.given_up = line->more;
	run->joint.next_seq = line->seq + 1;
}

static void give_up_part(struct reader *r, struct result *run, const struct line *line,
			 enum record_type type)
{
	uint64_t part = line->part.value;
	TEXT_DEFINE(why, COMPLAINT_MAX);

	text_add(&why, "this is part %llu, and the part before it is missing",
		 (unsigned long long)part);
	give_up(r, run, line, part < parts_max(type) ? "a part of it is missing" : "too many parts",
		why.buf);
}

/* A record's line is part 0, if it has no number. */
static void take_part(struct reader *r, struct result *run, const struct line *line,
		      enum record_type type)
{
	uint64_t part = line->part.known ? line->part.value : 0;
	TEXT_DEFINE(why, COMPLAINT_MAX);

	if (part == 0) {
		drop_joint(r, run, "its last part is missing");
		start_joint(r, run, line, type);
	} else if (!is_next_part(run, line, type, part)) {
		if (!is_given_up(run, line))
			give_up_part(r, run, line, type);
		return;
	}
	run->joint.parts++;
	run->joint.next_seq = line->seq + 1;
	if (!line->part.known && line->more)
		text_add(&why, "its parts have no numbers");
	if (why.len || !record_decode_line(&run->joint.decode, line, &why)) {
		drop_joint(r, run, why.buf);
		run->joint.given_up = line->part.known && line->more;
	} else if (!line->more) {
		deliver(r, run);
	}
}

/* True for a line of the run's one `begin`, or of another type; a second `begin` is given up. */
static bool check_begin(struct reader *r, struct result *run, const struct line *line,
			enum record_type type)
{
	static const char why[] = "the run has a begin already";
	bool had = run->began;

	if (type != RECORD_BEGIN)
		return true;
	run->began = true;
	if (!had || (line->part.known && is_next_part(run, line, type, line->part.value)))
		return true;
	if (is_given_up(run, line))
		return false;
	if (run->joint.type != RECORD_BEGIN)
		drop_joint(r, run, "its last part is missing");
	give_up(r, run, line, why, why);
	return false;
}

/* Call the line hook, which needs valid JSON; false for a line that is not. */
static bool pass_line(struct reader *r, struct result *run, const struct line *line)
{
	struct json_scan s = { line->text, line->text + line->whole, 0, r->strings, 0 };

	if (!json_scan_skip(&s) || s.at != s.end) {
		unusable(r, run, r->line, line, "it is not JSON");
		return false;
	}
	if (run->wanted)
		r->want.line(line->text, line->whole);
	return true;
}

/* Take a line of this format whose checksum is right. */
static void take_line(struct reader *r, struct result *run, const struct line *line)
{
	enum record_type type;

	if (r->want.line && !pass_line(r, run, line))
		return;
	if (!record_decode_type(line->type, line->type_bytes, &type))
		run->unknown += !line->more;
	else if (!(r->want.keep >> type & 1))
		run->records[type] += !line->more;
	else if (check_begin(r, run, line, type))
		take_part(r, run, line, type);
}

static void verified(struct reader *r, const struct line *line)
{
	struct result *run = find_run(r, line->sid);
	TEXT_DEFINE(why, COMPLAINT_MAX);

	r->totals.lines++;
	if (!run) {
		text_add(&why, "its run %016llx exceeds the maximum of %d runs per capture",
			 (unsigned long long)line->sid, READER_RUNS_MAX);
		reader_refuse(r, why.buf);
		return;
	}
	r->latest = run;
	switch (seqset_add(&run->seen, line->seq)) {
	case SEQSET_NEW:
		take_line(r, run, line);
		break;
	case SEQSET_KNOWN:
		run->duplicates++;
		break;
	case SEQSET_FULL:
		text_add(&why, "more than %d holes in the lines of this run", SEQSET_RANGES_MAX);
		unusable(r, run, r->line, line, why.buf);
		break;
	}
}

static enum line_result read_text(struct reader *r, const char *text, size_t count,
				  struct text *why)
{
	struct line line;
	enum line_result result;

	text_reset(why);
	result = line_read(text, count, &line, why);
	if (result == LINE_OK)
		verified(r, &line);
	return result;
}

/* True if there is a control byte: records hold none, so it is the terminal's. */
static bool has_control(const char *text, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if ((unsigned char)text[i] < 0x20)
			return true;
	}
	return false;
}

/* Read what begins like a record and ends within `count` bytes. */
static void read_candidate(struct reader *r, const char *text, size_t count)
{
	enum line_result result;
	TEXT_DEFINE(why, COMPLAINT_MAX);

	result = read_text(r, text, count, &why);
	if (result == LINE_DAMAGED && has_control(text, count)) {
		count = line_strip(text, count, r->stripped);
		text = r->stripped;
		result = read_text(r, text, count, &why);
	}
	if (result == LINE_VERSION)
		reader_refuse(r, why.buf);
	else if (result != LINE_OK)
		damaged(r, r->line, why.buf);
}

/*
 * Read the records in a line, or in as much of it as fits. Returns how many of its last bytes may
 * belong to a record that continues after them.
 */
static size_t scan(struct reader *r, const char *bytes, size_t count, bool goes_on)
{
	const char *end = bytes + count;
	const char *mark = line_find(bytes, count);

	while (mark) {
		const char *next = line_find(mark + 1, (size_t)(end - mark - 1));

		if (!next && goes_on)
			return (size_t)(end - mark);
		read_candidate(r, mark, (size_t)((next ? next : end) - mark));
		mark = next;
	}
	return count < MARK_BYTES ? count : MARK_BYTES - 1;
}

/* The line splitter's hook. Of a line too long for it, keep what may begin a record. */
static size_t take_bytes(void *ctx, const char *bytes, size_t count, bool goes_on)
{
	struct reader *r = ctx;
	size_t keep = scan(r, bytes, count, goes_on);

	if (!goes_on) {
		r->line++;
	} else if (keep == count) {
		/* The rest begins with a mark and fills the buffer. */
		read_candidate(r, bytes, keep);
		keep = MARK_BYTES - 1;
	}
	return keep;
}

struct reader *reader_new(const char *name, const struct capture_want *want)
{
	struct reader *r = memory_new(1, sizeof(*r));

	r->name = name;
	r->want = *want;
	r->want.keep |= 1u << RECORD_BEGIN | 1u << RECORD_END;
	if (!r->want.complain)
		r->want.complain = capture_print;
	r->line = 1;
	r->lines = (struct line_splitter){
		.line = take_bytes, .ctx = r, .text = r->pending, .room = READER_LINE_MAX
	};
	return r;
}

void reader_feed(struct reader *r, const char *bytes, size_t count)
{
	r->totals.bytes += count;
	line_splitter_feed(&r->lines, bytes, count);
}

void reader_finish(struct reader *r)
{
	line_splitter_end(&r->lines);
	for (size_t i = 0; i < r->runs; i++)
		drop_joint(r, r->run[i], "its last part is missing");
}

void seqset_free(struct seqset *s)
{
	free(s->range);
	*s = (struct seqset){ 0 };
}

/* The first range that ends at or after `seq`; `count` when there is none. */
static size_t reader_find(const struct seqset *s, uint64_t seq)
{
	size_t low = 0, high = s->count;

	if (s->count && s->range[s->count - 1].last < seq)
		return s->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->range[middle].last < seq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool make_room(struct seqset *s)
{
	struct seqset_range *range;

	if (s->count == SEQSET_RANGES_MAX)
		return false;
	range = memory_try_grow(s->range, s->count, sizeof(*range));
	if (range)
		s->range = range;
	return range;
}

static bool insert(struct seqset *s, size_t at, uint64_t seq)
{
	if (!make_room(s))
		return false;
	memmove(&s->range[at + 1], &s->range[at], (s->count - at) * sizeof(s->range[0]));
	s->range[at] = (struct seqset_range){ seq, seq };
	s->count++;
	return true;
}

/* Join range `at` with the one behind it when nothing is missing between them. */
static void close_up(struct seqset *s, size_t at)
{
	if (at + 1 >= s->count || s->range[at].last + 1 != s->range[at + 1].first)
		return;
	s->range[at].last = s->range[at + 1].last;
	s->count--;
	memmove(&s->range[at + 1], &s->range[at + 2], (s->count - at - 1) * sizeof(s->range[0]));
}

enum seqset_added seqset_add(struct seqset *s, uint64_t seq)
{
	size_t at = reader_find(s, seq);

	if (at < s->count && s->range[at].first <= seq)
		return SEQSET_KNOWN;
	if (at && s->range[at - 1].last + 1 == seq) {
		s->range[at - 1].last = seq;
		close_up(s, at - 1);
	} else if (at < s->count && s->range[at].first == seq + 1) {
		s->range[at].first = seq;
	} else if (!insert(s, at, seq)) {
		return SEQSET_FULL;
	}
	s->members++;
	return SEQSET_NEW;
}

uint64_t seqset_missing(const struct seqset *s)
{
	return s->count ? s->range[s->count - 1].last - (s->members - 1) : 0;
}

bool seqset_hole(const struct seqset *s, size_t n, struct seqset_range *hole)
{
	bool at_start = s->count && s->range[0].first > 0;

	if (at_start && n == 0) {
		*hole = (struct seqset_range){ 0, s->range[0].first - 1 };
		return true;
	}
	n -= at_start;
	if (n + 1 >= s->count)
		return false;
	*hole = (struct seqset_range){ s->range[n].last + 1, s->range[n + 1].first - 1 };
	return true;
}
