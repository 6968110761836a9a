/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. They are recorded and never lost. */
#pragma once

#include <stdbool.h>

/*
 * Record signals from now on, instead of terminating. From the second signal on, `hurry` is called
 * in the handler, so it must be async-signal-safe. NULL: nothing is called.
 */
void signals_watch(void (*hurry)(void));

/* From now on SIGHUP does not end the process, but is returned by signals_hung_up(). */
void signals_keep_hangups(void);

/* True if there was a hangup since the last call. */
bool signals_hung_up(void);

/* Block them in the calling thread, which they must not interrupt. */
void signals_block(void);

/* Name of the first that came, "SIGINT"; NULL: none. */
const char *signals_seen(void);
