/* SPDX-License-Identifier: BSD-2-Clause */
/* The writer. */
#include "record_code.h"

#include "core/lib/crc32c.h"
#include "core/lib/mem.h"

#define CRC_BYTES (sizeof(RECORD_CODE_CRC) - 1 + 8)

/* ---- Fields ---- */

void record_code_walk_start(struct record_code_walk *w)
{
	w->next = record_fields(RECORD_SUMMARY);
	w->depth = 0;
	text_init(&w->object, w->object_buf, sizeof(w->object_buf));
}

static void enter(struct record_code_walk *w, const char *name)
{
	w->outer[w->depth++] = w->object.len;
	text_add(&w->object, w->object.len ? ".%s" : "%s", name);
}

static void leave(struct record_code_walk *w)
{
	w->object.len = w->outer[--w->depth];
	w->object.buf[w->object.len] = '\0';
}

const struct record_field *record_code_walk_next(struct record_code_walk *w)
{
	for (; w->next->kind != FIELD_END; w->next++) {
		if (w->next->kind == FIELD_OPEN)
			enter(w, w->next->name);
		else if (w->next->kind == FIELD_CLOSE)
			leave(w);
		else
			return w->next++;
	}
	return NULL;
}

/* ---- Values: false where there is none. Strings have at most `most` bytes. ---- */

static bool put_u64(struct text *t, const void *value, size_t most)
{
	(void)most;
	text_add(t, "%llu", (unsigned long long)*(const uint64_t *)value);
	return true;
}

static bool put_u32(struct text *t, const void *value, size_t most)
{
	(void)most;
	text_add(t, "%u", *(const uint32_t *)value);
	return true;
}

static bool put_maybe(struct text *t, const void *value, size_t most)
{
	const struct maybe *m = value;

	return m->known && put_u64(t, &m->value, most);
}

static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != ';' && c != '%';
}

/* Never cut inside of an escape. */
static bool put_string(struct text *t, const void *value, size_t most)
{
	const char *s = *(const char *const *)value;

	for (const char *at = s; at && *at; at++) {
		size_t bytes = is_plain(*at) ? 1 : 3;

		if (bytes > most)
			break;
		text_add(t, bytes == 1 ? "%c" : "%%%02X", (uint8_t)*at);
		most -= bytes;
	}
	return s;
}

static bool put_causes(struct text *t, const void *value, size_t most)
{
	const struct cause_sum *sums = value;
	const char *comma = "";

	(void)most;
	for (unsigned i = 0; i < CAUSES; i++) {
		if (!sums[i].gaps && !sums[i].ns)
			continue;
		text_add(t, "%s%s:%llu:%llu", comma, cause_name((enum cause)i),
			 (unsigned long long)sums[i].gaps, (unsigned long long)sums[i].ns);
		comma = ",";
	}
	return *comma;
}

/* Of kinds that the record has. */
static const struct {
	bool (*put)(struct text *t, const void *value, size_t most);
	bool optional;
} kinds[FIELD_CLOSE + 1] = {
	[FIELD_U64] = { put_u64, false },       [FIELD_U32] = { put_u32, false },
	[FIELD_MAYBE] = { put_maybe, true },    [FIELD_STRING] = { put_string, true },
	[FIELD_CAUSES] = { put_causes, false },
};

/* ---- The line ---- */

struct shape {
	size_t most;     /* bytes of a string */
	size_t optional; /* rows that may have an optional field, from the first on */
};

static void cut_back(struct text *t, size_t len)
{
	t->len = len;
	t->buf[len] = '\0';
}

/* `around`: the object of the field that was written last. */
static void put_name(struct text *t, const struct record_field *f, const char *object,
		     const char *around)
{
	text_add(t, ";%s%s%s=", strcmp(object, around) ? object : "", *object ? "." : "", f->name);
}

static bool write_line(struct text *t, uint64_t sid, const struct record_summary *summary,
		       const struct shape *shape)
{
	const struct record_field *first = record_fields(RECORD_SUMMARY), *f;
	struct record_code_walk w;
	TEXT_DEFINE(around, sizeof(w.object_buf));

	text_reset(t);
	text_add(t, RECORD_CODE_HEAD "%016llx", (unsigned long long)sid);
	record_code_walk_start(&w);
	while ((f = record_code_walk_next(&w))) {
		const void *value = (const char *)summary + f->offset;
		size_t before = t->len;

		if (kinds[f->kind].optional && (size_t)(f - first) >= shape->optional)
			continue;
		put_name(t, f, w.object.buf, around.buf);
		if (!kinds[f->kind].put(t, value, shape->most)) {
			cut_back(t, before);
			continue;
		}
		text_reset(&around);
		text_add(&around, "%s", w.object.buf);
	}
	return !t->overflow && t->len + CRC_BYTES <= RECORD_CODE_BYTES_MAX;
}

/* The next shorter shape; false where there is none. */
static bool shorten(struct shape *shape)
{
	if (shape->most > RECORD_CODE_STRING_MIN)
		shape->most--;
	else if (shape->optional)
		shape->optional--;
	else
		return false;
	return true;
}

void record_code_write(struct text *t, uint64_t sid, const struct record_summary *summary)
{
	struct shape shape = { RECORD_CODE_STRING_MAX, RECORD_FIELDS_MAX };

	while (!write_line(t, sid, summary, &shape) && shorten(&shape))
		;
	text_add(t, RECORD_CODE_CRC "%08x", crc32c(t->buf, t->len));
}
