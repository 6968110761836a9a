/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run that outlives a reset: the lines that it has reported and its end page, deflated (RFC 1951)
 * to some kilobytes for one of the firmware's variables. They are behind a struct saved_run_head,
 * and before a CRC-32C of all before it. Numbers are as the processor has them.
 *
 * A line is a record as record_send() writes it, or text for people behind a '|'; all bytes are
 * printable ASCII. A record that does not fit is left out whole, and the others are numbered again.
 * A log record then has the counts of what was left out, by type; the end record has those of gaps
 * and events.
 */
#pragma once

#include "core/lib/deflate.h"
#include "core/records/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAVED_RUN_VERSION   3
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

struct saved_run_head {
	uint8_t magic[4];     /* "NFR", then SAVED_RUN_VERSION */
	uint32_t page_bytes;  /* length of the end page, inflated */
	uint32_t lines_bytes; /* length of the lines behind it, inflated */
	uint16_t delivered;   /* 1: a collector has acknowledged all its records */
	uint16_t verdict;     /* enum verdict; reading does not check it */
	uint64_t sid;
	uint64_t began; /* date_number(); 0: not known */
};

_Static_assert(sizeof(struct saved_run_head) == 32, "it has no padding");

/*
 * Append the name of the run's file, "20261121-190501-X11DPH-T-4c4c4544-0042-....", without its
 * ending: when it began (UTC, if the machine's clock is), the SMBIOS product, the UUID. What is not
 * known (0, NULL or "") is left out. In the product everything but letters, digits, '.', '-' and
 * '_' becomes '_', and so does a leading '.', so that whatever the firmware reports the name stays
 * in its folder and is valid on FAT.
 */
void saved_run_name(struct text *out, uint64_t began, const char *product, const char *uuid);

/* ---- Writing ---- */

/* The report of a run so far. */
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
 * Pack the run, and a page of head->page_bytes at the start of work->contents, into `out`. Types of
 * lines are left out in this order until the rest fits: text, windows, events, the page and logs,
 * gaps, interference, cores. Of the type left out last, the first lines stay, as many as fit.
 * Returns the number of bytes; 0: even the remaining types do not fit.
 */
size_t saved_run_pack(const struct saved_run *r, const struct saved_run_head *head,
		      struct saved_run_work *work, void *out, size_t cap);

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
	uint8_t *page; /* head.page_bytes long; hostile input */
	const char *lines;
};

/* Check the packed run, and fill in everything but `page` and `lines`. */
enum saved_state saved_run_open(struct saved_contents *c, const void *packed, size_t bytes);

/*
 * Inflate page and lines to `out`, which is aligned to 8 and has room for both. `work` has
 * DEFLATE_WORK_BYTES, aligned to 16. False: the run is damaged.
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
