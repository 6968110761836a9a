/* SPDX-License-Identifier: BSD-2-Clause */
/* Records with random contents: each field of a type gets a value of its kind. */
#pragma once

#include "draw.h"

#include "core/gaps/hist.h"
#include "core/records/record_field.h"

#include <stdint.h>
#include <string.h>

#define SOME_POOL  65536
#define SOME_PAIRS HIST_BUCKETS

struct some {
	uint64_t seed;
	size_t used;
	char pool[SOME_POOL];
	uint64_t pair[SOME_PAIRS][2];
};

/* Start with a seed. Equal seeds give equal records. */
static inline void some_start(struct some *s, uint64_t seed)
{
	s->seed = seed;
	s->used = 0;
}

static inline uint64_t some_bits(struct some *s)
{
	return draw_bits(&s->seed);
}

/* A number of any size: small ones and 2^64 - 1 alike. */
static inline uint64_t some_u64(struct some *s)
{
	return some_bits(s) >> some_bits(s) % 64;
}

static inline uint32_t some_u32(struct some *s)
{
	return (uint32_t)some_bits(s) >> some_bits(s) % 32;
}

static inline void some_maybe(struct some *s, struct maybe *m)
{
	m->known = some_bits(s) & 1;
	m->value = m->known ? some_u64(s) : 0;
}

/* ASCII without NUL, rich in what JSON has to escape. */
static inline const char *some_text(struct some *s, size_t bytes)
{
	static const char nasty[] = "\"\\{}[],:\n\r\t\b\x1b\x7f\x01";
	char *text = s->pool + s->used;

	for (size_t i = 0; i < bytes; i++) {
		if (some_bits(s) % 4)
			text[i] = (char)(' ' + some_bits(s) % 95);
		else
			text[i] = nasty[some_bits(s) % (sizeof(nasty) - 1)];
	}
	text[bytes] = '\0';
	s->used += bytes + 1;
	return text;
}

/* Sometimes absent, sometimes long. */
static inline const char *some_string(struct some *s)
{
	uint64_t dice = some_bits(s) % 16;

	if (dice == 0)
		return NULL;
	return some_text(s, some_bits(s) % (dice == 1 ? 180 : 30));
}

/* A text that is short enough to be on every line without being cut, however it is escaped. */
static inline const char *some_key(struct some *s)
{
	return some_text(s, some_bits(s) % 10);
}

static inline void some_strings(struct some *s, const char **strings)
{
	uint64_t count = some_bits(s) % (RECORD_STRINGS + 1);

	for (uint64_t i = 0; i < count; i++)
		strings[i] = some_text(s, some_bits(s) % 100);
}

static inline void some_causes(struct some *s, struct cause_sum *sums)
{
	for (unsigned i = 0; i < CAUSES; i++) {
		bool any = some_bits(s) & 1;

		sums[i].gaps = any ? some_u64(s) : 0;
		sums[i].ns = any ? some_u64(s) : 0;
	}
}

static inline void some_pairs(struct some *s, struct record_pairs *pairs)
{
	pairs->count = some_bits(s) % 3 ? some_bits(s) % (SOME_PAIRS + 1) : 0;
	pairs->at = (const uint64_t(*)[2])s->pair;
	for (size_t i = 0; i < pairs->count; i++) {
		s->pair[i][0] = some_u64(s);
		s->pair[i][1] = some_u64(s);
	}
}

/* Names as the probe's own, which need no escaping. */
static inline void some_timers(struct some *s, struct period_timer *timers)
{
	static const char *const names[RECORD_TIMERS] = { "SWSMI timer 1.5 ms", "TCO timer 1.2 s",
							  "periodic SMI timer 8 s", "d" };
	uint64_t count = some_bits(s) % (RECORD_TIMERS + 1);

	for (uint64_t i = 0; i < count; i++)
		timers[i] = (struct period_timer){ names[i], some_u64(s) };
}

static inline void some_field(struct some *s, const struct record_field *f, void *at)
{
	switch (f->kind) {
	case FIELD_U64:
		*(uint64_t *)at = some_u64(s);
		break;
	case FIELD_I64:
		*(int64_t *)at = (int64_t)some_bits(s) >> some_bits(s) % 64;
		break;
	case FIELD_U32:
		*(uint32_t *)at = some_u32(s);
		break;
	case FIELD_BOOL:
		*(bool *)at = some_bits(s) & 1;
		break;
	case FIELD_STRING:
		*(const char **)at = f->key ? some_key(s) : some_string(s);
		break;
	case FIELD_MAYBE:
		some_maybe(s, at);
		break;
	case FIELD_PAIRS:
		some_pairs(s, at);
		break;
	case FIELD_STRINGS:
		some_strings(s, at);
		break;
	case FIELD_CAUSES:
		some_causes(s, at);
		break;
	case FIELD_TIMERS:
		some_timers(s, at);
		break;
	default: /* the link fills in the totals of records */
		break;
	}
}

static inline void some_record(struct some *s, enum record_type type, union record *r)
{
	memset(r, 0, sizeof(*r));
	for (const struct record_field *f = record_fields(type); f->kind != FIELD_END; f++)
		some_field(s, f, (char *)r + f->offset);
	if (type == RECORD_GAP)
		r->gap.cause = cause_name((enum cause)(some_bits(s) % CAUSES));
}
