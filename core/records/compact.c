/* SPDX-License-Identifier: BSD-2-Clause */
/* The compact report, written and read along the field tables. */
#include "compact.h"

#include "core/lib/bytes.h"
#include "core/lib/crc32c.h"
#include "core/lib/mem.h"
#include "record_field.h"

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

/* The first byte of a string. */
enum { STRING_NULL, STRING_HERE, STRING_THERE };

/* Shorter ones need no more space than a reference. */
#define STRING_LEAST 4

static const uint8_t magic[4] = { 'N', 'F', 'R', COMPACT_VERSION };

/* With different tables the same bytes have a different meaning. */
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

/*
 * A record's fields, one function for both directions: reading takes the same steps as writing.
 * When writing, values are only read. When reading, nothing is trusted, whatever the checksum.
 */
struct codec {
	uint8_t *bytes; /* only read when reading */
	size_t at, end;
	bool writing;
	bool bad; /* no room, or invalid input */
	uint64_t (*pairs)[2];
	size_t pair_cap;
};

static void byte(struct codec *c, uint8_t *value)
{
	if (c->at >= c->end)
		c->bad = true;
	else if (c->writing)
		c->bytes[c->at++] = *value;
	else
		*value = c->bytes[c->at++];
}

static void number(struct codec *c, uint64_t *value)
{
	uint64_t rest = *value, got = 0;
	unsigned shift = 0;
	uint8_t b = 0;

	do {
		if (c->writing)
			b = (uint8_t)(rest & 0x7f) | (rest >> 7 ? 0x80 : 0);
		byte(c, &b);
		/* Only one bit of the tenth byte is used. */
		if (shift == 63 && b > 1)
			c->bad = true;
		got |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
		rest >>= 7;
	} while (b & 0x80 && !c->bad);
	if (!c->writing)
		*value = c->bad ? 0 : got;
}

/* A number that is at most `most`. */
static uint64_t within(struct codec *c, uint64_t value, uint64_t most)
{
	number(c, &value);
	if (value <= most)
		return value;
	c->bad = true;
	return 0;
}

/* Sign in the lowest bit: small numbers stay small. */
static void signed_number(struct codec *c, int64_t *value)
{
	uint64_t bits = (uint64_t)*value << 1 ^ (0 - ((uint64_t)*value >> 63));

	number(c, &bits);
	if (!c->writing)
		*value = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
}

static void maybe(struct codec *c, struct maybe *m)
{
	bool known = within(c, m->known, 1);

	if (!c->writing)
		m->known = known;
	if (known)
		number(c, &m->value);
}

/* An earlier copy of the same bytes before `end`, if any. */
static size_t find(const struct codec *c, size_t end, size_t bytes)
{
	const uint8_t *text = c->bytes + end + 1, *at = c->bytes + COMPACT_HEAD;
	const uint8_t *found;

	while (at + bytes <= c->bytes + end) {
		found = memchr(at, *text, (size_t)(c->bytes + end - at) - bytes + 1);
		if (!found)
			return 0;
		if (!memcmp(found, text, bytes))
			return (size_t)(found - c->bytes);
		at = found + 1;
	}
	return 0;
}

static void write_string(struct codec *c, const char *s)
{
	uint64_t how = s ? STRING_HERE : STRING_NULL;
	size_t start = c->at, bytes;

	number(c, &how);
	if (!s)
		return;
	bytes = strlen(s) + 1;
	if (c->bad || bytes > c->end - c->at) {
		c->bad = true;
		return;
	}
	memcpy(c->bytes + c->at, s, bytes);
	c->at += bytes;
	how = bytes < STRING_LEAST ? 0 : find(c, start, bytes) + STRING_THERE;
	if (how <= STRING_THERE)
		return;
	c->at = start;
	number(c, &how);
}

static const char *read_string(struct codec *c)
{
	uint64_t how = within(c, 0, STRING_THERE + c->at);
	size_t start = c->at, end = c->end;
	const uint8_t *nul = NULL;

	if (how == STRING_NULL)
		return NULL;
	if (how >= STRING_THERE) {
		end = start;
		start = (size_t)how - STRING_THERE;
	}
	if (start >= COMPACT_HEAD && start < end)
		nul = memchr(c->bytes + start, 0, end - start);
	c->bad |= !nul;
	if (!nul)
		return NULL;
	if (how == STRING_HERE)
		c->at = (size_t)(nul - c->bytes) + 1;
	return (const char *)c->bytes + start;
}

static void string(struct codec *c, const char **s)
{
	if (c->writing)
		write_string(c, *s);
	else
		*s = read_string(c);
}

/* In a list: NULL would end it early. */
static void name(struct codec *c, const char **s)
{
	string(c, s);
	c->bad |= !*s;
}

static void strings(struct codec *c, const char **list)
{
	uint64_t count = 0;

	while (count < RECORD_STRINGS && list[count])
		count++;
	count = within(c, count, RECORD_STRINGS);
	for (uint64_t i = 0; i < count && !c->bad; i++)
		name(c, &list[i]);
}

static void timers(struct codec *c, struct period_timer *list)
{
	uint64_t count = 0;

	while (count < RECORD_TIMERS && list[count].name)
		count++;
	count = within(c, count, RECORD_TIMERS);
	for (uint64_t i = 0; i < count && !c->bad; i++) {
		name(c, &list[i].name);
		number(c, &list[i].period_ns);
	}
}

static void pairs(struct codec *c, struct record_pairs *p)
{
	uint64_t count = within(c, p->count, c->writing ? UINT64_MAX : c->pair_cap);
	uint64_t before = 0;

	for (uint64_t i = 0; i < count && !c->bad; i++) {
		uint64_t step = c->writing ? p->at[i][0] - before : 0;
		uint64_t pair[2] = { 0, c->writing ? p->at[i][1] : 0 };

		number(c, &step);
		number(c, &pair[1]);
		before += step;
		pair[0] = before;
		if (!c->writing)
			memcpy(c->pairs[i], pair, sizeof(pair));
	}
	if (c->writing || !count)
		return;
	*p = (struct record_pairs){ (const uint64_t(*)[2])c->pairs, (size_t)count };
	/* Another list of the record goes behind it. */
	c->pairs += count;
	c->pair_cap -= count;
}

static void causes(struct codec *c, struct cause_sum *sums)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < CAUSES; i++)
		if (sums[i].gaps || sums[i].ns)
			mask |= 1u << i;
	mask = within(c, mask, (1u << CAUSES) - 1);
	for (unsigned i = 0; i < CAUSES; i++) {
		if (!(mask >> i & 1))
			continue;
		number(c, &sums[i].gaps);
		number(c, &sums[i].ns);
	}
}

static void field(struct codec *c, enum record_field_kind kind, void *value)
{
	uint64_t small;

	switch (kind) {
	case FIELD_U64:
		number(c, value);
		break;
	case FIELD_U32:
		small = within(c, *(uint32_t *)value, UINT32_MAX);
		if (!c->writing)
			*(uint32_t *)value = (uint32_t)small;
		break;
	case FIELD_BOOL:
		small = within(c, *(bool *)value, 1);
		if (!c->writing)
			*(bool *)value = small;
		break;
	case FIELD_I64:
		signed_number(c, value);
		break;
	case FIELD_MAYBE:
		maybe(c, value);
		break;
	case FIELD_STRING:
		string(c, value);
		break;
	case FIELD_STRINGS:
		strings(c, value);
		break;
	case FIELD_PAIRS:
		pairs(c, value);
		break;
	case FIELD_CAUSES:
		causes(c, value);
		break;
	case FIELD_TIMERS:
		timers(c, value);
		break;
	default: /* brackets around fields, and totals */
		break;
	}
}

/* `record` is the source when writing, and the destination when reading. */
static void fields(struct codec *c, enum record_type type, void *record)
{
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END && !c->bad;
	     f++)
		field(c, f->kind, (char *)record + f->offset);
}

/* Writing */

void compact_start(struct compact_writer *w, void *out, size_t cap)
{
	*w = (struct compact_writer){ .out = out, .cap = cap, .used = COMPACT_HEAD };
}

bool compact_add(struct compact_writer *w, enum record_type type, const void *data)
{
	struct codec c = {
		.bytes = w->out, .at = w->used, .end = w->cap - COMPACT_CRC, .writing = true
	};
	uint8_t b = (uint8_t)type;

	byte(&c, &b);
	fields(&c, type, (void *)data);
	if (!c.bad)
		w->used = c.at;
	return !c.bad;
}

size_t compact_finish(struct compact_writer *w, const struct compact_head *head)
{
	uint8_t *out = w->out;

	memset(out, 0, COMPACT_HEAD);
	memcpy(out + AT_MAGIC, magic, sizeof(magic));
	bytes_put_le32(out + AT_BYTES, (uint32_t)(w->used + COMPACT_CRC));
	bytes_put_le64(out + AT_SID, head->sid);
	bytes_put_le64(out + AT_BEGAN, head->began_s);
	bytes_put_le32(out + AT_FLAGS, head->flags);
	bytes_put_le32(out + AT_TABLES, tables_crc());
	bytes_put_le16(out + AT_WRITES, head->writes);
	bytes_put_le16(out + AT_VARIABLES, head->variables);
	for (unsigned i = 0; i < COMPACT_VERSION_MAX && NF_VERSION[i]; i++)
		out[AT_VERSION + i] = (uint8_t)NF_VERSION[i];
	bytes_put_le32(out + w->used, crc32c(out, w->used));
	return w->used + COMPACT_CRC;
}

/* Reading */

const char *compact_state_text(enum compact_state state)
{
	static const char *const text[] = {
		[COMPACT_OK] = "is whole",
		[COMPACT_OVER] = "is at its end",
		[COMPACT_CUT] = "is truncated",
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

	*r = (struct compact_reader){
		.in = in, .at = COMPACT_HEAD, .pairs = r->pairs, .pair_cap = r->pair_cap
	};
	if (bytes < COMPACT_HEAD + COMPACT_CRC)
		return COMPACT_CUT;
	if (memcmp(in, magic, sizeof(magic) - 1) != 0)
		return COMPACT_FOREIGN;
	read_head(&r->head, in);
	if (in[3] != COMPACT_VERSION)
		return COMPACT_FOREIGN;
	if (bytes_le32(in + AT_BYTES) != bytes)
		return COMPACT_CUT;
	r->end = bytes - COMPACT_CRC;
	if (crc32c(in, r->end) != bytes_le32(in + r->end))
		return COMPACT_DAMAGED;
	return bytes_le32(in + AT_TABLES) == tables_crc() ? COMPACT_OK : COMPACT_FOREIGN;
}

enum compact_state compact_next(struct compact_reader *r, enum record_type *type,
				union record *record)
{
	struct codec c = { .bytes = (uint8_t *)r->in,
			   .at = r->at,
			   .end = r->end,
			   .bad = r->bad,
			   .pairs = r->pairs,
			   .pair_cap = r->pair_cap };

	memset(record, 0, sizeof(*record));
	if (!r->bad && r->at == r->end)
		return COMPACT_OVER;
	*type = (enum record_type)within(&c, 0, RECORD_TYPES - 1);
	fields(&c, *type, record);
	r->at = c.at;
	r->bad = c.bad;
	return c.bad ? COMPACT_DAMAGED : COMPACT_OK;
}
