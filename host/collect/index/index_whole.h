/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Has the index every run of the folder that was acknowledged? Then who reads it need not list the
 * folder, which may have a million files. A collector that works claims it by a lock on a byte of
 * DIR/lock (an OFD lock: fcntl(2)), which needs no room on a disk that is full, and ends with the
 * process; one that has ended by giving the index the time of the folder, less a day: that of
 * the folder changes as soon as a file comes or goes.
 */
#pragma once

#include <stdbool.h>

/* `lock` is the descriptor of DIR/lock. */
void index_whole_claim(int lock, bool is_whole);

/* The index is closed. */
void index_whole_mark(int dir);

enum index_whole {
	INDEX_WHOLE_NOT, /* or not known to be */
	INDEX_WHOLE_CLAIMED,
	INDEX_WHOLE_MARKED, /* if it still is when all of it has been read */
};

enum index_whole index_whole_is(int dir);
