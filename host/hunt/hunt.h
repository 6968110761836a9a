/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of one machine under several BIOS settings: what was read of each, and what was changed. */
#pragma once

#include "host/bios/bios_dump.h"

#include "core/cause/cause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUNT_RUNS_MAX    256
#define HUNT_CHANGES_MAX 64

/*
 * What is compared: SMIs, gaps, noise, and gaps of each cause; and from HUNT_TIMES on the times of
 * work that the first run has, a quantum's or a call's.
 */
enum hunt_rate { HUNT_SMI, HUNT_GAPS, HUNT_NOISE, HUNT_CAUSE, HUNT_TIMES = HUNT_CAUSE + CAUSES };
#define HUNT_TIMES_MAX 64
#define HUNT_RATES_MAX (HUNT_TIMES + HUNT_TIMES_MAX)

/* When a run began, as far as the order of runs goes. */
struct hunt_began {
	int64_t s;  /* seconds since 1970, by its clock where the zone is not known */
	bool known; /* to the second */
	bool zone;  /* by UTC: `s` compares with that of any other zone */
};

struct hunt_run {
	char *name; /* of its file, without folder and suffix */
	uint64_t sid;
	struct hunt_began began;
	double seconds;    /* sampled by each core, the mean; 0: no gaps were looked for */
	double longest_ns; /* gap */
	/* The mean of the cores: events; ns. An SMI that stops all cores is one event. */
	double value[HUNT_RATES_MAX];
	bool known[HUNT_RATES_MAX];
	struct bios_dump dump;
};

/* A setting whose values are known in all runs, and differ. */
struct hunt_setting {
	const char *name;
	const char **value; /* of each run */
	size_t *same;       /* of each run: the first run that has its value */
	size_t values;      /* so many different ones */
};

/*
 * Runs in two groups, by one value of a setting: those that have it and the others. Settings that
 * always changed together make the same groups.
 */
struct hunt_change {
	bool *on;        /* of each run; not of the first */
	size_t first_on; /* the first run */
	size_t *setting; /* their numbers */
	size_t settings;
};

struct hunt {
	struct hunt_run *run;
	size_t runs;
	struct hunt_time {
		char *name;
		uint64_t work;
	} time[HUNT_TIMES_MAX];
	size_t times;
	double *order;   /* of each run: how many began before; NULL: that is not known */
	size_t left_out; /* runs without a dump, dumps without a run, what could not be read */
	char machine[200], stage[24];
	uint64_t threshold_ns;
	struct hunt_setting *setting;
	size_t settings, unchanged;
	size_t always;  /* settings with another value in each run, of three or more */
	size_t unknown; /* settings that not all dumps have */
	struct hunt_change *change;
	size_t changes;
};

/* So many are compared. */
unsigned hunt_rates(const struct hunt *h);

/* "SMIs" "gaps" "noise"; that of a cause: its name, of which one is "smi"; "l2 alone". */
const char *hunt_rate_name(const struct hunt *h, unsigned rate);

/* From what hunt_rate() is of to what is printed: the same, or ppm. */
double hunt_rate_scale(unsigned rate);

/* "/s" "ppm" " ns" */
const char *hunt_rate_unit(unsigned rate);

/* What a run's value is of: its seconds; a time is one of one. */
double hunt_weight(const struct hunt *h, size_t run, unsigned rate);

/* Events, or ns of noise, per second; ns. */
double hunt_rate(const struct hunt *h, size_t run, unsigned rate);

/* From the runs' dumps: settings and changes. False: more than HUNT_CHANGES_MAX. */
bool hunt_settings_find(struct hunt *h);

void hunt_free(struct hunt *h);
