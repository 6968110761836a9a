/* SPDX-License-Identifier: BSD-2-Clause */
/* Values of cores against the table. */
#include "readiness.h"

#include "core/lib/cpulist.h"

#define STATE_MAX 120

static const struct item {
	const char *name, *word[2];
	bool same;
} items[READINESS_ITEMS] = {
#define ITEM(id, ...) [READINESS_##id] = ITEM_ROW(__VA_ARGS__),
#define ITEM_ROW(text, low, high, is_same)   \
	{                                    \
		text, { low, high }, is_same \
	}
#include "readiness_items.h"
};

static const char *const profiles[READINESS_PROFILES] = {
#define PROFILE(id, name, title, source) [READINESS_##id] = name,
#include "readiness_profiles.h"
};

static const struct asks {
	uint8_t profile, item;
	bool same; /* whatever it is */
	uint8_t value;
} asked[] = {
#define ASKS(profile, item, value) { READINESS_##profile, READINESS_##item, false, value },
#define ASKS_SAME(profile, item)   { READINESS_##profile, READINESS_##item, true, 0 },
#include "readiness_profiles.h"
};

const char *readiness_item_name(enum readiness_item item)
{
	return items[item].name;
}

const char *readiness_profile_name(enum readiness_profile profile)
{
	return profiles[profile];
}

static const struct asks *find(enum readiness_profile profile, enum readiness_item item)
{
	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		if (asked[i].profile == profile && asked[i].item == item)
			return &asked[i];
	return NULL;
}

/* Does this core's value contradict? The first one is what others must be the same as. */
static bool is_wrong(const struct asks *a, struct maybe value, struct maybe *first)
{
	if (!value.known)
		return false;
	if (!a->same)
		return value.value != a->value;
	if (!first->known)
		*first = value;
	return value.value != first->value;
}

enum readiness_judged readiness_judge(const struct readiness *r, enum readiness_profile profile,
				      enum readiness_item item)
{
	const struct asks *a = find(profile, item);
	struct maybe first = { 0, false };
	bool all = r->cores != 0;

	if (!a)
		return READINESS_NOBODY;
	for (uint32_t i = 0; i < r->cores; i++) {
		if (is_wrong(a, r->core[i].of[item], &first))
			return READINESS_NOT_READY;
		all = all && r->core[i].of[item].known;
	}
	return all ? READINESS_READY : READINESS_UNKNOWN;
}

const char *readiness_word(enum readiness_judged judged)
{
	static const char *const words[] = {
		[READINESS_READY] = "ready",
		[READINESS_NOT_READY] = "not ready",
		[READINESS_UNKNOWN] = "unknown",
		[READINESS_NOBODY] = NULL,
	};

	return words[judged];
}

static void put_value(struct text *out, enum readiness_item item, uint64_t value)
{
	const char *word = value < 2 ? items[item].word[value] : NULL;

	if (word)
		text_add(out, "%s", word);
	else
		text_add(out, "0x%llx", (unsigned long long)value);
}

static bool is_same(struct maybe a, struct maybe b)
{
	return a.known == b.known && (!a.known || a.value == b.value);
}

/* The cores of this one's value, and how many; 0: an earlier one had it. */
static uint32_t group(const struct readiness *r, enum readiness_item item, uint32_t of,
		      struct cpulist *list)
{
	uint32_t count = 0;

	cpulist_clear(list);
	for (uint32_t i = 0; i < r->cores; i++) {
		if (!is_same(r->core[i].of[item], r->core[of].of[item]))
			continue;
		if (i < of)
			return 0;
		cpulist_add(list, r->number[i]);
		count++;
	}
	return count;
}

static bool any_known(const struct readiness *r, enum readiness_item item)
{
	uint32_t i = 0;

	while (i < r->cores && !r->core[i].of[item].known)
		i++;
	return i < r->cores;
}

void readiness_state(const struct readiness *r, enum readiness_item item, struct text *out)
{
	const char *between = "";
	struct cpulist list;

	for (uint32_t i = 0; any_known(r, item) && i < r->cores; i++) {
		struct maybe value = r->core[i].of[item];
		uint32_t count = group(r, item, i, &list);

		if (!count)
			continue;
		text_add(out, "%s", between);
		between = ", ";
		if (value.known)
			put_value(out, item, value.value);
		else
			text_add(out, "n/a");
		if (count == r->cores)
			continue;
		text_add(out, " ");
		cpulist_print(&list, out);
	}
}

void readiness_wants(enum readiness_profile profile, enum readiness_item item, struct text *out)
{
	const struct asks *a = find(profile, item);

	if (a && a->same)
		text_add(out, "the same on all cores");
	else if (a)
		put_value(out, item, a->value);
}

static bool give(const struct readiness *r, enum readiness_item item,
		 enum readiness_profile profile, readiness_take *take, void *ctx)
{
	TEXT_DEFINE(state, STATE_MAX);
	TEXT_DEFINE(wants, STATE_MAX);
	struct readiness_row row = { .item = items[item].name };

	readiness_state(r, item, &state);
	row.state = state.len ? state.buf : NULL;
	if (profile < READINESS_PROFILES) {
		row.judged = readiness_word(readiness_judge(r, profile, item));
		if (!row.judged)
			return false;
		readiness_wants(profile, item, &wants);
		row.profile = profiles[profile];
		row.wants = wants.buf;
	}
	take(ctx, &row);
	return true;
}

void readiness_rows(const struct readiness *r, readiness_take *take, void *ctx)
{
	for (unsigned item = 0; item < READINESS_ITEMS; item++) {
		bool any = false;

		for (unsigned p = 0; p < READINESS_PROFILES; p++)
			any |= give(r, (enum readiness_item)item, (enum readiness_profile)p, take,
				    ctx);
		if (!any)
			give(r, (enum readiness_item)item, READINESS_PROFILES, take, ctx);
	}
}

unsigned readiness_count(const struct readiness *r, enum readiness_profile profile,
			 enum readiness_judged judged)
{
	unsigned n = 0;

	for (unsigned item = 0; item < READINESS_ITEMS; item++)
		n += readiness_judge(r, profile, (enum readiness_item)item) == judged;
	return n;
}
