/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What `fleet` shows of a run as a line of text: a collector's index keeps it of each machine's
 * latest run, so that the run's file need not be read.
 */
#pragma once

#include "fleet_group.h"

/* Of a larger file it takes too long. */
#define FLEET_LINE_FILE_MAX ((off_t)64 << 20)

/*
 * Of a run that has ended, from its file in this folder; to be freed. "": it is to be read there,
 * as it is too large, cannot be read, or has calls of firmware. NULL: memory has run out. Not for
 * several threads at a time.
 */
char *fleet_line_make(int dir, const struct index_entry *e);

/* The line is changed. */
void fleet_line_read(char *line, struct fleet_node *n);
