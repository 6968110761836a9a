/* SPDX-License-Identifier: BSD-2-Clause */
/* The index of a collector's folder, which only `noisefloor-collect` can read: as its child. */
#pragma once

#include "host/store/index.h"

#define FOLDER_INDEX_COMMAND "index" /* the argument before the folder */

/*
 * What the folder's index has, sorted by sid: of DIR/index.sqlite, or without one of
 * DIR/index.jsonl. Where the former cannot be read, a remark on standard error is preceded by the
 * name of `subcommand`, and what is missing has to be read of the runs' files. 0 or an errno.
 */
int folder_index_read(int dir, const char *path, const char *subcommand, struct index_table *t);
