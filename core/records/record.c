/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The writer: walks a type's field table and puts one atom (a scalar, or one element of an array or
 * of a map) at a time on the line; an atom that does not fit goes to the next line, inside the same
 * object or array. None of these has others in it.
 */
#include "record.h"

#include "core/lib/crc32c.h"
#include "core/lib/mem.h"
#include "record_field.h"

/* The beginning of a line up to its sid, and the offset of the line's number. */
#define HEAD   "{\"nf\":1,\"sid\":\""
#define SEQ_AT (sizeof(HEAD "0123456789abcdef\",\"seq\":") - 1)
_Static_assert(RECORD_VERSION == 1, "as in HEAD");

/* Each line has room reserved for its end: a closing bracket, MORE and CRC. */
#define MORE     ",\"more\":true"
#define CRC      ",\"crc\":\"12345678\"}\n"
#define TAIL_MAX (1 + sizeof(MORE) - 1 + sizeof(CRC) - 1)

struct writer {
	struct record_link *link;
	enum record_type type;
	const char *data;
	char *buffer; /* RECORD_LINE_MAX + 1 bytes */
	struct text line;
	size_t head;   /* length of the line before its first atom */
	bool split;    /* the record takes several lines */
	bool too_long; /* an atom did not fit a line */
	uint64_t part;
	const char *inside; /* name of the object or array around the next atom; NULL: none */
	char close;         /* its closing bracket */
	bool opened;        /* on this line */
};

/* Escape one byte of a string. Bytes from 0x80 on are taken as Latin-1. */
static size_t escape(char c, char out[8])
{
	struct text t;
	uint8_t byte = (uint8_t)c;

	text_init(&t, out, 8);
	if (c == '"' || c == '\\')
		text_add(&t, "\\%c", c);
	else if (byte < 0x20 || byte > 0x7e)
		text_add(&t, "\\u%04x", byte);
	else
		text_char(&t, c);
	return t.len;
}

/* Put `s` in quotes, at most `most` bytes with them. It is never cut inside an escape. */
static void put_quoted(struct text *t, const char *s, size_t most)
{
	size_t used = 2;
	char bytes[8];

	text_char(t, '"');
	for (; *s; s++) {
		size_t count = escape(*s, bytes);

		if (used + count > most)
			break;
		text_bytes(t, bytes, count);
		used += count;
	}
	text_char(t, '"');
}

/* The kind of an atom that is JSON text, put as it is; fields of this kind have no value. */
#define LITERAL FIELD_END

/* Put the value of a field, or an element of its list; a string takes at most `most` bytes. */
static void put_value(struct text *t, unsigned kind, const void *value, size_t most)
{
	const struct record_field field = { .kind = (uint8_t)kind };
	struct maybe number = record_field_number(&field, value);
	const char *const *string = value;
	const uint64_t *pair = value;

	if ((kind == FIELD_STRING || kind == FIELD_STRINGS) && *string)
		put_quoted(t, *string, most);
	else if (kind == LITERAL)
		text_add(t, "%s", (const char *)value);
	else if (kind == FIELD_BOOL)
		text_add(t, number.value ? "true" : "false");
	else if (kind == FIELD_I64)
		text_add(t, "%lld", (long long)*(const int64_t *)value);
	else if (kind == FIELD_PAIRS)
		text_add(t, "[%llu,%llu]", (unsigned long long)pair[0],
			 (unsigned long long)pair[1]);
	else if (kind == FIELD_CAUSES)
		text_add(t, "{\"gaps\":%llu,\"ns\":%llu}",
			 (unsigned long long)((const struct cause_sum *)value)->gaps,
			 (unsigned long long)((const struct cause_sum *)value)->ns);
	else if (number.known)
		text_add(t, "%llu", (unsigned long long)number.value);
	else
		text_add(t, "null");
}

/* Put a comma, a name or both before a value. A timer's name may be read from a variable. */
static void put_name(struct text *t, const char *name)
{
	char last = t->buf[t->len - 1];

	if (last != '{' && last != '[')
		text_char(t, ',');
	if (name) {
		put_quoted(t, name, RECORD_KEY_MAX);
		text_char(t, ':');
	}
}

static void put_keys(struct writer *w)
{
	for (const struct record_field *f = record_fields(w->type); f->kind != FIELD_END; f++) {
		if (!f->key)
			continue;
		put_name(&w->line, f->name);
		put_value(&w->line, f->kind, w->data + f->offset, RECORD_KEY_MAX);
	}
}

static void put_head(struct text *line, const struct record_link *link)
{
	text_add(line, HEAD "%016llx\",\"seq\":%llu", (unsigned long long)link->sid,
		 (unsigned long long)link->seq);
}

/* Add the checksum to the line, and write it to the link. */
static void send_line(struct record_link *link, struct text *line)
{
	text_add(line, ",\"crc\":\"%08x\"}\n", crc32c(line->buf, line->len));
	if (link->hashed)
		sha256_add(&link->lines, line->buf, line->len);
	if (link->write)
		link->write(link, line->buf, line->len);
	link->seq++;
}

static void start_line(struct writer *w)
{
	text_init(&w->line, w->buffer, RECORD_LINE_MAX + 1 - TAIL_MAX);
	put_head(&w->line, w->link);
	text_add(&w->line, ",\"type\":\"%s\"", record_type_name(w->type));
	put_keys(w);
	if (w->split)
		text_add(&w->line, ",\"part\":%llu", (unsigned long long)w->part);
	w->head = w->line.len;
}

static void put_close(struct writer *w)
{
	if (!w->opened)
		return;
	/* TAIL_MAX has reserved the room for it. */
	w->opened = false;
	w->line.buf[w->line.len++] = w->close;
	w->line.buf[w->line.len] = '\0';
}

static void finish_line(struct writer *w, bool more)
{
	put_close(w);
	w->line.cap = RECORD_LINE_MAX + 1;
	if (more)
		text_add(&w->line, MORE);
	send_line(w->link, &w->line);
}

static void put_open(struct writer *w)
{
	if (!w->inside || w->opened)
		return;
	put_name(&w->line, w->inside);
	text_char(&w->line, w->close == '}' ? '{' : '[');
	w->opened = true;
}

/* Put an atom on the line; `cut`: its string is cut to fit. False if it does not fit: no change. */
static bool try_atom(struct writer *w, const char *name, unsigned kind, const void *value, bool cut)
{
	size_t len = w->line.len, most = w->link->string_max ? w->link->string_max : SIZE_MAX;
	bool opened = w->opened;

	put_open(w);
	put_name(&w->line, name);
	put_value(&w->line, kind, value, cut ? w->line.cap - 1 - w->line.len : most);
	if (!w->line.overflow)
		return true;

	w->line.len = len;
	w->line.buf[len] = '\0';
	w->line.overflow = false;
	w->opened = opened;
	return false;
}

static void put_atom(struct writer *w, const char *name, unsigned kind, const void *value)
{
	if (w->too_long || try_atom(w, name, kind, value, false))
		return;
	if (!w->split) {
		w->too_long = true;
		return;
	}
	if (w->line.len > w->head) {
		finish_line(w, true);
		w->part++;
		start_line(w);
	}
	try_atom(w, name, kind, value, true);
}

static void enter(struct writer *w, const char *name, char close)
{
	w->inside = name;
	w->close = close;
}

static void record_leave(struct writer *w)
{
	put_close(w);
	w->inside = NULL;
}

struct element {
	const char *name; /* in an object; NULL in an array */
	const void *at;   /* NULL: it is left out */
};

/* The n-th element of a field; false past the last. */
static bool element_of(unsigned kind, const void *value, size_t n, struct element *e)
{
	const struct record_pairs *pairs = value;
	const struct cause_sum *sum = value;
	const struct period_timer *timer = value;

	*e = (struct element){ NULL, NULL };
	switch (kind) {
	case FIELD_PAIRS:
		e->at = n < pairs->count ? pairs->at[n] : NULL;
		return e->at;
	case FIELD_STRINGS:
		e->at = (const char *const *)value + n;
		return n < RECORD_STRINGS && *(const char *const *)e->at;
	case FIELD_CAUSES:
		if (n < CAUSES && (sum[n].gaps || sum[n].ns))
			*e = (struct element){ cause_name((enum cause)n), &sum[n] };
		return n < CAUSES;
	case FIELD_TIMERS:
		if (n < RECORD_TIMERS && timer[n].name)
			*e = (struct element){ timer[n].name, &timer[n].period_ns };
		return e->at;
	default:
		if (n < RECORD_TYPES)
			*e = (struct element){ record_type_name((enum record_type)n),
					       (const uint64_t *)value + n };
		return e->at;
	}
}

/* An array or an object opens with its first atom; an empty one is an atom itself. */
static void walk_list(struct writer *w, const struct record_field *f, const void *value)
{
	bool is_array = f->kind == FIELD_PAIRS || f->kind == FIELD_STRINGS, any = false;
	bool of_numbers = f->kind == FIELD_TIMERS || f->kind == FIELD_TOTALS;
	struct element e;

	enter(w, f->name, is_array ? ']' : '}');
	for (size_t n = 0; element_of(f->kind, value, n, &e); n++) {
		if (!e.at)
			continue;
		put_atom(w, e.name, of_numbers ? FIELD_U64 : f->kind, e.at);
		any = true;
	}
	record_leave(w);
	if (!any)
		put_atom(w, f->name, LITERAL, is_array ? "[]" : "{}");
}

static void walk_field(struct writer *w, const struct record_field *f)
{
	const void *value = w->data + f->offset;

	if (f->kind == FIELD_OPEN)
		enter(w, f->name, '}');
	else if (f->kind == FIELD_CLOSE)
		record_leave(w);
	else if (f->kind >= FIELD_PAIRS)
		walk_list(w, f, value);
	else
		put_atom(w, f->name, f->kind, value);
}

/* Write the record, in parts if `split`. False: it has to be split, and nothing is written. */
static bool write_record(struct record_link *link, enum record_type type, const void *data,
			 bool split)
{
	char line[RECORD_LINE_MAX + 1];
	struct writer w = {
		.link = link, .type = type, .data = data, .buffer = line, .split = split
	};

	start_line(&w);
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++) {
		if (!f->key && !(link->no_smi && f->on_smi))
			walk_field(&w, f);
	}
	if (w.too_long)
		return false;
	finish_line(&w, false);
	return true;
}

bool record_no_smi(const struct record_begin *begin)
{
	return text_same(begin->arch, "aarch64");
}

void record_hash(struct record_link *link)
{
	link->hashed = true;
	sha256_start(&link->lines);
}

void record_send(struct record_link *link, enum record_type type, const void *data)
{
	struct record_end end;

	link->sent[type]++;
	if (type == RECORD_BEGIN)
		link->no_smi = record_no_smi(data);
	if (type == RECORD_END) {
		end = *(const struct record_end *)data;
		memcpy(end.records, link->sent, sizeof(end.records));
		data = &end;
	}
	if (link->take)
		link->take(link, type, data);
	if ((!link->take || link->hashed) && !write_record(link, type, data, false))
		write_record(link, type, data, true);
}

bool record_resend(struct record_link *link, const char *line, size_t bytes)
{
	char buffer[RECORD_LINE_MAX + 1];
	const char *at = bytes > SEQ_AT ? memchr(line + SEQ_AT, ',', bytes - SEQ_AT) : NULL;
	size_t rest = at ? (size_t)(line + bytes - at) : 0;
	struct text t;

	if (rest < sizeof(CRC) - 1 || memcmp(line, HEAD, sizeof(HEAD) - 1) != 0)
		return false;
	text_init(&t, buffer, sizeof(buffer));
	put_head(&t, link);
	text_bytes(&t, at, rest - (sizeof(CRC) - 1));
	if (t.len + sizeof(CRC) > t.cap || t.overflow)
		return false;
	send_line(link, &t);
	return true;
}
