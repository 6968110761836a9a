/* SPDX-License-Identifier: BSD-2-Clause */
/* Runs of one machine under several BIOS settings: what was read of each, and what was changed. */
#pragma once

#include "host/lib/bios_dump.h"

#include "core/cause/cause.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HUNT_RUNS_MAX    256
#define HUNT_CHANGES_MAX 64

/* What is compared: SMIs, gaps, noise, and gaps of each cause. */
enum hunt_rate { HUNT_SMI, HUNT_GAPS, HUNT_NOISE, HUNT_CAUSE, HUNT_RATES = HUNT_CAUSE + CAUSES };

/* "SMIs" "gaps" "noise"; that of a cause: its name, of which one is "smi". */
const char *hunt_rate_name(unsigned rate);

/* From events, or ns of noise, per second to what is printed: the same, or ppm. */
double hunt_rate_scale(unsigned rate);

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
	double seconds;    /* sampled by each core, the mean */
	double longest_ns; /* gap */
	/* The mean of the cores: events; ns. An SMI that stops all cores is one event. */
	double value[HUNT_RATES];
	bool known[HUNT_RATES];
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

/* From the runs' dumps: settings and changes. False: more than HUNT_CHANGES_MAX. */
bool hunt_settings_find(struct hunt *h);

void hunt_free(struct hunt *h);
