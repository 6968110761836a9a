/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of one stage of a run; its gaps merged into events, and when its cores sampled. */
#pragma once

#include "core/events/event.h"
#include "core/records/record.h"
#include "core/report/table.h"
#include "core/lib/text.h"
#include "core/gaps/exposure.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result_gap {
	uint64_t t_ns, len_ns;
	uint32_t cpu;
	enum cause cause;
};

struct result_window {
	uint64_t n, windows;
	uint64_t start_ns, len_ns;
	uint64_t gaps;
	struct maybe smi, nmi;
};

struct result_list {
	void *at;            /* structs of the type */
	size_t count, bytes; /* bytes of one */
};

struct result_stage {
	char *name;
	bool has_state;
	struct record_stage state; /* that it was measured in */

	struct record_cpu *cpu; /* by number; without any, the stage was not measured */
	size_t cpus;
	uint32_t highest;               /* number of a core */
	uint64_t gaps_counted, dropped; /* by these */
	uint64_t bound[2];              /* the two largest error bounds of TSC offsets, ticks */

	/* Events: all that came, and the longest of them in time order. */
	uint64_t of; /* events of the stage, by these records; 0: none came */
	uint64_t events;
	uint64_t scope[SCOPES];
	struct record_event longest[TABLE_EVENTS];
	uint32_t listed;

	struct record_source *source;
	size_t sources;
	struct result_gap *gap;
	size_t gaps;
	struct result_window *window;
	size_t windows;

	struct result_list kept[RECORD_TYPES]; /* records of other types, as they are */
};

struct result;

/*
 * What is kept as it is, by type: struct service_records and service_records_of(), and so on. None
 * is there twice, by its keys.
 */
#define RECORD(id, name, about)                                                                 \
	struct name##_records {                                                                 \
		const struct record_##name *at; /* in order of arrival */                       \
		size_t count;                                                                   \
	};                                                                                      \
	static inline struct name##_records name##_records_of(const struct result_stage *stage) \
	{                                                                                       \
		const struct result_list *list = &stage->kept[RECORD_##id];                     \
                                                                                                \
		return (struct name##_records){ list->at, list->count };                        \
	}
#include "core/records/record_table.h"

/* The record of that service; NULL: there is none. */
const struct record_service *result_stage_service(struct service_records of, const char *service);

/* Keep what a record has about its stage. False when there is no room for it. */
bool result_stage_keep(struct result *run, enum record_type type, const union record *record);

/* The stage of that name, which may be NULL; it is new where there was none. NULL: no room. */
struct result_stage *result_stage_of(struct result *run, const char *name);

/* The n-th of those that are kept as they are. */
static inline const void *result_stage_record(const struct result_stage *stage,
					      enum record_type type, size_t n)
{
	const struct result_list *list = &stage->kept[type];

	return (const char *)list->at + n * list->bytes;
}

void result_stage_free(struct result_stage *stage);

/* Was it measured, in whatever mode? */
bool result_stage_is_measured(const struct result_stage *stage);

/* Causes to take in, as bits 1 << cause. */
#define RESULT_STAGE_ALL_CAUSES ((1u << CAUSES) - 1)

/* How far apart in time clocks of two cores may be: ns, at most the threshold. 0: not known. */
uint64_t result_stage_slack(const struct result *run, const struct result_stage *stage);

/*
 * Are all gaps of the stage in the report? A part of them would give a different result. If not,
 * *why has what is missing.
 */
bool result_stage_has_all_gaps(const struct result_stage *stage, struct text *why);

/* Gaps by start, as a merge wants them. */
void result_stage_sort_gaps(struct result_stage *stage);

/* Merge the sorted gaps of these causes; `sink` gets each event, including its `cause`. */
void result_stage_merge(const struct result_stage *stage, uint32_t causes, uint64_t slack,
			event_sink *sink, void *ctx);

/*
 * The windows of a stage. Where neighbours share a record, as in long runs, they are spread evenly.
 * False where the records are insufficient or contradict each other, and out->window is then NULL;
 * otherwise free it. The stage's windows are sorted.
 */
bool result_stage_exposure(struct result_stage *stage, struct exposure *out);
