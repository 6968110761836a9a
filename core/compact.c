/* SPDX-License-Identifier: BSD-2-Clause */
/* The compact report, written and read along the field tables. */
#include "compact.h"

#include "bytes.h"
#include "crc32c.h"
#include "mem.h"
#include "record_field.h"

#define CRC_BYTES 4

enum offset {
	AT_MAGIC = 0,
	AT_BYTES = 4,
	AT_SID = 8,
	AT_BEGAN = 16,
	AT_FLAGS = 24,
	AT_TABLES = 28,
	AT_WRITES = 32,
	AT_VARIABLES = 34,
	AT_VERSION = 36,
};

/* How a string begins. */
enum { STRING_NULL, STRING_HERE, STRING_THERE };

/* Shorter ones take no more room than a reference. */
#define STRING_LEAST 4

static const uint8_t magic[4] = { 'N', 'F', 'R', COMPACT_VERSION };

/* Who has other tables means something else by the same bytes. */
static uint32_t tables_crc(void)
{
	uint32_t crc = 0;

	for (unsigned type = 0; type < RECORD_TYPES; type++) {
		for (const struct record_field *f = record_fields((enum record_type)type);
		     f->kind != FIELD_END; f++) {
			crc = crc << 5 | crc >> 27;
			crc ^= (f->name ? crc32c(f->name, strlen(f->name)) : 0) + (uint32_t)f->kind;
		}
	}
	return crc;
}

/* Writing */

static void put(struct compact_writer *w, uint8_t byte)
{
	if (w->used < w->cap - CRC_BYTES)
		w->out[w->used++] = byte;
	else
		w->full = true;
}

static void put_number(struct compact_writer *w, uint64_t value)
{
	for (; value >> 7; value >>= 7)
		put(w, (uint8_t)(value | 0x80));
	put(w, (uint8_t)value);
}

/* Sign in the lowest bit: small numbers stay small. */
static void put_signed(struct compact_writer *w, int64_t value)
{
	uint64_t bits = (uint64_t)value << 1;

	put_number(w, value < 0 ? ~bits : bits);
}

static void put_maybe(struct compact_writer *w, const struct maybe *m)
{
	put(w, m->known);
	if (m->known)
		put_number(w, m->value);
}

/* The same bytes once more, if they stand before `end`. */
static size_t find(const struct compact_writer *w, size_t end, size_t bytes)
{
	for (size_t at = COMPACT_HEAD; at + bytes <= end; at++)
		if (w->out[at] == w->out[end + 1] && !memcmp(w->out + at, w->out + end + 1, bytes))
			return at;
	return 0;
}

static void put_string(struct compact_writer *w, const char *s)
{
	size_t start = w->used, bytes, there;

	put(w, s ? STRING_HERE : STRING_NULL);
	if (!s)
		return;
	bytes = strlen(s) + 1;
	for (size_t i = 0; i < bytes; i++)
		put(w, (uint8_t)s[i]);
	if (w->full || bytes < STRING_LEAST)
		return;
	there = find(w, start, bytes);
	if (!there)
		return;
	w->used = start;
	put_number(w, there + STRING_THERE);
}

static void put_strings(struct compact_writer *w, const char *const *strings)
{
	uint8_t count = 0;

	while (count < RECORD_STRINGS && strings[count])
		count++;
	put(w, count);
	for (uint8_t i = 0; i < count; i++)
		put_string(w, strings[i]);
}

static void put_pairs(struct compact_writer *w, const struct record_pairs *pairs)
{
	uint64_t before = 0;

	put_number(w, pairs->count);
	for (size_t i = 0; i < pairs->count; i++) {
		put_number(w, pairs->at[i][0] - before);
		put_number(w, pairs->at[i][1]);
		before = pairs->at[i][0];
	}
}

static void put_causes(struct compact_writer *w, const struct cause_sum *sums)
{
	uint8_t mask = 0;

	for (unsigned i = 0; i < CAUSES; i++)
		if (sums[i].gaps || sums[i].ns)
			mask |= (uint8_t)(1u << i);
	put(w, mask);
	for (unsigned i = 0; i < CAUSES; i++) {
		if (!(mask >> i & 1))
			continue;
		put_number(w, sums[i].gaps);
		put_number(w, sums[i].ns);
	}
}

static void put_timers(struct compact_writer *w, const struct period_timer *timers)
{
	uint8_t count = 0;

	while (count < RECORD_TIMERS && timers[count].name)
		count++;
	put(w, count);
	for (uint8_t i = 0; i < count; i++) {
		put_string(w, timers[i].name);
		put_number(w, timers[i].period_ns);
	}
}

static void put_field(struct compact_writer *w, enum field_kind kind, const void *value)
{
	switch (kind) {
	case FIELD_U64:
	case FIELD_HEX64:
		put_number(w, *(const uint64_t *)value);
		break;
	case FIELD_U32:
		put_number(w, *(const uint32_t *)value);
		break;
	case FIELD_I64:
		put_signed(w, *(const int64_t *)value);
		break;
	case FIELD_BOOL:
		put(w, *(const bool *)value);
		break;
	case FIELD_MAYBE:
		put_maybe(w, value);
		break;
	case FIELD_STRING:
		put_string(w, *(const char *const *)value);
		break;
	case FIELD_STRINGS:
		put_strings(w, value);
		break;
	case FIELD_PAIRS:
		put_pairs(w, value);
		break;
	case FIELD_CAUSES:
		put_causes(w, value);
		break;
	case FIELD_TIMERS:
		put_timers(w, value);
		break;
	default: /* brackets around fields, and totals */
		break;
	}
}

void compact_start(struct compact_writer *w, void *out, size_t cap)
{
	*w = (struct compact_writer){ .out = out, .cap = cap, .used = COMPACT_HEAD };
}

bool compact_add(struct compact_writer *w, enum record_type type, const void *data)
{
	size_t before = w->used;
	bool fits;

	put(w, (uint8_t)type);
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++)
		put_field(w, f->kind, (const char *)data + f->offset);
	fits = !w->full;
	if (!fits)
		w->used = before;
	w->full = false;
	return fits;
}

size_t compact_finish(struct compact_writer *w, const struct compact_head *head)
{
	uint8_t *out = w->out;

	memset(out, 0, COMPACT_HEAD);
	memcpy(out + AT_MAGIC, magic, sizeof(magic));
	bytes_put_le32(out + AT_BYTES, (uint32_t)(w->used + CRC_BYTES));
	bytes_put_le64(out + AT_SID, head->sid);
	bytes_put_le64(out + AT_BEGAN, head->began_s);
	bytes_put_le32(out + AT_FLAGS, head->flags);
	bytes_put_le32(out + AT_TABLES, tables_crc());
	bytes_put_le16(out + AT_WRITES, head->writes);
	bytes_put_le16(out + AT_VARIABLES, head->variables);
	for (unsigned i = 0; i < COMPACT_VERSION_MAX && NF_VERSION[i]; i++)
		out[AT_VERSION + i] = (uint8_t)NF_VERSION[i];
	bytes_put_le32(out + w->used, crc32c(out, w->used));
	return w->used + CRC_BYTES;
}

/* Reading: nothing is believed, whatever the checksum says. */

const char *compact_state_text(enum compact_state state)
{
	static const char *const text[] = {
		[COMPACT_OK] = "is whole",
		[COMPACT_OVER] = "is at its end",
		[COMPACT_CUT] = "is not all there",
		[COMPACT_DAMAGED] = "is damaged",
		[COMPACT_FOREIGN] = "is of another version of noisefloor",
	};

	return text[state];
}

static void read_head(struct compact_head *head, const uint8_t *in)
{
	head->sid = bytes_le64(in + AT_SID);
	head->began_s = bytes_le64(in + AT_BEGAN);
	head->flags = bytes_le32(in + AT_FLAGS);
	head->writes = bytes_le16(in + AT_WRITES);
	head->variables = bytes_le16(in + AT_VARIABLES);
	for (unsigned i = 0; i < COMPACT_VERSION_MAX; i++) {
		char c = (char)in[AT_VERSION + i];

		head->version[i] = c == '\0' || (c >= ' ' && c <= '~') ? c : '?';
	}
	head->version[COMPACT_VERSION_MAX] = '\0';
}

enum compact_state compact_open(struct compact_reader *r, const void *report, size_t bytes)
{
	const uint8_t *in = report;

	*r = (struct compact_reader){ .in = in, .at = COMPACT_HEAD, .pairs = r->pairs,
				      .pair_cap = r->pair_cap };
	if (bytes < COMPACT_HEAD + CRC_BYTES)
		return COMPACT_CUT;
	if (memcmp(in, magic, sizeof(magic) - 1) != 0)
		return COMPACT_FOREIGN;
	read_head(&r->head, in);
	if (in[3] != COMPACT_VERSION)
		return COMPACT_FOREIGN;
	if (bytes_le32(in + AT_BYTES) != bytes)
		return COMPACT_CUT;
	r->end = bytes - CRC_BYTES;
	if (crc32c(in, r->end) != bytes_le32(in + r->end))
		return COMPACT_DAMAGED;
	return bytes_le32(in + AT_TABLES) == tables_crc() ? COMPACT_OK : COMPACT_FOREIGN;
}

static uint8_t get(struct compact_reader *r)
{
	if (r->at < r->end)
		return r->in[r->at++];
	r->bad = true;
	return 0;
}

static uint64_t get_number(struct compact_reader *r)
{
	uint64_t value = 0;
	uint8_t byte;

	for (unsigned shift = 0;; shift += 7) {
		byte = get(r);
		/* Of the tenth byte one bit is left. */
		if (shift == 63 && byte > 1)
			r->bad = true;
		value |= (uint64_t)(byte & 0x7f) << shift;
		if (r->bad || !(byte & 0x80))
			return value;
	}
}

/* A number that must be at most `most`. */
static uint64_t get_within(struct compact_reader *r, uint64_t most)
{
	uint64_t value = get_number(r);

	if (value <= most)
		return value;
	r->bad = true;
	return 0;
}

static int64_t get_signed(struct compact_reader *r)
{
	uint64_t bits = get_number(r);

	return (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
}

static struct maybe get_maybe(struct compact_reader *r)
{
	bool known = get_within(r, 1);

	return (struct maybe){ known ? get_number(r) : 0, known };
}

static const char *get_string(struct compact_reader *r)
{
	uint64_t how = get_number(r);
	size_t start = r->at, end = r->end;
	const uint8_t *nul;

	if (how == STRING_NULL || r->bad)
		return NULL;
	if (how >= STRING_THERE) {
		end = start;
		start = how - STRING_THERE < end ? (size_t)(how - STRING_THERE) : end;
	}
	nul = start >= COMPACT_HEAD ? memchr(r->in + start, 0, end - start) : NULL;
	if (!nul) {
		r->bad = true;
		return NULL;
	}
	if (how == STRING_HERE)
		r->at = (size_t)(nul - r->in) + 1;
	return (const char *)r->in + start;
}

/* NULL would end a list before its time. */
static const char *get_name(struct compact_reader *r)
{
	const char *s = get_string(r);

	r->bad |= !s;
	return s;
}

static void get_strings(struct compact_reader *r, const char **strings)
{
	uint64_t count = get_within(r, RECORD_STRINGS);

	for (uint64_t i = 0; i < count && !r->bad; i++)
		strings[i] = get_name(r);
}

static void get_pairs(struct compact_reader *r, struct record_pairs *pairs)
{
	uint64_t count = get_within(r, r->pair_cap), low = 0;

	for (uint64_t i = 0; i < count && !r->bad; i++) {
		low += get_number(r);
		r->pairs[i][0] = low;
		r->pairs[i][1] = get_number(r);
	}
	*pairs = (struct record_pairs){ (const uint64_t(*)[2])r->pairs, r->bad ? 0 : count };
}

static void get_causes(struct compact_reader *r, struct cause_sum *sums)
{
	uint64_t mask = get_within(r, (1u << CAUSES) - 1);

	for (unsigned i = 0; i < CAUSES; i++) {
		if (!(mask >> i & 1))
			continue;
		sums[i].gaps = get_number(r);
		sums[i].ns = get_number(r);
	}
}

static void get_timers(struct compact_reader *r, struct period_timer *timers)
{
	uint64_t count = get_within(r, RECORD_TIMERS);

	for (uint64_t i = 0; i < count && !r->bad; i++) {
		timers[i].name = get_name(r);
		timers[i].period_ns = get_number(r);
	}
}

static void get_field(struct compact_reader *r, enum field_kind kind, void *value)
{
	switch (kind) {
	case FIELD_U64:
	case FIELD_HEX64:
		*(uint64_t *)value = get_number(r);
		break;
	case FIELD_U32:
		*(uint32_t *)value = (uint32_t)get_within(r, UINT32_MAX);
		break;
	case FIELD_I64:
		*(int64_t *)value = get_signed(r);
		break;
	case FIELD_BOOL:
		*(bool *)value = get_within(r, 1);
		break;
	case FIELD_MAYBE:
		*(struct maybe *)value = get_maybe(r);
		break;
	case FIELD_STRING:
		*(const char **)value = get_string(r);
		break;
	case FIELD_STRINGS:
		get_strings(r, value);
		break;
	case FIELD_PAIRS:
		get_pairs(r, value);
		break;
	case FIELD_CAUSES:
		get_causes(r, value);
		break;
	case FIELD_TIMERS:
		get_timers(r, value);
		break;
	default:
		break;
	}
}

enum compact_state compact_next(struct compact_reader *r, enum record_type *type,
				union compact_record *record)
{
	if (r->bad)
		return COMPACT_DAMAGED;
	if (r->at == r->end)
		return COMPACT_OVER;
	*type = (enum record_type)get_within(r, RECORD_TYPES - 1);
	memset(record, 0, sizeof(*record));
	if (r->bad)
		return COMPACT_DAMAGED;
	for (const struct record_field *f = record_fields(*type); f->kind != FIELD_END; f++)
		get_field(r, f->kind, (char *)record + f->offset);
	return r->bad ? COMPACT_DAMAGED : COMPACT_OK;
}
