/* SPDX-License-Identifier: BSD-2-Clause */
/* The reader: the frame with its checksum first, then field by field. */
#include "record_code_read.h"

#include "core/lib/crc32c.h"
#include "core/lib/mem.h"
#include "core/lib/units.h"

#define HEAD_BYTES (sizeof(RECORD_CODE_HEAD) - 1)
#define SID_DIGITS 16
#define CRC_MARK   (sizeof(RECORD_CODE_CRC) - 1)
#define CRC_DIGITS 8

struct word {
	const char *at;
	size_t bytes;
};

struct reading {
	struct record_code *code;
	const char *text;
	struct word object; /* that the last field is in */
	uint64_t seen;      /* rows, bit by bit */
	size_t used;        /* of code->strings */
	struct text *why;
};

_Static_assert(RECORD_FIELDS_MAX <= 64, "a bit of `seen` for each row");

/* ---- Values ---- */

static bool take_hex(const char *at, unsigned digits, uint64_t *value)
{
	for (*value = 0; digits; digits--, at++) {
		if (units_digit(*at) > 15)
			return false;
		*value = *value << 4 | units_digit(*at);
	}
	return true;
}

static bool take_u64(struct reading *r, struct word w, void *member)
{
	(void)r;
	for (size_t i = 0; i < w.bytes; i++)
		if (w.at[i] < '0' || w.at[i] > '9')
			return false;
	return units_parse_u64(w.at, w.bytes, member) == UNITS_OK;
}

static bool take_u32(struct reading *r, struct word w, void *member)
{
	uint64_t wide;

	if (!take_u64(r, w, &wide) || wide > UINT32_MAX)
		return false;
	*(uint32_t *)member = (uint32_t)wide;
	return true;
}

static bool take_maybe(struct reading *r, struct word w, void *member)
{
	struct maybe *m = member;

	m->known = take_u64(r, w, &m->value);
	return m->known;
}

/* Fewer bytes than the text has: there is room for all strings. */
static bool take_string(struct reading *r, struct word w, void *member)
{
	char *to = r->code->strings + r->used;
	uint64_t byte;

	*(const char **)member = to;
	for (size_t i = 0; i < w.bytes; i++) {
		byte = (uint8_t)w.at[i];
		if (byte == '%') {
			if (w.bytes - i < 3 || !take_hex(w.at + i + 1, 2, &byte) || !byte)
				return false;
			i += 2;
		}
		*to++ = (char)byte;
	}
	*to++ = '\0';
	r->used = (size_t)(to - r->code->strings);
	return true;
}

/* The bytes up to `end`, or all; w is left with what is behind it. */
static struct word cut_off(struct word *w, char end)
{
	const char *found = w->bytes ? memchr(w->at, end, w->bytes) : NULL;
	struct word part = { w->at, found ? (size_t)(found - w->at) : w->bytes };
	size_t skipped = part.bytes + (found != NULL);

	w->at += skipped;
	w->bytes -= skipped;
	return part;
}

static bool is_word(struct word w, const char *s)
{
	return strlen(s) == w.bytes && !memcmp(s, w.at, w.bytes);
}

static bool take_cause(struct reading *r, struct word w, struct cause_sum *sums)
{
	struct word name = cut_off(&w, ':'), gaps = cut_off(&w, ':');
	unsigned i = 0;

	while (i < CAUSES && !is_word(name, cause_name((enum cause)i)))
		i++;
	return i < CAUSES && !sums[i].gaps && !sums[i].ns && take_u64(r, gaps, &sums[i].gaps) &&
	       take_u64(r, w, &sums[i].ns);
}

static bool take_causes(struct reading *r, struct word w, void *member)
{
	do {
		if (!take_cause(r, cut_off(&w, ','), member))
			return false;
	} while (w.bytes);
	return w.at[-1] != ',';
}

static const struct {
	bool (*take)(struct reading *r, struct word w, void *member);
	const char *wanted;
	bool absent; /* a record may lack it */
} kinds[FIELD_CLOSE + 1] = {
	[FIELD_U64] = { take_u64, "a whole number below 2^64", .absent = false },
	[FIELD_U32] = { take_u32, "a whole number below 2^32", .absent = false },
	[FIELD_MAYBE] = { take_maybe, "a whole number below 2^64", .absent = true },
	[FIELD_STRING] = { take_string, "a text with %XX for special bytes", .absent = true },
	[FIELD_CAUSES] = { take_causes, "CAUSE:GAPS:NS, ... with each cause once", .absent = true },
};

/* ---- Fields ---- */

/* A word, for messages; evaluated several times. */
#define SHOWN(w) (int)((w).bytes < 40 ? (w).bytes : 40), (w).at

static bool refuse_value(struct reading *r, struct word name, struct word value,
			 const struct record_field *f)
{
	text_add(r->why, "at byte %zu: %.*s is not %s (found: %.*s)",
		 (size_t)(value.at - r->text) + 1, SHOWN(name), kinds[f->kind].wanted,
		 SHOWN(value));
	return false;
}

static bool take_row(struct reading *r, const struct record_field *f, struct word name,
		     struct word value)
{
	uint64_t bit = UINT64_C(1) << (f - record_fields(RECORD_SUMMARY));

	if (r->seen & bit) {
		text_add(r->why, "at byte %zu: %.*s occurs twice", (size_t)(name.at - r->text) + 1,
			 SHOWN(name));
		return false;
	}
	r->seen |= bit;
	return kinds[f->kind].take(r, value, (char *)&r->code->summary + f->offset) ||
	       refuse_value(r, name, value, f);
}

/* The object and the name in it. */
static struct word split_name(struct reading *r, struct word name)
{
	size_t dot = name.bytes;

	while (dot && name.at[dot - 1] != '.')
		dot--;
	if (dot != 1)
		r->object = (struct word){ name.at, dot ? dot - 1 : 0 };
	return (struct word){ name.at + dot, name.bytes - dot };
}

static bool take_field(struct reading *r, struct word field)
{
	struct word value = field, name = cut_off(&value, '='), inner = split_name(r, name);
	struct record_code_walk w;
	const struct record_field *f;

	if (name.bytes == field.bytes) {
		text_add(r->why,
			 "at byte %zu: a field has no value, NAME=VALUE is expected "
			 "(found: %.*s)",
			 (size_t)(field.at - r->text) + 1, SHOWN(field));
		return false;
	}
	record_code_walk_start(&w);
	while ((f = record_code_walk_next(&w)))
		if (is_word(inner, f->name) && is_word(r->object, w.object.buf))
			return take_row(r, f, name, value);
	return true;
}

static bool find_missing(struct reading *r)
{
	const struct record_field *first = record_fields(RECORD_SUMMARY), *f;
	struct record_code_walk w;

	record_code_walk_start(&w);
	while ((f = record_code_walk_next(&w))) {
		if (kinds[f->kind].absent || r->seen >> (f - first) & 1)
			continue;
		text_add(r->why, "the field %s is missing (expected: %s)", f->name,
			 kinds[f->kind].wanted);
		return true;
	}
	return false;
}

/* ---- The frame ---- */

static bool is_printable(const char *text, size_t bytes, struct text *why)
{
	for (size_t i = 0; i < bytes; i++) {
		if (text[i] >= ' ' && text[i] <= '~')
			continue;
		text_add(why, "at byte %zu: 0x%02x is no printable ASCII, of which a code is made",
			 i + 1, (uint8_t)text[i]);
		return false;
	}
	return true;
}

static bool is_ours(const char *text, size_t bytes, struct text *why)
{
	struct word rest = { text, bytes }, format = cut_off(&rest, ';');

	if (bytes > RECORD_CODE_READ_MAX)
		text_add(why, "it has %zu bytes, more than the %u of any code", bytes,
			 RECORD_CODE_READ_MAX);
	else if (!is_printable(text, bytes, why))
		return false;
	else if (bytes >= HEAD_BYTES && !memcmp(text, RECORD_CODE_HEAD, HEAD_BYTES))
		return true;
	else if (bytes > 2 && !memcmp(text, RECORD_CODE_MARK, 2) && text[2] != '1')
		text_add(why, "it is of format %.*s, and this program reads NF1", SHOWN(format));
	else
		text_add(why, "it does not begin with " RECORD_CODE_HEAD
			      ", as the code on the screen does");
	return false;
}

/* Leaves its length without the checksum. */
static bool check_crc(const char *text, size_t *bytes, struct text *why)
{
	size_t all = *bytes;
	uint64_t crc;
	uint32_t found;

	*bytes -= CRC_MARK + CRC_DIGITS;
	if (all < HEAD_BYTES + SID_DIGITS + CRC_MARK + CRC_DIGITS ||
	    memcmp(text + *bytes, RECORD_CODE_CRC, CRC_MARK) != 0 ||
	    !take_hex(text + *bytes + CRC_MARK, CRC_DIGITS, &crc)) {
		text_add(why,
			 "it is cut off after byte %zu: the end is not " RECORD_CODE_CRC
			 " and 8 hexadecimal digits",
			 all);
		return false;
	}
	found = crc32c(text, *bytes);
	if (found == crc)
		return true;
	text_add(why, "it is damaged: the checksum of its first %zu bytes is %08x, not %08x",
		 *bytes, found, (uint32_t)crc);
	return false;
}

static bool take_sid(struct reading *r, struct word sid)
{
	if (sid.bytes == SID_DIGITS && take_hex(sid.at, SID_DIGITS, &r->code->sid))
		return true;
	text_add(r->why, "at byte %zu: sid is not 16 hexadecimal digits (found: %.*s)",
		 HEAD_BYTES + 1, SHOWN(sid));
	return false;
}

bool record_code_read(struct record_code *code, const char *text, size_t bytes, struct text *why)
{
	struct reading r = { .code = code, .text = text, .why = why };
	struct word rest;

	memset(&code->summary, 0, sizeof(code->summary));
	if (!is_ours(text, bytes, why) || !check_crc(text, &bytes, why))
		return false;
	rest = (struct word){ text + HEAD_BYTES, bytes - HEAD_BYTES };
	if (!take_sid(&r, cut_off(&rest, ';')))
		return false;
	while (rest.bytes)
		if (!take_field(&r, cut_off(&rest, ';')))
			return false;
	return !find_missing(&r);
}
