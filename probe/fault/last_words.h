/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Last words: the report of a core that cannot go on. The core itself prints it at once on the
 * serial port and, if it is the boot core, on the screen, by code that allocates nothing, takes no
 * lock and waits for a bounded time. The network and the saved report get it when the boot core
 * goes on.
 */
#pragma once

#include "core/kinds/fault/fault.h"

#include <stdatomic.h>
#include <stdbool.h>

#define LAST_WORDS_MAX 4 /* faults of a run that are kept; the others are counted */

struct last_words {
	struct last_words_kept {
		struct fault_words words;
		bool printed, sent; /* printed: on the serial port; sent: on the other links */
		atomic_bool whole;
	} kept[LAST_WORDS_MAX];
	_Atomic uint32_t count;
	uint32_t logged; /* the count when last_words_send() last ran */

	uint32_t limit;    /* s that a call may take */
	uint32_t steps;    /* steps_count() at the last tick */
	uint64_t since;    /* when `steps` last changed, ticks of the clock */
	uint32_t ticks;    /* ticks of the firmware's timer since then */
	bool reported;     /* the current wait was reported */
	bool others_watch; /* another core watches the current call */
	bool returned;     /* the boot core goes on after a call that was reported */
};

/*
 * Start to report faults; also the firmware's exceptions, if it lets us handle them, and calls that
 * do not return, if it has a timer that runs on in them, until last_words_unwatch(). Called once.
 */
void last_words_start(struct last_words *w);
void last_words_unwatch(void);

/* Give the firmware its exceptions back, before it goes on without us. */
void last_words_stop(void);

/*
 * Called on the boot core when it goes on: print the last words not printed yet, and send all to
 * the other links.
 */
void last_words_send(struct last_words *w);
