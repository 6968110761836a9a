/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The volume and the variables of a mocked machine, which outlive its runs: the next run on the
 * same storage is the machine's next start.
 *
 * Files are in memory of the firmware's until they are flushed or closed, and a new name or a
 * shorter length until they are flushed; only that outlives a reset or a power cut. Variables are
 * written whole. A change is a flush or a close with something to write, a file that is removed, a
 * folder that is made, or a variable that is set. The power can be cut at each of them: of a flush
 * a half is written then, of the others nothing.
 *
 * The firmware compacts its store while boot services live. After that each write takes space until
 * the next start, as EDK II's does.
 */
#pragma once

#include "core/firmware/boot_path.h"
#include "probe/door.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOCKED_FILES          16
#define MOCKED_FILE_NAME      160
#define MOCKED_FILE_BYTES     (1u << 20)
#define MOCKED_VARIABLES      16
#define MOCKED_VARIABLE_BYTES 32768u
#define MOCKED_STORE_BYTES    262000u /* OVMF's 4 MB flash has about as many */

struct mocked_content {
	bool is_there, is_folder;
	char name[MOCKED_FILE_NAME]; /* from the root */
	size_t bytes;
	uint8_t data[MOCKED_FILE_BYTES];
};

struct mocked_file {
	struct mocked_content now, kept; /* as the firmware has it; on the medium */
	/* Since the last flush. */
	bool is_written, is_renamed;
	size_t changed_from;
};

struct mocked_variable {
	bool is_there;
	enum door_owner owner;
	enum door_lasting lasting;
	char name[DOOR_NAME_MAX + 1];
	size_t bytes;
	uint8_t data[MOCKED_VARIABLE_BYTES];
};

struct mocked_storage {
	/* What the machine is like. */
	bool no_volume, read_only;
	enum boot_path_medium medium;
	bool loses_files;     /* a reset does */
	bool loses_variables; /* the same */
	bool loses_boot_next; /* it is taken, and not there when it is read */
	bool no_rename, no_folder;
	bool spoils;         /* what is read of a file differs from what was written, by a byte */
	size_t volume_bytes; /* of all files; 0: no bound */
	size_t most_written; /* by one write, which reports success; 0: no bound */
	size_t store_bytes;  /* 0: MOCKED_STORE_BYTES */
	bool no_entry;       /* the firmware does not report what it has started */
	bool by_loader;      /* the boot entry leads to another program */
	bool stands_still;   /* the clock has the same date at each start */
	unsigned cut;        /* the power goes at this change of the run, from 1 on; 0: never */

	/* What has become of it. */
	bool stays_on;    /* since the last run: that went back to the firmware */
	unsigned starts;  /* up to now */
	unsigned changes; /* in the last run */
	size_t spent;     /* bytes of the store, since boot services have ended */
	struct mocked_file file[MOCKED_FILES];
	struct mocked_variable variable[MOCKED_VARIABLES];
};

/* In memory that a run shares with its test. */
struct mocked_storage *mocked_storage_new(void);
void mocked_storage_free(struct mocked_storage *s);

/* Copy all of it. */
void mocked_storage_copy(struct mocked_storage *to, const struct mocked_storage *from);

void mocked_content_copy(struct mocked_content *to, const struct mocked_content *from);

/* How many files on the medium have that ending; ".jsonl". */
size_t mocked_files(const struct mocked_storage *s, const char *ending);

/* The only one, which must be there. */
const struct mocked_content *mocked_file(const struct mocked_storage *s, const char *ending);

/* As text, in memory that is freed by the caller. */
char *mocked_file_text(const struct mocked_content *file);

/* Its records. Each line must be one, and their seq without a hole. A new array. */
json_t *mocked_file_records(const struct mocked_content *file);
/* The same of one that a power cut has torn: those before the first line that is none. */
json_t *mocked_torn_records(const struct mocked_content *file);

bool mocked_has_variable(const struct mocked_storage *s, const char *name);
/* How many variables hold parts of reports. */
unsigned mocked_reports(const struct mocked_storage *s);
/* True if there is no variable but the firmware's own, and those that a reset loses. */
bool mocked_is_clean(const struct mocked_storage *s);

/*
 * The records of a type, whole, without what differs from link to link. A new array. The others
 * fail the test where those of two links differ, in whatever order they are, or those of `part` are
 * not in `all`, and where an end record's totals are wrong.
 */
json_t *mocked_joined(const json_t *records, const char *type);
void mocked_check_within(const json_t *part, const json_t *all, const char *type);
void mocked_check_same(const json_t *a, const json_t *b, const char *type);
void mocked_check_totals(const json_t *records);
