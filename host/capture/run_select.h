/* SPDX-License-Identifier: BSD-2-Clause */
/* One run out of a file, and one of its stages, for commands that handle one at a time. */
#pragma once

#include "capture.h"

#include <stdbool.h>

struct run_select {
	struct capture capture;
	const struct run *run;
};

/*
 * The run `sid` (16 hex digits) of the file; NULL: the only one it has. False, with
 * the reason on standard error, where there is none. capture_close() in any case.
 */
bool run_select(struct run_select *s, const char *path, const char *sid);

/*
 * The stage of that name; NULL: the last that was measured, what an OS inherits. NULL,
 * with the reason on standard error, where it was not measured.
 */
struct run_stage *run_select_stage(const struct run_select *s, const char *name);

/* 3 where the run's records are not proved complete, with the reasons on standard error. */
int run_select_code(const struct run_select *s);
