/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs of one machine under several BIOS settings. A *setting* is a BIOS setting whose values
 * differ between the runs. A *change* divides the runs into two groups: those with one value of a
 * setting, and the others. A *rate* is a figure of a run that is compared. A *test* is one change
 * against one rate.
 */
#pragma once

#include "host/bios/bios_dump.h"
#include "host/statistics/shuffle.h"

#include "core/cause/cause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUNT_RUNS_MAX    SHUFFLE_MOST
#define HUNT_CHANGES_MAX 64

/* Compared rates: SMIs, gaps, noise, and gaps of each cause. */
enum hunt_rate { HUNT_SMI, HUNT_GAPS, HUNT_NOISE, HUNT_CAUSE, HUNT_RATES = HUNT_CAUSE + CAUSES };

struct hunt_run {
	char name[256]; /* name of its file, without folder and suffix */
	uint64_t sid;
	uint64_t began_ns; /* since 1970; 0: it is not known */
	bool zone;         /* `began_ns` is UTC: it can be compared with that of any other zone */
	double seconds;    /* sampled by each core, the mean */
	/* Mean of the cores, in events or ns. An SMI that stops all cores is one event. */
	double value[HUNT_RATES];
	bool has_smi; /* all cores have counted SMIs */
	struct bios_dump dump;
};

/* A setting whose values are known in all runs, and differ. */
struct hunt_setting {
	const char *name;
	const char *value[HUNT_RUNS_MAX]; /* one per run */
	size_t same[HUNT_RUNS_MAX];       /* per run: the first run that has its value */
	size_t values;                    /* number of different values */
};

/* Settings that always changed together make the same change. */
struct hunt_change {
	bool on[HUNT_RUNS_MAX]; /* one per run; never set for the first */
	size_t first_on;        /* the first run */
	size_t *setting;        /* their numbers */
	size_t settings;
};

struct hunt {
	struct hunt_run *run;
	size_t runs;
	double order[HUNT_RUNS_MAX]; /* per run: how many began before it */
	bool ordered;                /* true if `order` is known */
	size_t left_out; /* runs without a dump, dumps without a run, what could not be read */
	char machine[200], stage[24];
	uint64_t threshold_ns;
	struct hunt_setting *setting;
	size_t settings, unchanged;
	size_t always;  /* settings with another value in each run, of three or more */
	size_t unknown; /* settings that not all dumps have */
	struct hunt_change change[HUNT_CHANGES_MAX];
	size_t changes;
};

/*
 * Read a folder of runs, each with the BIOS dump of its start beside it: NAME.jsonl, NAME.nf or
 * NAME.log, and NAME.bios.json; each may be packed, NAME.jsonl.gz. Other files are not read. The
 * runs are sorted by name; `stage` NULL: the last of the first run. What is left out is reported on
 * standard error and counted. False, with the reason there, where the runs cannot be compared: of
 * several machines, with several thresholds, fewer than two, or with more changes than
 * HUNT_CHANGES_MAX. The order of the runs is known if all have a time, by UTC or all without a
 * zone, and no two the same. hunt_free() in any case.
 */
bool hunt_read(struct hunt *h, const char *path, const char *stage);

void hunt_free(struct hunt *h);

/*
 * Plan the next runs, in random order: each value of a setting occurs equally often. At setting *
 * runs + run is the number of a run of the hunt that has the value. The plan of one hunt is always
 * the same. To be freed.
 */
size_t *hunt_plan(const struct hunt *h, size_t runs);
