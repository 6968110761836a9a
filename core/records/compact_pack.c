/* SPDX-License-Identifier: BSD-2-Clause */
/* Making a compact report fit. */
#include "compact_pack.h"

#include "core/lib/bytes.h"
#include "core/lib/mem.h"
#include "core/lib/text.h"
#include "record_field.h"

#define BIT(type) (1u << RECORD_##type)

enum part_offset { AT_MAGIC = 0, AT_ID = 4, AT_PART = 8, AT_PARTS = 9, AT_SEQUENCE = 10 };

static const uint8_t magic[4] = { 'N', 'F', 'V', COMPACT_VERSION };

/* What can be left out, in this order. */
#define PARTS "windows, events, histograms, logs, gaps, interference, cores"

/* What is left out before all else. */
#define FIRST (BIT(WINDOW) | BIT(SURVEY))

/* From everything to the minimum. */
static const struct detail {
	uint16_t without; /* types */
	bool histograms;
	uint8_t named; /* characters of PARTS that name what is left out */
} details[] = {
	{ 0, true, 0 },
	{ FIRST, true, 7 },
	{ FIRST | BIT(EVENT), true, 15 },
	{ FIRST | BIT(EVENT), false, 27 },
	{ FIRST | BIT(EVENT) | BIT(LOG), false, 33 },
	{ FIRST | BIT(EVENT) | BIT(LOG) | BIT(GAP), false, 39 },
	{ FIRST | BIT(EVENT) | BIT(LOG) | BIT(GAP) | BIT(INTERFERE), false, 53 },
	{ FIRST | BIT(EVENT) | BIT(LOG) | BIT(GAP) | BIT(INTERFERE), false, sizeof(PARTS) - 1 },
};

#define DETAILS (sizeof(details) / sizeof(details[0]))

/* Cores per stage, or phase, if not all fit: the first of this number, of half of it ... */
#define CPUS_MOST  1024u
#define CPUS_LEAST 16u

struct packing {
	struct compact_writer writer;
	const struct detail *detail;
	uint32_t cpus, cpus_most;   /* of the stage, so far; at most */
	uint32_t of_phase;          /* likewise of fixed work */
	const char *kernel, *phase; /* of the last stretch record; in `from` */
	uint64_t left_out[RECORD_TYPES];
	union record record;
};

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* The records of a phase follow one another, the worst core first if there are many. */
static bool begins_phase(struct packing *p)
{
	const struct record_stretch *r = &p->record.stretch;
	bool begins = !is_same(r->kernel, p->kernel) || !is_same(r->phase, p->phase);

	p->kernel = r->kernel;
	p->phase = r->phase;
	return begins;
}

static bool is_wanted(struct packing *p, enum record_type type)
{
	if (type == RECORD_STAGE)
		p->cpus = 0;
	if (type == RECORD_STRETCH && begins_phase(p))
		p->of_phase = 0;
	if ((type == RECORD_CPU && p->cpus++ >= p->cpus_most) ||
	    (type == RECORD_STRETCH && p->of_phase++ >= p->cpus_most))
		return false;
	return !(p->detail->without >> type & 1);
}

/* Adds a log record with what the report lacks. */
static bool add_note(struct packing *p)
{
	TEXT_DEFINE(t, 120);
	const struct record_log log = { .level = "warning", .text = t.buf };

	if (!p->detail->named)
		return true;
	text_add(&t, "left out of the saved report for lack of space: ");
	/* A run that has one has nothing else. */
	if (p->left_out[RECORD_SURVEY])
		text_add(&t, "the survey");
	else
		text_add(&t, "%.*s", (int)p->detail->named, PARTS);
	return compact_add(&p->writer, RECORD_LOG, &log);
}

static bool pack_end(struct packing *p)
{
	struct record_end *end = &p->record.end;

	end->gaps_unsent += p->left_out[RECORD_GAP];
	end->events_unsent.value += p->left_out[RECORD_EVENT];
	return add_note(p) && compact_add(&p->writer, RECORD_END, end);
}

static void drop_lists(union record *r, enum record_type type)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (f->kind == FIELD_PAIRS)
			((struct record_pairs *)(void *)((char *)r + f->offset))->count = 0;
	}
}

static bool pack_record(struct packing *p, enum record_type type)
{
	if (!is_wanted(p, type)) {
		p->left_out[type]++;
		return true;
	}
	if (type == RECORD_END)
		return pack_end(p);
	if (!p->detail->histograms)
		drop_lists(&p->record, type);
	return compact_add(&p->writer, type, &p->record);
}

/* False if it does not fit, or `from` is invalid. */
static bool pack_all(struct packing *p, struct compact_reader *from)
{
	enum compact_state state;
	enum record_type type;
	bool ended = false;

	from->at = COMPACT_HEAD;
	while ((state = compact_next(from, &type, &p->record)) == COMPACT_OK) {
		ended = type == RECORD_END;
		if (!pack_record(p, type))
			return false;
	}
	return state == COMPACT_OVER && (ended || add_note(p));
}

static size_t try_detail(const struct compact_writer *empty, struct compact_reader *from,
			 const struct compact_head *head, const struct detail *detail,
			 uint32_t cpus)
{
	struct packing p = { .writer = *empty, .detail = detail, .cpus_most = cpus };

	return pack_all(&p, from) ? compact_finish(&p.writer, head) : 0;
}

size_t compact_pack(void *out, size_t cap, struct compact_reader *from,
		    const struct compact_head *head)
{
	const struct detail *last = &details[DETAILS - 1];
	struct compact_writer empty;
	size_t bytes = 0;

	if (cap < COMPACT_HEAD + COMPACT_CRC)
		return 0;
	compact_start(&empty, out, cap);
	for (const struct detail *d = details; d < last && !bytes; d++)
		bytes = try_detail(&empty, from, head, d, UINT32_MAX);
	for (uint32_t cpus = CPUS_MOST; cpus >= CPUS_LEAST && !bytes; cpus /= 2)
		bytes = try_detail(&empty, from, head, last, cpus);
	return bytes;
}

/* Parts */

size_t compact_parts(size_t bytes, size_t part_bytes)
{
	size_t each = part_bytes - COMPACT_PART_HEAD;

	return (bytes + each - 1) / each;
}

size_t compact_part(const struct compact_split *s, unsigned n, void *out)
{
	const uint8_t *report = s->report;
	size_t each = s->part_bytes - COMPACT_PART_HEAD, from = n * each;
	size_t count = s->bytes - from < each ? s->bytes - from : each;
	uint8_t *part = out;

	memset(part, 0, COMPACT_PART_HEAD);
	memcpy(part + AT_MAGIC, magic, sizeof(magic));
	memcpy(part + AT_ID, report + s->bytes - COMPACT_CRC, COMPACT_CRC);
	part[AT_PART] = (uint8_t)n;
	part[AT_PARTS] = (uint8_t)compact_parts(s->bytes, s->part_bytes);
	bytes_put_le16(part + AT_SEQUENCE, s->sequence);
	memcpy(part + COMPACT_PART_HEAD, report + from, count);
	return COMPACT_PART_HEAD + count;
}

static bool is_part(const uint8_t *in, size_t bytes, unsigned n)
{
	return bytes >= COMPACT_PART_HEAD && !memcmp(in, magic, sizeof(magic)) && in[AT_PART] == n;
}

unsigned compact_parts_of(const void *part, size_t bytes)
{
	return is_part(part, bytes, 0) ? ((const uint8_t *)part)[AT_PARTS] : 0;
}

uint16_t compact_part_sequence(const void *part)
{
	return bytes_le16((const uint8_t *)part + AT_SEQUENCE);
}

enum compact_state compact_join(struct compact_join *j, const void *part, size_t bytes)
{
	const uint8_t *in = part;
	size_t count = bytes - COMPACT_PART_HEAD;

	if (!is_part(in, bytes, j->count) || count > j->cap - j->used)
		return COMPACT_DAMAGED;
	if (!j->count) {
		j->id = bytes_le32(in + AT_ID);
		j->parts = in[AT_PARTS];
	}
	if (bytes_le32(in + AT_ID) != j->id || in[AT_PARTS] != j->parts ||
	    j->parts > COMPACT_PARTS || !j->parts)
		return COMPACT_DAMAGED;
	memcpy(j->out + j->used, in + COMPACT_PART_HEAD, count);
	j->used += count;
	return ++j->count == j->parts ? COMPACT_OK : COMPACT_CUT;
}
