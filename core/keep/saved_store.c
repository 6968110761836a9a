/* SPDX-License-Identifier: BSD-2-Clause */
/* Splits reports into variables, and joins them again. */
#include "saved_store.h"

#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/lib/mem.h"

#define STORE_KEEPS 4u    /* 1/STORE_KEEPS of the store stays free */
#define HEAD_COST   128u  /* name and head of a variable: 60 and 36 bytes in EDK II */
#define END_SPARE   4096u /* most bytes of the last report beyond twice a checkpoint */

enum saved_status saved_memory_get(void *ctx, unsigned n, void *value, size_t cap, size_t *bytes)
{
	const struct saved_memory *m = ctx;

	if (n || !m->bytes)
		return SAVED_NONE;
	*bytes = m->bytes;
	if (m->bytes > cap)
		return SAVED_FULL;
	memcpy(value, m->value, m->bytes);
	return SAVED_OK;
}

enum saved_status saved_memory_set(void *ctx, unsigned n, const void *value, size_t bytes)
{
	struct saved_memory *m = ctx;

	if (n)
		return bytes ? SAVED_UNSUPPORTED : SAVED_NONE;
	if (bytes > m->cap)
		return SAVED_FULL;
	/* To remove it, saved_remove() has no value. */
	if (bytes)
		memcpy(m->value, value, bytes);
	m->bytes = bytes;
	return SAVED_OK;
}

/* ---- Parts ---- */

enum part_offset { AT_MAGIC = 0, AT_ID = 4, AT_PART = 8, AT_PARTS = 9, AT_SEQUENCE = 10 };

static const uint8_t magic[4] = { 'N', 'F', 'V', 1 };

/* The number of parts that a report needs. */
static size_t count_parts(size_t bytes, size_t part_bytes)
{
	size_t each = part_bytes - SAVED_PART_HEAD;

	return (bytes + each - 1) / each;
}

/* A report, and how it is split. */
struct split {
	const uint8_t *report;
	size_t bytes;
	size_t part_bytes; /* most bytes of a part, with its head */
	uint16_t sequence;
};

/* Write part `n` to `out`. Returns its size. */
static size_t put_part(const struct split *s, unsigned n, uint8_t *out)
{
	size_t each = s->part_bytes - SAVED_PART_HEAD, from = n * each;
	size_t count = s->bytes - from < each ? s->bytes - from : each;

	memcpy(out + AT_MAGIC, magic, sizeof(magic));
	memcpy(out + AT_ID, s->report + s->bytes - SAVED_RUN_CRC, SAVED_RUN_CRC);
	out[AT_PART] = (uint8_t)n;
	out[AT_PARTS] = (uint8_t)count_parts(s->bytes, s->part_bytes);
	bytes_put_le16(out + AT_SEQUENCE, s->sequence);
	memcpy(out + SAVED_PART_HEAD, s->report + from, count);
	return SAVED_PART_HEAD + count;
}

static bool is_part(const uint8_t *in, size_t bytes, unsigned n)
{
	return bytes >= SAVED_PART_HEAD && !memcmp(in, magic, sizeof(magic)) && in[AT_PART] == n;
}

/* The number of parts of the report that this part begins; 0: it is not a first part. */
static unsigned parts_of(const uint8_t *part, size_t bytes)
{
	return is_part(part, bytes, 0) ? part[AT_PARTS] : 0;
}

static uint16_t sequence_of(const uint8_t *part)
{
	return bytes_le16(part + AT_SEQUENCE);
}

/* A report being joined from parts. */
struct join {
	uint8_t *out;
	size_t cap, used;
	unsigned count, parts;
	uint32_t id;
};

/*
 * Add the next part. SAVED_STATE_CUT: more parts follow; SAVED_STATE_OK: the part was the last;
 * SAVED_STATE_DAMAGED: it is not a part, not the next one, or a part of another report.
 */
static enum saved_state add_part(struct join *j, const uint8_t *in, size_t bytes)
{
	size_t count = bytes - SAVED_PART_HEAD;

	if (!is_part(in, bytes, j->count) || count > j->cap - j->used)
		return SAVED_STATE_DAMAGED;
	if (!j->count) {
		j->id = bytes_le32(in + AT_ID);
		j->parts = in[AT_PARTS];
	}
	if (bytes_le32(in + AT_ID) != j->id || in[AT_PARTS] != j->parts || j->parts > SAVED_PARTS ||
	    !j->parts)
		return SAVED_STATE_DAMAGED;
	memcpy(j->out + j->used, in + SAVED_PART_HEAD, count);
	j->used += count;
	return ++j->count == j->parts ? SAVED_STATE_OK : SAVED_STATE_CUT;
}

/* ---- Reading ---- */

struct found {
	enum saved_state state;
	bool whole; /* all parts are there, and the checksum is right */
	uint16_t sequence;
	size_t bytes;
};

static bool is_whole(const uint8_t *report, size_t bytes, uint32_t id)
{
	return bytes > SAVED_RUN_CRC && crc32c(report, bytes - SAVED_RUN_CRC) == id;
}

/* The state of a set whose part `n` has this status, which is not SAVED_OK. */
static enum saved_state state_of(enum saved_status status, unsigned n)
{
	if (status == SAVED_UNSUPPORTED || (status == SAVED_NONE && !n))
		return SAVED_STATE_NONE;
	if (status == SAVED_FULL)
		return SAVED_STATE_DAMAGED;
	return status == SAVED_NONE ? SAVED_STATE_CUT : SAVED_STATE_UNREAD;
}

/* Read the parts of one set, and join them in `out`. */
static struct found read_set(const struct saved_variables *v, unsigned set, uint8_t *out,
			     uint8_t *part, size_t cap)
{
	struct join join = { .out = out, .cap = SAVED_PARTS * cap };
	struct found f = { .state = SAVED_STATE_NONE };

	for (unsigned n = 0; n < SAVED_PARTS; n++) {
		size_t count = 0;
		enum saved_status status = v->get(v->ctx, set * SAVED_PARTS + n, part, cap, &count);

		f.state = status == SAVED_OK ? add_part(&join, part, count) : state_of(status, n);
		if (f.state == SAVED_STATE_DAMAGED || status != SAVED_OK)
			return f;
		f.sequence = sequence_of(part);
		if (f.state == SAVED_STATE_OK)
			break;
	}
	f.bytes = join.used;
	f.whole = f.state == SAVED_STATE_OK && is_whole(out, join.used, join.id);
	return f;
}

/* True if sequence number `a` is not before `b`; the 16 bits may have wrapped. */
static bool is_newer(uint16_t a, uint16_t b)
{
	return (uint16_t)(a - b) < 0x8000;
}

/* True if the first of the two sets is the one to read. */
static bool is_first(const struct found *first, const struct found *second)
{
	if (!first->whole)
		return !second->whole && first->state != SAVED_STATE_NONE;
	return !second->whole || is_newer(first->sequence, second->sequence);
}

enum saved_state saved_read(const struct saved_variables *v, void *out, void *part, size_t cap,
			    size_t *bytes)
{
	struct found f = read_set(v, 0, out, part, cap), second = read_set(v, 1, out, part, cap);

	/* The second set has overwritten the first in `out`: read the first again. */
	f = is_first(&f, &second) ? read_set(v, 0, out, part, cap) : second;
	*bytes = f.bytes;
	return f.state;
}

/* ---- Writing ---- */

static const char *explain(enum saved_status status)
{
	if (status == SAVED_UNSUPPORTED)
		return "the firmware takes no variables after ExitBootServices";
	if (status == SAVED_FULL)
		return "the firmware's store is full";
	return "the firmware does not take the variable";
}

/* True if variable `n` reads back as the part that was written. */
static bool is_there(const struct saved_writer *w, unsigned n, size_t bytes)
{
	const struct saved_variables *v = w->variables;
	size_t count = 0;

	return v->get(v->ctx, n, w->back, w->cap, &count) == SAVED_OK && count == bytes &&
	       !memcmp(w->back, w->part, bytes);
}

void saved_begin(struct saved_writer *w)
{
	const struct saved_variables *v = w->variables;

	w->set = w->parts = w->sequence = 0;
	for (unsigned set = 0; set < SAVED_SETS; set++) {
		size_t count = 0;
		unsigned parts;

		if (v->get(v->ctx, set * SAVED_PARTS, w->part, w->cap, &count) != SAVED_OK)
			continue;
		parts = parts_of(w->part, count);
		if (!parts || (w->parts && !is_newer(sequence_of(w->part), w->sequence)))
			continue;
		w->set = set;
		w->parts = parts;
		w->sequence = sequence_of(w->part);
	}
}

const char *saved_write(struct saved_writer *w, const void *report, size_t bytes, size_t part_bytes)
{
	const struct saved_variables *v = w->variables;
	const struct split split = { report, bytes, part_bytes, ++w->sequence };
	unsigned parts = (unsigned)count_parts(bytes, part_bytes);
	unsigned set = w->set ^ (parts > 1 && w->parts > 1);

	w->full = false;
	/* The first part is written last: until then the previous report counts. */
	for (unsigned n = parts; n-- > 0;) {
		size_t count = put_part(&split, n, w->part);
		unsigned at = set * SAVED_PARTS + n;
		enum saved_status status = v->set(v->ctx, at, w->part, count);

		w->writes++;
		w->full = status == SAVED_FULL;
		if (status != SAVED_OK)
			return explain(status);
		if (!is_there(w, at, count))
			return "the firmware took the variable and has lost it";
	}
	w->set = set;
	w->parts = parts;
	return NULL;
}

bool saved_remove(const struct saved_variables *v)
{
	bool gone = true;

	for (unsigned n = 0; n < SAVED_VARIABLES; n++) {
		enum saved_status status = v->set(v->ctx, n, NULL, 0);

		gone &= status == SAVED_OK || status == SAVED_NONE;
	}
	return gone;
}

/* ---- Room ---- */

size_t saved_cost(size_t bytes, size_t part_bytes)
{
	return bytes + count_parts(bytes, part_bytes) * (HEAD_COST + SAVED_PART_HEAD);
}

uint64_t saved_room(uint64_t all, uint64_t left)
{
	return left > all / STORE_KEEPS ? left - all / STORE_KEEPS : 0;
}

uint64_t saved_checkpoints(uint64_t room, size_t bytes, size_t most, size_t part_bytes)
{
	size_t last = 2 * bytes + END_SPARE, cost = saved_cost(bytes, part_bytes);

	last = saved_cost(last < most ? last : most, part_bytes);
	return room > last ? (room - last) / cost : 0;
}

uint64_t saved_interval(uint64_t every_ns, uint64_t rest_ns, uint64_t count)
{
	uint64_t spread = count ? rest_ns / count : rest_ns;

	return spread > every_ns ? spread : every_ns;
}
