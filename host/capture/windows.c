/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A record of k windows has the start of the first and the end of the last. The next record's start
 * gives the distance from start to start, and with it the length of each window.
 */
#include "windows.h"

#include "host/lib/memory.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b)
{
	const struct run_window *x = a, *y = b;

	return x->n < y->n ? -1 : x->n > y->n;
}

static uint64_t count_windows(const struct run_stage *stage)
{
	uint64_t count = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		if (!stage->window[i].windows || stage->window[i].windows > RUN_WINDOWS_MAX - count)
			return 0;
		count += stage->window[i].windows;
	}
	return count;
}

/* From start to start, by the next record; 0 where it is unknown. */
static uint64_t distance(const struct run_stage *stage, size_t i)
{
	const struct run_window *w = &stage->window[i], *next = w + 1;

	if (i + 1 == stage->windows || next->start_ns < w->start_ns || next->n <= w->n)
		return 0;
	return (next->start_ns - w->start_ns) / (next->n - w->n);
}

/* `apart` is 0 where it is not known: then the windows are treated as one. */
static bool lay_record(const struct run_window *w, uint64_t apart, struct exposure *out)
{
	uint64_t others = w->windows - 1, length;

	if (w->start_ns + w->len_ns < w->start_ns)
		return false;
	if (others && (!apart || apart > w->len_ns / others))
		apart = w->len_ns / w->windows;
	length = w->len_ns - others * apart;
	if (others && length > apart)
		length = apart;
	for (uint64_t k = 0; k < w->windows; k++) {
		uint64_t start = w->start_ns + k * apart;

		if (!exposure_add(out, start, start + length))
			return false;
	}
	return true;
}

static bool lay(const struct run_stage *stage, struct exposure *out)
{
	uint64_t apart = 0;

	for (size_t i = 0; i < stage->windows; i++) {
		uint64_t known = distance(stage, i);

		/* No record follows the last. */
		apart = known ? known : apart;
		if (!lay_record(&stage->window[i], apart, out))
			return false;
	}
	return true;
}

bool windows_of(struct run_stage *stage, struct exposure *out)
{
	uint64_t count = count_windows(stage);

	*out = (struct exposure){ 0 };
	if (!count)
		return false;
	qsort(stage->window, stage->windows, sizeof(*stage->window), by_number);
	out->window = memory_new(count, sizeof(*out->window));
	out->capacity = count;
	if (lay(stage, out))
		return true;
	free(out->window);
	*out = (struct exposure){ 0 };
	return false;
}
