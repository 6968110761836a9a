/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows of a stage: when, and how many of what. The rest is with the cores. */
#include "host/capture/result.h"
#include "host/kinds/host_kind.h"
#include "host/lib/memory.h"

static bool window_kind_keep(struct result *run, const union record *record)
{
	const struct record_window *w = &record->window;
	struct result_stage *stage = result_stage_of(run, w->stage);

	if (!stage || run->windows == RESULT_WINDOWS_MAX)
		return false;
	*MEMORY_ADD(stage->window, stage->windows) = (struct result_window){
		w->n,
		w->windows,
		w->start_ns,
		w->len_ns,
		w->gaps,
		.counted = {
#define COUNTED_INTERRUPT(id, name) [EVIDENCE_##id] = w->name,
#define COUNTED_ERROR(id, name)
#define COUNTED(id, name, from, kind, ...) COUNTED_##kind(id, name)
#include "core/cause/counted_rows.h"
		},
	};
	run->windows++;
	return true;
}

const struct host_kind host_kind_window = {
	.type = RECORD_WINDOW,
	.keep = window_kind_keep,
};
