/* SPDX-License-Identifier: BSD-2-Clause */
/* Reports in variables. */
#include "saved_store.h"

#include "core/lib/crc32c.h"
#include "core/lib/mem.h"

#define STORE_KEEPS 4u    /* one part in so many of the store stays free */
#define HEAD_COST   128u  /* name and head of a variable: 60 and 36 bytes in EDK II */
#define END_SPARE   4096u /* what the last report may add to twice a checkpoint */

/* Reading */

struct found {
	enum compact_state state;
	bool whole; /* and its checksum is right */
	uint16_t sequence;
	size_t bytes;
};

static bool is_whole(const uint8_t *report, size_t bytes, uint32_t id)
{
	return bytes > COMPACT_CRC && crc32c(report, bytes - COMPACT_CRC) == id;
}

static enum compact_state state_of(enum saved_status status)
{
	return status == SAVED_NONE ? COMPACT_CUT : COMPACT_DAMAGED;
}

/* One set, joined. */
static struct found read_set(const struct saved_variables *v, unsigned set, uint8_t *out,
			     uint8_t *part, size_t cap)
{
	struct compact_join join = { .out = out, .cap = COMPACT_PARTS * cap };
	struct found f = { .state = COMPACT_OVER };

	for (unsigned n = 0; n < COMPACT_PARTS; n++) {
		size_t count = 0;
		enum saved_status status = v->get(v->ctx, set * COMPACT_PARTS + n, part, cap,
						  &count);

		if (status == SAVED_NONE && n == 0)
			return f;
		f.state = status == SAVED_OK ? compact_join(&join, part, count) : state_of(status);
		if (f.state == COMPACT_DAMAGED || status != SAVED_OK)
			return f;
		f.sequence = compact_part_sequence(part);
		if (f.state == COMPACT_OK)
			break;
	}
	f.bytes = join.used;
	f.whole = f.state == COMPACT_OK && is_whole(out, join.used, join.id);
	return f;
}

/* 16 bits that may have come around. */
static bool is_newer(uint16_t a, uint16_t b)
{
	return (uint16_t)(a - b) < 0x8000;
}

/* Of two sets. */
static bool is_first(const struct found *first, const struct found *second)
{
	if (!first->whole)
		return !second->whole && first->state != COMPACT_OVER;
	return !second->whole || is_newer(first->sequence, second->sequence);
}

enum compact_state saved_read(const struct saved_variables *v, void *out, void *part, size_t cap,
			      size_t *bytes)
{
	struct found f = read_set(v, 0, out, part, cap), second = read_set(v, 1, out, part, cap);

	/* The second has been read to the same place. */
	f = is_first(&f, &second) ? read_set(v, 0, out, part, cap) : second;
	*bytes = f.bytes;
	return f.state;
}

/* Writing */

static const char *explain(enum saved_status status)
{
	if (status == SAVED_UNSUPPORTED)
		return "the firmware takes no variables after ExitBootServices";
	if (status == SAVED_FULL)
		return "the firmware's store is full";
	return "the firmware does not take the variable";
}

/* The part that was written. */
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

		if (v->get(v->ctx, set * COMPACT_PARTS, w->part, w->cap, &count) != SAVED_OK)
			continue;
		parts = compact_parts_of(w->part, count);
		if (!parts || (w->parts && !is_newer(compact_part_sequence(w->part), w->sequence)))
			continue;
		w->set = set;
		w->parts = parts;
		w->sequence = compact_part_sequence(w->part);
	}
}

const char *saved_write(struct saved_writer *w, const void *report, size_t bytes, size_t part_bytes)
{
	const struct saved_variables *v = w->variables;
	const struct compact_split split = { report, bytes, part_bytes, ++w->sequence };
	unsigned parts = (unsigned)compact_parts(bytes, part_bytes);
	unsigned set = w->set ^ (parts > 1 && w->parts > 1);

	w->full = false;
	/* The first part last: without it what was there before is the report. */
	for (unsigned n = parts; n-- > 0;) {
		size_t count = compact_part(&split, n, w->part);
		unsigned at = set * COMPACT_PARTS + n;
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

/* Room */

size_t saved_cost(size_t bytes, size_t part_bytes)
{
	return bytes + compact_parts(bytes, part_bytes) * (HEAD_COST + COMPACT_PART_HEAD);
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
