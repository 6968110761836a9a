/* SPDX-License-Identifier: BSD-2-Clause */
/* Equal readings of several cores become one line. */
#include "survey_room.h"

#include "core/lib/cpulist.h"
#include "core/lib/mem.h"

#define PRINTED 0x80u /* a flag of a reading */

static bool is_key(const struct survey_reading *a, const struct survey_reading *b)
{
	if (a->area != b->area || a->number != b->number || a->sub != b->sub)
		return false;
	return a->name == b->name || text_same(a->name, b->name);
}

static bool is_same(const struct survey_reading *a, const struct survey_reading *b)
{
	if ((a->flags ^ b->flags) & ~PRINTED)
		return false;
	return a->flags & (SURVEY_MOVES | SURVEY_FAULTED) ||
	       !memcmp(a->value, b->value, sizeof(a->value));
}

/* The core's reading of the same; cores of one type have it at the same place. */
static struct survey_reading *find(const struct survey_core *c, const struct survey_reading *of,
				   uint32_t place)
{
	if (place < c->count && is_key(&c->at[place], of))
		return &c->at[place];
	for (uint32_t i = 0; i < c->count; i++)
		if (is_key(&c->at[i], of))
			return &c->at[i];
	return NULL;
}

static void put_leaf(struct text *t, const struct survey_reading *r)
{
	text_add(t, "%08x %x %08x %08x %08x %08x", (unsigned)r->number, (unsigned)r->sub,
		 (unsigned)r->value[0], (unsigned)(r->value[0] >> 32), (unsigned)r->value[1],
		 (unsigned)(r->value[1] >> 32));
}

static void put_value(struct text *t, const struct survey_reading *r)
{
	if (r->name)
		text_add(t, "%s ", r->name);
	else
		text_add(t, "%x ", (unsigned)r->number);
	if (r->flags & SURVEY_FAULTED)
		text_add(t, "fault");
	else if (r->flags & SURVEY_MOVES)
		text_add(t, "moves");
	else if (r->area == SURVEY_EVIDENCE)
		text_add(t, "%s", survey_evidence_name((enum survey_evidence)r->value[0]));
	else
		text_add(t, "%llx", (unsigned long long)r->value[0]);
}

static void put_line(struct text *t, const struct survey_reading *r, const struct cpulist *cores)
{
	if (r->area == SURVEY_CPUID)
		put_leaf(t, r);
	else
		put_value(t, r);
	text_char(t, ' ');
	cpulist_print(cores, t);
	text_add(t, "%s\n", r->flags & SURVEY_OWN_ID ? " id" : "");
}

void survey_cores_print(struct survey_core *core, const uint32_t *number, uint32_t cores,
			enum survey_area area, struct text *t)
{
	struct cpulist list;

	for (uint32_t c = 0; c < cores; c++) {
		for (uint32_t i = 0; i < core[c].count; i++) {
			struct survey_reading *r = &core[c].at[i], *other;

			if (r->area != area || r->flags & PRINTED)
				continue;
			cpulist_clear(&list);
			for (uint32_t n = c; n < cores; n++) {
				other = find(&core[n], r, i);
				if (!other || !is_same(other, r))
					continue;
				other->flags |= PRINTED;
				cpulist_add(&list, number[n]);
			}
			put_line(t, r, &list);
		}
	}
}
