/* SPDX-License-Identifier: BSD-2-Clause */
/* keep_choose() in a thread, as it takes seconds for hundreds of thousands of runs. */
#pragma once

#include "keep.h"

struct keep_worker;

/* NULL with errno. `stop` of the question is its own. */
struct keep_worker *keep_worker_new(const struct keep_question *q);

/* Has it chosen? */
bool keep_worker_is_done(const struct keep_worker *w);

/* keep_choose()'s result; what is not done is stopped. The worker is gone then; may be NULL. */
int keep_worker_end(struct keep_worker *w, struct keep_choice *choice);
