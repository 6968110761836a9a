/* SPDX-License-Identifier: BSD-2-Clause */
/* What is kept of a run while its capture is read, and what that says about the run. */
#ifndef HOST_SHOWN_H
#define HOST_SHOWN_H

#include "reader.h"
#include "search.h"
#include "stages.h"

#include "core/table/ladder.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>

/* Records kept of one run; more is said and left out. */
#define SHOWN_CPUS_MAX   16384
#define SHOWN_LOGS_MAX   1024 /* and as many pauses */
#define SHOWN_STAGES_MAX 64
#define SHOWN_PAIRS_MAX  (UINT64_C(1) << 22) /* of all histograms, where they are kept: 64 MB */

struct shown {
	bool has_begin, has_end;
	struct record_begin begin;
	struct record_end end;
	struct record_cpu *cpu; /* with histograms where they are kept, else with empty ones */
	size_t cpus;
	uint64_t pairs;       /* of these histograms */
	struct ladder ladder; /* of the cpu and window records */
	struct record_stage *state;
	size_t states;
	struct record_pause *pause;
	size_t pauses;
	struct record_log *log;
	size_t logs;
	struct stages stages;
	uint64_t left_out;
	void **own; /* strings and pairs of all of the above */
	size_t owned;
	void *spooled; /* the JSON document's */
};

/* What is kept of the run, made at first use. Ends the program when memory has run out. */
struct shown *shown_of(struct reader_run *run);

/* Keep a record, or what is wanted of it. */
void shown_keep(struct reader_run *run, const struct reader_record *record);

/* Keep a record for those who need all of it: histograms and the ladder, too. */
void shown_keep_whole(struct reader_run *run, const struct reader_record *record);

/*
 * The stages that cores have records of, in the order in which they came: their
 * names, which live as long as the run. At most STAGES_MAX; *left_out: there are more.
 */
size_t shown_stages(const struct shown *s, const char *name[STAGES_MAX], bool *left_out);

/* The stage's cores by number, to be freed; NULL for none. Histograms stay the run's. */
struct record_cpu *shown_stage_cpus(const struct shown *s, const char *stage, size_t *count);

/* The state that the stage was measured in; NULL where no record says. */
const struct record_stage *shown_state(const struct shown *s, const char *stage);

/* What the search for sources needs to know of the run and of that stage. */
struct search_ground shown_ground(const struct shown *s, const char *stage);

/* Take a cpu or window record into the ladder alone, for those who do not keep it. */
void shown_climb(struct reader_run *run, const struct reader_record *record);

void shown_free(struct reader_run *run);

/* Exit code of the run: its verdict's, and 3 where its records do not prove it passed. */
int shown_exit_code(struct reader_run *run);

/* The worst of two exit codes: error, fail, incomplete, pass. */
int shown_worst(int a, int b);

/* Tell, a sentence each, what is not as it should be with the run's records. */
typedef void shown_say(void *ctx, const char *sentence);
void shown_flaws(struct reader_run *run, shown_say *say, void *ctx);

/* A text without anything that would steer a terminal: control bytes become '?'. */
void shown_clean(char *text);

#endif
