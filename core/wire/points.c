/* SPDX-License-Identifier: BSD-2-Clause */
/* A ring of datagrams, from the oldest that was not sent to the one being filled. */
#include "points.h"

#include "core/lib/mem.h"

static struct points_slot *slot_of(const struct points *p, uint64_t number)
{
	return &p->setup.slot[number % p->setup.slots];
}

void points_start(struct points *p, const struct points_setup *setup)
{
	*p = (struct points){ .setup = *setup };
}

void points_flush(struct points *p)
{
	p->open = false;
}

bool points_work(struct points *p)
{
	while (p->first < p->end - p->open) {
		const struct points_slot *slot = slot_of(p, p->first);

		if (!p->setup.send(p->setup.ctx, slot->text, slot->bytes))
			return false;
		p->lines_sent += slot->lines;
		p->sent++;
		p->first++;
	}
	return true;
}

static bool is_line(const char *line, size_t bytes)
{
	return bytes > 0 && bytes <= POINTS_DATAGRAM_MAX &&
	       memchr(line, '\n', bytes) == line + bytes - 1;
}

/* A datagram with that much room; NULL: none. */
static struct points_slot *slot_for(struct points *p, size_t bytes)
{
	struct points_slot *slot;

	if (p->open) {
		slot = slot_of(p, p->end - 1);
		if (slot->bytes + bytes <= sizeof(slot->text))
			return slot;
		points_flush(p);
	}
	if (p->end - p->first == p->setup.slots)
		points_work(p);
	if (p->end - p->first == p->setup.slots)
		return NULL;
	slot = slot_of(p, p->end++);
	slot->bytes = slot->lines = 0;
	p->open = true;
	return slot;
}

bool points_line(struct points *p, const char *line, size_t bytes)
{
	struct points_slot *slot = is_line(line, bytes) ? slot_for(p, bytes) : NULL;

	p->lines++;
	if (!slot) {
		p->lines_lost++;
		return false;
	}
	memcpy(slot->text + slot->bytes, line, bytes);
	slot->bytes = (uint16_t)(slot->bytes + bytes);
	slot->lines++;
	return true;
}
