/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results that survive: `save`. While boot services live, records and a page for a browser go to
 * files on the volume that the image came from. After ExitBootServices there are no files: a
 * compact report waits in the firmware's variables for the next start (harvest.h), or for
 * `noisefloor harvest` under Linux.
 */
#pragma once

#include "probe/machine.h"
#include "probe/person/display.h"
#include "nvram.h"
#include "volume.h"

#include "core/config/config.h"
#include "core/gaps/platform.h"
#include "core/records/compact.h"
#include "core/report/report.h"
#include "core/report/verdict.h"

#include <stdbool.h>
#include <stdint.h>

/* How a report in the variables is fetched, for people. */
#define SAVE_FETCH "`noisefloor harvest --delete` under Linux, or by noisefloor on a stick"

struct save {
	const struct config *config;
	const struct machine *machine;
	const struct platform *platform;
	const struct verdict_reasons *reasons;
	struct report *report;
	struct display *display;

	uint64_t sid;          /* of the run */
	uint64_t memory_bytes; /* allocated */
	bool to_files, to_nvram;
	bool sends; /* only the firmware can drive a network card: `report` is for the next start */
	bool waits; /* no file would outlive the run: its report is fetched from the variables */
	bool returns; /* the next start writes the file, or sends: BootNext and a reset */
	uint16_t entry;
	uint64_t began_s;

	struct volume volume;
	struct record_link link; /* to the file */
	struct volume_file records, page;
	char name[VOLUME_NAME_MAX];
	uint64_t tail_due; /* tick from which what is known of the cores may be written again */
	/* Where the lines of text went before they went to the page, too. */
	void (*line)(void *ctx, const char *line, size_t bytes);
	void *line_ctx;

	struct nvram_room room;
	struct record_link compact;
	struct compact_writer capture;
	bool spared;    /* the room kept for the run's last records is in use */
	uint64_t lost;  /* histograms and records that found no room in it */
	uint64_t spent; /* of the store, by this run after ExitBootServices */
	void *packed;   /* NVRAM_REPORT_MAX */
	struct saved_writer writer;
	uint64_t (*pairs)[2];    /* HIST_BUCKETS of them */
	uint64_t own_from;       /* tick since which the machine is ours; 0: it is not */
	uint64_t checkpoint_due; /* tick */
	uint64_t checkpoint_ns;  /* from one to the next */
	bool no_checkpoints;     /* any more: the store has room for the last report */
	bool is_saved;           /* the report is in the variables */
};

/* Decide what of this run is saved where, report it, and add links to the report. */
void save_open(struct save *s, uint64_t sid);

/* Between windows. */
void save_between(struct save *s);

/* Right before ExitBootServices: the files are closed. */
void save_leave_firmware(struct save *s);

/* All has been reported; `delivered`: and a collector has acknowledged it. */
void save_finish(struct save *s, bool delivered);

/* A link of the report's, the only one, to the file that is open. */
void save_link_file(struct save *s, uint64_t sid);

/* The page: open it beside the file, and let the report's text go there, too. */
void save_page(struct save *s, const char *records_name);
bool save_page_end(struct save *s);
