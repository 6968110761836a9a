/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows in the order of time, and what began in each. */
#include "spread.h"

#include "host/lib/memory.h"
#include "host/lib/order.h"

struct spread_window {
	uint64_t start_ns, len_ns;
	const struct result_window *record;
	double count;
};

static ORDER_BY(by_start, struct spread_window, start_ns);

void spread_start(struct spread *s, const struct result_stage *stage)
{
	*s = (struct spread){ memory_new(stage->windows, sizeof(*s->window)), stage->windows };
	for (size_t i = 0; i < s->windows; i++) {
		const struct result_window *w = &stage->window[i];

		s->window[i] = (struct spread_window){ w->start_ns, w->len_ns, w, 0 };
	}
	ORDER_SORT(s->window, s->windows, by_start);
}

/* A gap may begin a sample before its window, which is then the first of those. */
void spread_add(struct spread *s, uint64_t t_ns)
{
	size_t low = 0, high = s->windows;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->window[middle].start_ns <= t_ns)
			low = middle;
		else
			high = middle;
	}
	if (s->windows)
		s->window[low].count++;
}

struct dispersion spread_end(struct spread *s, size_t cores)
{
	struct dispersion_window *w = memory_new(s->windows, sizeof(*w));
	struct dispersion d;
	size_t count = 0;

	for (size_t i = 0; i < s->windows; i++)
		if (s->window[i].len_ns)
			w[count++] = (struct dispersion_window){ s->window[i].count / (double)cores,
								 (double)s->window[i].len_ns };
	d = dispersion_of(w, count);
	free(w);
	free(s->window);
	return d;
}

static struct maybe counted(const struct result_window *w, enum spread_counter counter)
{
	if (counter == SPREAD_GAPS)
		return (struct maybe){ w->gaps, true };
	return counter == SPREAD_SMI ? w->smi : w->nmi;
}

static bool is_known(const struct result_stage *stage, enum spread_counter counter)
{
	for (size_t i = 0; i < stage->windows; i++)
		if (!counted(&stage->window[i], counter).known)
			return false;
	return true;
}

struct dispersion spread_of_counter(const struct result_stage *stage, enum spread_counter counter,
				    size_t cores)
{
	struct spread s;

	if (!is_known(stage, counter))
		counter = SPREAD_GAPS;
	spread_start(&s, stage);
	for (size_t i = 0; i < s.windows; i++)
		s.window[i].count = (double)counted(s.window[i].record, counter).value;
	return spread_end(&s, cores);
}

bool spread_of_gaps(struct dispersion *d, const struct result_stage *stage, uint32_t causes,
		    uint64_t over_ns, uint64_t count)
{
	struct dispersion found;
	uint64_t matching = 0;
	struct spread s;

	spread_start(&s, stage);
	for (size_t i = 0; i < stage->gaps; i++) {
		const struct result_gap *g = &stage->gap[i];

		if (!(causes & 1u << g->cause) || g->len_ns <= over_ns)
			continue;
		spread_add(&s, g->t_ns);
		matching++;
	}
	found = spread_end(&s, stage->cpus);
	if (matching < count)
		return false;
	*d = found;
	return true;
}
