/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects the lines of a run, packs those that fit, and reads them back. */
#include "saved_run.h"

#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/lib/mem.h"

static const uint8_t magic[4] = { 'N', 'F', 'R', SAVED_RUN_VERSION };

#define NAME_PART_MAX 48u
#define YEAR_10000    UINT64_C(100000000000000) /* a number of date_number() */

static void add_name(struct text *out, const char *s)
{
	if (!s || !s[0])
		return;
	if (out->len)
		text_char(out, '-');
	text_file_name(out, s, NAME_PART_MAX);
}

void saved_run_name(struct text *out, uint64_t began, const char *product, const char *uuid)
{
	if (began && began < YEAR_10000)
		text_add(out, "%08llu-%06llu", (unsigned long long)(began / 1000000),
			 (unsigned long long)(began % 1000000));
	add_name(out, product);
	add_name(out, uuid);
	if (!out->len)
		text_add(out, "noisefloor");
}

/* ---- Collecting: entries, records or text, each behind 32 bits of type and length ---- */

#define ENTRY_HEAD  4u
#define TYPE_BITS   8
#define TEXT        RECORD_TYPES /* the type of an entry of text */
#define TEXT_MARK   '|'
#define SPARE_BYTES 16384u

static struct saved_run *run_of_lines(struct record_link *lines)
{
	return (struct saved_run *)(void *)((char *)lines - offsetof(struct saved_run, lines));
}

static void add_bytes(struct saved_run *r, const void *bytes, size_t count)
{
	r->full |= count > r->cap - r->used;
	if (r->full)
		return;
	memcpy(r->at + r->used, bytes, count);
	r->used += count;
}

static void add_line(struct record_link *lines, const char *line, size_t bytes)
{
	add_bytes(run_of_lines(lines), line, bytes);
}

static size_t begin_entry(struct saved_run *r)
{
	size_t at = r->used;

	r->full = false;
	add_bytes(r, (uint8_t[ENTRY_HEAD]){ 0 }, ENTRY_HEAD);
	return at;
}

/* Complete the entry at `at`. False: there was no room, and the entry is removed. */
static bool finish_entry(struct saved_run *r, size_t at, unsigned type)
{
	if (r->full)
		r->used = at;
	else
		bytes_put_le32(r->at + at, (uint32_t)(r->used - at) << TYPE_BITS | type);
	return !r->full;
}

static void add_record(struct saved_run *r, enum record_type type, const void *data)
{
	struct record_link before = r->lines;
	size_t at = begin_entry(r);

	record_send(&r->lines, type, data);
	if (finish_entry(r, at, type))
		return;
	r->lines = before;
	r->lost++;
}

/* The end record is not added here, but when the run is packed: it counts the packed records. */
static void take_record(struct record_link *link, enum record_type type, const void *data)
{
	static const struct record_log note = {
		.level = "warning", .text = "memory was short: records were not saved"
	};
	struct saved_run *r = (struct saved_run *)(void *)link;

	if (type == RECORD_SUMMARY || type == RECORD_END) {
		r->cap += r->spare;
		r->spare = 0;
	}
	if (type != RECORD_END) {
		add_record(r, type, data);
		return;
	}
	r->end = *(const struct record_end *)data;
	r->ended = true;
	if (r->lost)
		add_record(r, RECORD_LOG, &note);
}

void saved_run_start(struct saved_run *r, uint64_t sid, void *memory, size_t bytes)
{
	*r = (struct saved_run){
		.link = { .take = take_record, .sid = sid },
		.lines = { .write = add_line, .sid = sid },
		.at = memory,
		.cap = bytes - SPARE_BYTES,
		.spare = SPARE_BYTES,
	};
}

static bool is_printable(char c)
{
	return c >= ' ' && c <= '~';
}

void saved_run_text(struct saved_run *r, const char *line, size_t bytes)
{
	size_t at = begin_entry(r);

	add_bytes(r, &(char){ TEXT_MARK }, 1);
	for (size_t i = 0; i < bytes; i++)
		add_bytes(r, is_printable(line[i]) ? &line[i] : "?", 1);
	add_bytes(r, "\n", 1);
	finish_entry(r, at, TEXT);
}

/* ---- Packing ---- */

/* The highest level is left out first; level 0 is never left out. */
#define LEVELS     8u
#define PAGE_LEVEL 5u

static const uint8_t level_of[RECORD_TYPES + 1] = {
	[RECORD_CPU] = 1,    [RECORD_STRETCH] = 2, [RECORD_INTERFERE] = 3,
	[RECORD_GAP] = 4,    [RECORD_LOG] = 5,     [RECORD_EVENT] = 6,
	[RECORD_WINDOW] = 7, [RECORD_SURVEY] = 7,  [TEXT] = LEVELS,
};

struct packing {
	struct record_link link; /* must be first */
	const struct saved_run *run;
	const struct saved_run_head *head;
	struct saved_run_work *work;
	size_t used; /* bytes of the contents, with the page at their start */
	bool full;
	uint64_t keep;             /* entries that are kept, those of low levels first */
	uint64_t rank[LEVELS + 2]; /* next rank of each level; the last: the number of entries */
	uint64_t left_out[RECORD_TYPES + 1];
};

static void pack_line(struct record_link *link, const char *line, size_t bytes)
{
	struct packing *p = (struct packing *)(void *)link;

	p->full |= bytes > p->work->cap - p->used;
	if (p->full)
		return;
	memcpy(p->work->contents + p->used, line, bytes);
	p->used += bytes;
}

static void pack_entry(struct packing *p, unsigned type, const char *lines, size_t bytes)
{
	for (const char *end = lines + bytes, *next; lines < end; lines = next) {
		next = (const char *)memchr(lines, '\n', (size_t)(end - lines)) + 1;
		if (type == TEXT)
			pack_line(&p->link, lines, (size_t)(next - lines));
		else
			record_resend(&p->link, lines, (size_t)(next - lines));
	}
	if (type != TEXT)
		p->link.sent[type]++;
}

static void pack_note(struct packing *p)
{
	TEXT_DEFINE(t, 256);
	const struct record_log log = { .level = "warning", .text = t.buf };
	const char *before = "left out of the saved report for lack of space: ";

	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		if (!p->left_out[type])
			continue;
		text_add(&t, "%s%llu of type %s", before, (unsigned long long)p->left_out[type],
			 record_type_name((enum record_type)type));
		before = ", ";
	}
	if (t.len)
		record_send(&p->link, RECORD_LOG, &log);
}

static void pack_end(struct packing *p)
{
	struct record_end end = p->run->end;

	end.gaps_unsent += p->left_out[RECORD_GAP];
	end.events_unsent.value += p->left_out[RECORD_EVENT];
	record_send(&p->link, RECORD_END, &end);
}

static void pack_entries(struct packing *p)
{
	const struct saved_run *r = p->run;
	size_t bytes;

	for (size_t at = 0; at < r->used; at += bytes) {
		uint32_t head = bytes_le32(r->at + at);
		unsigned type = head & ((1u << TYPE_BITS) - 1);

		bytes = head >> TYPE_BITS;
		if (p->rank[level_of[type]]++ < p->keep)
			pack_entry(p, type, (const char *)r->at + at + ENTRY_HEAD,
				   bytes - ENTRY_HEAD);
		else
			p->left_out[type]++;
	}
}

/* Pack `keep` entries. Returns bytes; 0: they do not fit. */
static size_t pack(const struct packing *from, uint64_t keep, uint8_t *out, size_t cap)
{
	struct packing p = *from;
	struct saved_run_head head = *p.head;
	size_t skip = keep < p.rank[PAGE_LEVEL + 1] ? head.page_bytes : 0, bytes;

	p.keep = keep;
	p.used = head.page_bytes;
	pack_entries(&p);
	pack_note(&p);
	if (p.run->ended)
		pack_end(&p);
	if (p.full)
		return 0;
	bytes = deflate_pack(out + sizeof(head), cap - sizeof(head) - SAVED_RUN_CRC,
			     p.work->contents + skip, p.used - skip, p.work->deflate);
	if (!bytes)
		return 0;
	memcpy(head.magic, magic, sizeof(magic));
	head.lines_bytes = (uint32_t)(p.used - head.page_bytes);
	head.page_bytes -= (uint32_t)skip;
	memcpy(out, &head, sizeof(head));
	bytes += sizeof(head);
	bytes_put_le32(out + bytes, crc32c(out, bytes));
	return bytes + SAVED_RUN_CRC;
}

/* Rank the first entry of each level behind all of lower ones, and the page behind its level's. */
static void rank_levels(const struct saved_run *r, uint64_t rank[LEVELS + 2])
{
	rank[PAGE_LEVEL + 1] = 1;
	for (size_t at = 0; at < r->used; at += bytes_le32(r->at + at) >> TYPE_BITS)
		rank[level_of[r->at[at]] + 1]++;
	for (unsigned level = 0; level <= LEVELS; level++)
		rank[level + 1] += rank[level];
}

size_t saved_run_pack(const struct saved_run *r, const struct saved_run_head *head,
		      struct saved_run_work *work, void *out, size_t cap)
{
	struct packing p = {
		.link = { .write = pack_line, .sid = head->sid },
		.run = r,
		.head = head,
		.work = work,
	};
	uint64_t fits, too_many;
	size_t bytes;

	if (cap <= sizeof(*head) + SAVED_RUN_CRC)
		return 0;
	rank_levels(r, p.rank);
	too_many = p.rank[LEVELS + 1];
	bytes = pack(&p, too_many, out, cap);
	fits = p.rank[1];
	if (bytes || !pack(&p, fits, out, cap))
		return bytes;
	while (too_many - fits > 1) {
		uint64_t keep = fits + (too_many - fits) / 2;

		if (pack(&p, keep, out, cap))
			fits = keep;
		else
			too_many = keep;
	}
	return pack(&p, fits, out, cap);
}

/* ---- Reading ---- */

const char *saved_state_text(enum saved_state state)
{
	if (state == SAVED_STATE_CUT)
		return "is truncated";
	if (state == SAVED_STATE_UNREAD)
		return "cannot be read";
	return state == SAVED_STATE_FOREIGN ? "is of another version of noisefloor" : "is damaged";
}

enum saved_state saved_run_open(struct saved_contents *c, const void *packed, size_t bytes)
{
	const uint8_t *in = packed;

	memset(c, 0, sizeof(*c));
	if (bytes < sizeof(c->head) + SAVED_RUN_CRC)
		return SAVED_STATE_CUT;
	if (memcmp(in, magic, sizeof(magic)) != 0)
		return SAVED_STATE_FOREIGN;
	memcpy(&c->head, in, sizeof(c->head));
	c->packed = in + sizeof(c->head);
	c->packed_bytes = bytes - sizeof(c->head) - SAVED_RUN_CRC;
	if (crc32c(in, bytes - SAVED_RUN_CRC) != bytes_le32(in + bytes - SAVED_RUN_CRC) ||
	    c->head.page_bytes > SAVED_RUN_BYTES_MAX ||
	    c->head.lines_bytes > SAVED_RUN_BYTES_MAX - c->head.page_bytes)
		return SAVED_STATE_DAMAGED;
	return SAVED_STATE_OK;
}

bool saved_run_inflate(struct saved_contents *c, void *out, void *work)
{
	size_t count = c->head.lines_bytes, bytes = c->head.page_bytes + count;
	const char *lines = (const char *)out + c->head.page_bytes;

	c->page = out;
	c->lines = lines;
	if (deflate_unpack(out, bytes, c->packed, c->packed_bytes, work) != bytes || !count ||
	    lines[count - 1] != '\n')
		return false;
	for (size_t i = 0; i < count; i++)
		if (lines[i] != '\n' && !is_printable(lines[i]))
			return false;
	return true;
}

bool saved_run_line(const struct saved_contents *c, size_t *at, struct saved_line *line)
{
	const char *from = c->lines + *at, *end;

	if (*at == c->head.lines_bytes)
		return false;
	end = (const char *)memchr(from, '\n', c->head.lines_bytes - *at) + 1;
	*at = (size_t)(end - c->lines);
	*line = (struct saved_line){ from, (size_t)(end - from), from[0] != TEXT_MARK };
	if (!line->is_record) {
		line->at++;
		line->bytes -= 2;
	}
	return true;
}
