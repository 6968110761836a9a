/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. They are recorded and never lost. */
#pragma once

#include <stdbool.h>

/*
 * From now on record them instead of terminating. `hurry` is called in the handler from the second
 * one on: async-signal-safe; NULL: nothing.
 */
void signals_watch(void (*hurry)(void));

/* From now on SIGHUP is no request to end, but one that signals_hung_up() returns. */
void signals_keep_hangups(void);

/* Has there been one since the last call? */
bool signals_hung_up(void);

/* For a thread that they must not interrupt. */
void signals_block(void);

/* Name of the first that came, "SIGINT"; NULL: none. */
const char *signals_seen(void);
