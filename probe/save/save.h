/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results that survive: `save`. While boot services live, records and a page for a browser go to
 * files on the volume that the image came from. After ExitBootServices there are no files: the
 * report waits in the firmware's variables for the next start (save_harvest()), or for
 * `noisefloor boot fetch` under Linux.
 */
#pragma once

#include "nvram.h"
#include "volume.h"

#include "core/keep/saved_run.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stdint.h>

/* The means to fetch a report from the variables, for people. */
#define SAVE_FETCH "`noisefloor boot fetch --delete` under Linux, or by noisefloor on a stick"

struct save {
	uint64_t sid; /* the run's sid */
	bool to_files, to_nvram;
	bool sends; /* only the firmware can drive a network card: `report` is for the next start */
	bool waits; /* no file would outlive the run: its report is fetched from the variables */
	bool returns; /* the next start writes the file, or sends: BootNext and a reset */
	uint16_t entry;
	uint64_t began; /* date_number() */

	struct volume volume;
	struct record_link link; /* to the file */
	struct volume_file records, page;
	char name[VOLUME_NAME_MAX];
	bool takes_text; /* save_text() saves lines */

	size_t room;          /* most bytes of that report; 0: there is none */
	struct saved_run run; /* the report for the variables */
	struct saved_run_work *work;
	uint8_t *packed;     /* NVRAM_REPORT_MAX, and as much for what is read back */
	size_t packed_bytes; /* bytes at `packed` */
	const char *problem; /* why the report was not written; NULL: it was */
	bool full;           /* the report did not fit into the store */
	unsigned writes;     /* variables written so far */
	bool is_saved;       /* the report is in the variables */
};

/* Decide what is saved where, report it, and add links to the report. */
void save_open(struct save *s, uint64_t sid);

/* Called between windows. */
void save_between(struct save *s);

/* Close the files, right before ExitBootServices. */
void save_leave_firmware(struct save *s);

/* Called when all has been reported. `delivered`: a collector has acknowledged it. */
void save_finish(struct save *s, bool delivered);

/* Save a line of text that has been printed. */
void save_text(struct save *s, const char *line, size_t bytes);

/*
 * Create the file of a run's records, and the page beside it. `suffix`: the end of its name. False:
 * there is no file.
 */
bool save_create(struct save *s, uint64_t began, uint64_t sid, const char *suffix);

/* Add a line to the open file of records. */
void save_record(struct save *s, const char *line, size_t bytes);

/* The page beside the file. Without one, lines are dropped. False: it was not written. */
void save_page_line(struct save *s, const char *line, size_t bytes);
bool save_page_end(struct save *s);

/* ---- The report of a run that ended without files, which the next start finds ---- */

struct app;

/*
 * Look for a report in the firmware's variables; save it to files, show it, send it, and remove it.
 * True: that is all that this start does. A machine whose first boot entry is noisefloor would
 * otherwise measure for ever, so after a report nothing is measured until the machine is reset.
 */
bool save_harvest(struct app *app);
