/* SPDX-License-Identifier: BSD-2-Clause */
/* The latest run of one machine as text or JSON, wherever it was read. */
#pragma once

#include "host/store/index.h"

#include <stdbool.h>

struct status {
	const char *uuid; /* as given */
	unsigned runs;    /* of this machine */
	bool is_guessed;  /* which of them is the latest */
	bool has_no_reason;
	struct index_entry latest;
};

/* Returns the exit code: the run's verdict; 2: there is none. */
int status_show(const struct status *s, bool as_json);
