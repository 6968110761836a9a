/* SPDX-License-Identifier: BSD-2-Clause */
/* One run out of a file, and one of its stages, for what looks at one thing at a time. */
#ifndef HOST_PICK_H
#define HOST_PICK_H

#include "intake.h"
#include "shown.h"

#include <stdbool.h>

struct picked {
	struct intake in;
	struct reader_run *run;
	const struct shown *shown; /* of the run, kept whole */
};

/*
 * The run `sid` (16 hex digits) of the file; NULL: the only one it has. False, with
 * the reason on standard error, where there is none. pick_free() in any case.
 */
bool pick_run(struct picked *p, const char *path, const char *sid);
void pick_free(struct picked *p);

/*
 * The stage of that name; NULL: the last on the ladder, what an OS inherits. NULL,
 * with the reason on standard error, where it was not measured.
 */
const char *pick_stage(const struct picked *p, const char *name);

/* 3 where the run's records do not prove that they are all, with the reasons on standard error. */
int pick_code(const struct picked *p);

#endif
