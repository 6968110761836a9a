/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The volume and the variables of a mocked machine. They outlive its runs: the next run with the
 * same storage is the machine's next start.
 *
 * The firmware caches files: data reaches the medium when a file is flushed or closed. A reset or
 * a power cut loses the rest. Variables are written atomically.
 *
 * A *change* is a flush or a close with something to write, the removal of a file, the creation of
 * a folder, or the setting of a variable. The power can be cut at any change: a flush then writes
 * half of its data, any other change does nothing.
 *
 * The firmware compacts its store while boot services live. After that, each write takes space
 * until the next start, as with EDK II.
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
#define MOCKED_STORE_BYTES    262000u /* about the size in OVMF's 4 MB flash */

struct mocked_content {
	bool is_there, is_folder;
	char name[MOCKED_FILE_NAME]; /* the path from the root */
	size_t bytes;
	uint8_t data[MOCKED_FILE_BYTES];
};

struct mocked_file {
	struct mocked_content now, kept; /* in the firmware's cache; on the medium */
	/* Changes since the last flush; changed_from is an offset in bytes. */
	bool is_written;
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
	/* Set by the test: how the machine behaves. */
	bool no_volume, read_only;
	enum boot_path_medium medium;
	bool loses_files;        /* a reset loses all files */
	bool loses_variables;    /* a reset loses all variables */
	const char *loses;       /* setting this variable succeeds and does nothing */
	const char *hides;       /* reading this variable fails */
	const char *keeps;       /* deleting this variable fails */
	bool no_folder, no_page; /* no_page: the name of a page is refused */
	bool spoils;             /* reading a file returns one byte other than was written */
	size_t volume_bytes;     /* size of the volume; 0: unlimited */
	size_t most_written;     /* bytes that one write stores, and reports success; 0: all */
	size_t store_bytes;      /* size of the variable store; 0: MOCKED_STORE_BYTES */
	bool no_entry;           /* the firmware does not report which entry it started */
	bool by_loader;          /* the boot entry leads to another program */
	bool stands_still;       /* the clock shows the same date at each start */
	unsigned cut;            /* the power is cut at this change of the run, from 1; 0: never */

	/* Set by the machine: its state. */
	bool stays_on;    /* the last run returned to the firmware: the power is still on */
	unsigned starts;  /* number of starts up to now */
	unsigned changes; /* number of changes in the last run */
	size_t spent;     /* bytes of the store that were freed and cannot be reused yet */
	struct mocked_file file[MOCKED_FILES];
	struct mocked_variable variable[MOCKED_VARIABLES];
};

/* Create a storage, in memory that runs share with the test. */
struct mocked_storage *mocked_storage_new(void);
void mocked_storage_free(struct mocked_storage *s);

/* Copy the whole storage. */
void mocked_storage_copy(struct mocked_storage *to, const struct mocked_storage *from);

void mocked_content_copy(struct mocked_content *to, const struct mocked_content *from);

/* The number of files on the medium with that ending, such as ".jsonl". */
size_t mocked_files(const struct mocked_storage *s, const char *ending);

/* The only file with that ending. The test fails if there is none, or more than one. */
const struct mocked_content *mocked_file(const struct mocked_storage *s, const char *ending);

/* The file's content as text, which the caller frees. */
char *mocked_file_text(const struct mocked_content *file);

/*
 * The file's records, borrowed. The test fails if a line is not a record, or if a number is missing
 * in their seq. A file that a power failure tore has records up to the first malformed line.
 */
json_t *mocked_file_records(const struct mocked_content *file, bool is_torn);

/* The variable of that name, whose owner may be anyone; NULL: there is none. */
#define MOCKED_REPORT "NoisefloorReport"
struct mocked_variable *mocked_variable(struct mocked_storage *s, const char *name);
/* True if all variables are the firmware's own, or are lost by a reset. */
bool mocked_is_clean(const struct mocked_storage *s);

/*
 * Fail the test if a record of `part` is not in `all`; if the records of `a` and `b` differ, in any
 * order; or if the totals of the only end record are wrong.
 */
void mocked_check_within(const json_t *part, const json_t *all, const char *type);
void mocked_check_same(const json_t *a, const json_t *b, const char *type);
void mocked_check_totals(const json_t *records);
