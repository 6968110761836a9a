/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows, events and gaps of a run with their evidence, in one list, for traces. */
#pragma once

#include "host/capture/result.h"

#include "core/cause/cause.h"
#include "core/lib/value.h"

#include <stddef.h>
#include <stdint.h>

enum slice_kind { SLICE_WINDOW, SLICE_EVENT, SLICE_GAP };

struct slice {
	enum slice_kind kind;
	uint64_t t_ns, end_ns; /* since the run's begin; at most INT64_MAX */
	const char *stage;     /* printable ASCII; lives as long as the list */
	enum cause cause;      /* of a gap, an event */
	uint32_t cpu;          /* of a gap; the first of an event's */
	/* Of a gap. */
	struct maybe smi, nmi, mce;
	/* Of an event: how many cores, the last one, between the first and the last to enter. */
	uint32_t cpus, last;
	uint64_t skew_ns;
	const char *scope; /* NULL: not known */
};

struct slices {
	struct slice *slice;
	size_t count;
	uint64_t left_out; /* their times are past INT64_MAX ns */
	char *stage[RESULT_STAGES_MAX];
};

/* A show_form.record: the run's list is its `user`. Ends the program when memory has run out. */
void slices_record(struct result *run, const struct reader_record *record);

/*
 * The run's list by kind, core of a gap, and time; never NULL. What was left out is
 * reported. slices_free() it.
 */
struct slices *slices_take(struct result *run, const char *file);
void slices_free(struct slices *s);
