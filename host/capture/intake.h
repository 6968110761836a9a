/* SPDX-License-Identifier: BSD-2-Clause */
/* A capture read from its file to its end; what is wrong with it is said on standard error. */
#ifndef HOST_INTAKE_H
#define HOST_INTAKE_H

#include "reader.h"

#include <stdbool.h>
#include <stdint.h>

struct intake {
	const char *name; /* its path, or "standard input" */
	struct reader *reader;
	uint64_t complaints;
	const char *error; /* why it was not read to its end; NULL: it was */
};

/*
 * Read `path`; "-" is standard input. Of the hooks, `complain` and `ctx` are the
 * intake's own. Ends the program when memory has run out.
 */
void intake_read(struct intake *in, const char *path, const struct reader_hooks *hooks);

/* The same, and all bytes go to `also` too, as they come. */
typedef void intake_also(void *ctx, const char *bytes, size_t count);
void intake_read_also(struct intake *in, const char *path, const struct reader_hooks *hooks,
		      intake_also *also, void *ctx);

/* Can all of these be read? Only one may be standard input; else it is said. */
bool intake_check(const char *subcommand, int count, const char *const *paths);

/*
 * The capture's exit code: the worst of its runs, 2 where there is none or not all
 * could be read. Says why; the runs' own flaws too with `say_flaws`.
 */
int intake_judge(struct intake *in, bool say_flaws);

/* Frees what was kept of the runs, too. */
void intake_free(struct intake *in);

#endif
