/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is left of a core that cannot go on. At once, on that core, it is printed on the serial port
 * and, by the boot core, on the screen: by code that allocates nothing, takes no lock and waits for
 * a bounded time. The network and what is kept have it later, when the boot core goes on.
 */
#pragma once

#include "probe/output.h"
#include "probe/person/display.h"

#include "core/kinds/fault/fault.h"
#include "core/report/report.h"

#include <stdatomic.h>
#include <stdbool.h>

#define LAST_WORDS_MAX 4 /* faults of a run that are kept; the others are counted */

struct last_words {
	struct output *output;
	struct display *display;
	struct report *report;
	const char *const *stage;

	struct last_words_kept {
		struct fault_words words;
		bool printed, sent; /* on the serial port; on the other links */
		atomic_bool whole;
	} kept[LAST_WORDS_MAX];
	_Atomic uint32_t count;
	uint32_t logged; /* of those that are not kept */

	/*
	 * On the boot core, in a call of the firmware that has not returned: that is reported. May
	 * end the run.
	 */
	void (*lost)(void *ctx);
	void *ctx;
	uint32_t limit;    /* s of a call */
	uint32_t steps;    /* steps_count() when it was last looked at */
	uint64_t since;    /* when that was seen to change, ticks of the clock */
	uint32_t ticks;    /* of the timer since then */
	bool reported;     /* what it waits for since then */
	bool others_watch; /* another core looks at the call that goes on */
	bool returned;     /* for whom it goes on after a call that was reported */
};

/*
 * From now on: the firmware's exceptions too, where it lets us have them, and calls of it that do
 * not return, where it has a timer that goes on in them, until door.unwatch(). Once.
 */
void last_words_start(struct last_words *w);

/* Before the firmware goes on without us: it has its exceptions back. */
void last_words_stop(void);

/* On the boot core, which goes on: print what could not be printed, and send all to other links. */
void last_words_send(struct last_words *w);
