/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The index's table of how far runs are on their way to an engine: a row for each run that has
 * ended, if the collector forwards, and none if it does not. What holds up all that wait, as the
 * engine is away, is in a row of its own. What returns an int returns 0 or an errno.
 */
#pragma once

#include "index_sql.h"

#include "host/store/index_forward.h"

/* For the one that writes, within its transactions. */
struct forwarding {
	sqlite3 *sql;
	sqlite3_stmt *find, *add, *put, *drop;
};

int forwarding_prepare(struct forwarding *f, sqlite3 *sql);
void forwarding_finalize(struct forwarding *f);

/* A run has ended: it waits, unless the table has it. */
int forwarding_add(struct forwarding *f, uint64_t place);

/* Of a run that the index has; others are left out. */
int forwarding_put(struct forwarding *f, const struct index_forward *state);

/* For all that wait: `next` and `why`. */
int forwarding_put_all(struct forwarding *f, const struct index_forward *state);
int forwarding_drop(struct forwarding *f, uint64_t place);

/*
 * As the list in the folder has it: what has been accepted there is, and nothing else; of what
 * waits the reason stays. With `dir` -1 the collector does not forward.
 */
int forwarding_settle(struct forwarding *f, int dir);

/* A row of `place, state, next, why, crc`, from this column. */
int forwarding_take(sqlite3_stmt *s, int column, struct index_forward *state);

/* For those that read: what holds up all that wait. */
int forwarding_of_all(sqlite3 *sql, struct index_forward *state);
