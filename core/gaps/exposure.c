/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows are found by binary search. */
#include "exposure.h"

bool exposure_add(struct exposure *e, uint64_t start, uint64_t end)
{
	const struct exposure_window *last = e->count ? &e->window[e->count - 1] : NULL;

	if (start >= end || e->count == e->capacity || (last && start < last->end))
		return false;
	e->window[e->count] = (struct exposure_window){
		.start = start,
		.end = end,
		.before = last ? last->before + (last->end - last->start) : 0,
	};
	e->count++;
	return true;
}

void exposure_cut(struct exposure *e, uint64_t t)
{
	while (e->count && e->window[e->count - 1].start >= t)
		e->count--;
	if (e->count && e->window[e->count - 1].end > t)
		e->window[e->count - 1].end = t;
}

bool exposure_known(const struct exposure *e)
{
	return e && e->count;
}

/* Number of windows that start at `t` or before. */
static size_t begun(const struct exposure *e, uint64_t t)
{
	size_t low = 0, high = e->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (e->window[middle].start <= t)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t exposure_window_of(const struct exposure *e, uint64_t t)
{
	size_t n = begun(e, t);

	return n ? n - 1 : 0;
}

/* ns sampled up to `t`. */
static uint64_t sampled(const struct exposure *e, uint64_t t)
{
	const struct exposure_window *w = &e->window[exposure_window_of(e, t)];

	if (t < w->start)
		return 0;
	return w->before + (t < w->end ? t - w->start : w->end - w->start);
}

uint64_t exposure_between(const struct exposure *e, uint64_t from, uint64_t to)
{
	return exposure_known(e) ? sampled(e, to) - sampled(e, from) : to - from;
}

bool exposure_meets(const struct exposure *e, uint64_t from, uint64_t to)
{
	size_t n;

	if (!exposure_known(e))
		return true;
	n = begun(e, to);
	return n && e->window[n - 1].end >= from;
}

uint64_t exposure_next(const struct exposure *e, uint64_t t)
{
	size_t n;

	if (!exposure_known(e))
		return UINT64_MAX;
	n = begun(e, t);
	return n < e->count ? e->window[n].start : UINT64_MAX;
}
