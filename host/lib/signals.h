/* SPDX-License-Identifier: BSD-2-Clause */
/* Requests from outside to end: SIGINT, SIGTERM, SIGHUP, SIGQUIT. They are noted and never lost. */
#ifndef HOST_SIGNALS_H
#define HOST_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on note them instead of dying. `hurry` is called in the handler from the
 * second one on: async-signal-safe; NULL: nothing.
 */
void signals_watch(void (*hurry)(void));

/* In a thread that is not to be disturbed by them. */
void signals_block(void);

/* Name of the first that came, "SIGINT"; NULL: none. */
const char *signals_seen(void);

/* Sleep so long, or until one comes, or since one came. True: slept to the end. */
bool signals_sleep(uint64_t ns);

#endif
