/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run that outlives a reset: the lines that it has reported and its end page, deflated to some
 * kilobytes for one of the firmware's variables.
 *
 *   offset 0   "NFR", then SAVED_RUN_VERSION
 *          4   bytes of the end page, inflated, 32 bits
 *          8   bytes of the lines behind it, inflated, 32 bits
 *         12   flags, enum saved_run_flag, 16 bits
 *         14   enum verdict, 16 bits
 *         16   the run's sid
 *         24   when it began, as date_number() has it; 0: not known
 *         32   page and lines, deflated (RFC 1951)
 *        n-4   CRC-32C of all before it
 *
 * Numbers are little-endian. A line is a record as record_send() writes it, or text for people
 * behind a '|'; all bytes are printable ASCII. A record that does not fit is left out whole, and
 * the others are numbered again. A log record then has the counts of what was left out, by type;
 * the end record has those of gaps and events.
 */
#pragma once

#include "core/lib/deflate.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAVED_RUN_VERSION   2
#define SAVED_RUN_HEAD      32u
#define SAVED_RUN_CRC       4u
#define SAVED_RUN_BYTES_MAX (UINT32_C(1) << 24) /* most bytes of page and lines, inflated */

/* The variable that holds it, and its GUID. */
#define SAVED_NAME "NoisefloorReport"
#define SAVED_GUID "77cca71c-9cb0-422d-9cb0-be2977edbfe7"

/* Memory that holds it instead, `cap` bytes; bytes 0: it is empty. */
struct saved_memory {
	void *value;
	size_t bytes, cap;
};

enum saved_run_flag {
	SAVED_RUN_ENDED = 1,     /* the run has ended; else it was still running */
	SAVED_RUN_DELIVERED = 2, /* a collector has acknowledged all its records */
};

struct saved_run_head {
	uint64_t sid;
	uint64_t began; /* date_number() */
	uint16_t flags;
	uint16_t verdict; /* enum verdict; reading does not check it */
};

/*
 * Append the name of the run's file, "20261121-190501-X11DPH-T-4c4c4544-0042-....", without its
 * ending: when it began (UTC, if the machine's clock is), the SMBIOS product, the UUID. What is not
 * known (0, NULL or "") is left out. In the product everything but letters, digits, '.', '-' and
 * '_' becomes '_', and so does a leading '.', so that whatever the firmware reports the name stays
 * in its folder and is valid on FAT.
 */
void saved_run_name(struct text *out, uint64_t began, const char *product, const char *uuid);

/* ---- Writing ---- */

/* The report of a run so far. Copying an earlier copy of the struct back undoes what was added. */
struct saved_run {
	struct record_link link; /* takes the run's records; must be first */
	/* Private: */
	struct record_link lines;
	uint8_t *at;
	size_t cap, used, spare;
	bool full;
	uint64_t lost; /* records for which there was no memory */
	bool ended;
	struct record_end end;
};

/* Begin in `memory` of at least 64 KiB; 16 KiB are for the summary and what follows it. */
void saved_run_start(struct saved_run *r, uint64_t sid, void *memory, size_t bytes);

/* Keep a line for people if there is room for it. */
void saved_run_text(struct saved_run *r, const char *line, size_t bytes);

/* Memory for packing. `contents` has `cap` bytes: for page and lines, and 16 KiB more. */
struct saved_run_work {
	uint8_t deflate[DEFLATE_WORK_BYTES] __attribute__((aligned(16)));
	uint8_t *contents;
	size_t cap;
};

/*
 * Pack the run, and a page of `page_bytes` at the start of work->contents, into `out`. Types of
 * lines are left out in this order until the rest fits: text, windows, events, the page and logs,
 * gaps, interference, cores. Of the type left out last, the first lines stay, as many as fit.
 * Returns the number of bytes; 0: even the remaining types do not fit.
 */
size_t saved_run_pack(const struct saved_run *r, const struct saved_run_head *head,
		      size_t page_bytes, struct saved_run_work *work, void *out, size_t cap);

/* ---- Reading ---- */

enum saved_state {
	SAVED_STATE_OK,
	SAVED_STATE_NONE,    /* there is no run */
	SAVED_STATE_CUT,     /* truncated */
	SAVED_STATE_DAMAGED, /* the checksum or the contents are wrong */
	SAVED_STATE_FOREIGN, /* not a run, or packed by another version of noisefloor */
	SAVED_STATE_UNREAD,  /* the store could not be read, or there is no memory for the run */
};

/* The defect of such a report as a predicate: "is damaged". */
const char *saved_state_text(enum saved_state state);

struct saved_contents {
	struct saved_run_head head;
	const uint8_t *packed;
	size_t packed_bytes;
	uint8_t *page; /* page_bytes long; hostile input */
	const char *lines;
	size_t page_bytes, lines_bytes;
};

/* Check the packed run, and fill in everything but `page` and `lines`. */
enum saved_state saved_run_open(struct saved_contents *c, const void *packed, size_t bytes);

/*
 * Inflate page and lines to `out`, which is aligned to 8 and has room for page_bytes + lines_bytes.
 * `work` has DEFLATE_WORK_BYTES, aligned to 16. False: the run is damaged.
 */
bool saved_run_inflate(struct saved_contents *c, void *out, void *work);

/* A line: a record with its newline, or text without its mark and its newline. */
struct saved_line {
	const char *at;
	size_t bytes;
	bool is_record;
};

/* Read the line at offset *at, which begins at 0 and moves on. False: there are no more lines. */
bool saved_run_line(const struct saved_contents *c, size_t *at, struct saved_line *line);

/*
 * ---- Room in the store of variables ----
 *
 * The store is the firmware's, and small. EDK II cannot compact it while an operating system runs:
 * there each write costs its full size until the next start (MdeModulePkg, Variable.c, "not
 * allowed to be reclaimed in Runtime"). So it is not filled by checkpoints.
 */

/* Bytes that a report of `bytes` takes from the store. */
size_t saved_cost(size_t bytes);

/* Usable bytes of a store of `all` bytes with `left` free: a quarter of it stays free. */
uint64_t saved_room(uint64_t all, uint64_t left);

/*
 * Number of further checkpoints of `bytes` bytes that leave room for the last report, which may be
 * twice as long. `room`: saved_room(); `most`: bytes of the longest report.
 */
uint64_t saved_checkpoints(uint64_t room, size_t bytes, size_t most);

/* Time to the next checkpoint, ns, if `count` are left and the run takes `rest_ns` more. */
uint64_t saved_interval(uint64_t every_ns, uint64_t rest_ns, uint64_t count);
