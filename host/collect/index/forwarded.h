/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DIR/forwarded: what an engine has accepted, which no run's file has. A line that is added is on
 * stable storage before the run is not sent any more; the index's table of it is made again of this
 * list. "SID taken", "SID refused", "SID empty"; the last line of a run counts.
 */
#pragma once

#include "host/store/index_forward.h"

#include <stddef.h>

struct forwarded_run {
	uint64_t sid;
	size_t line;
	enum index_forward_state state;
};

struct forwarded {
	struct forwarded_run *run; /* by sid */
	size_t count;
};

/* Where there is none, it is empty. 0 or an errno. */
int forwarded_read(int dir, struct forwarded *f);
void forwarded_free(struct forwarded *f);

/* INDEX_FORWARD_WAITING: it is not in the list. */
enum index_forward_state forwarded_state(const struct forwarded *f, uint64_t sid);

/* A descriptor for forwarded_add(), or -1 with errno. */
int forwarded_open(int dir);

/* 0 or an errno. */
int forwarded_add(int fd, uint64_t sid, enum index_forward_state state);
