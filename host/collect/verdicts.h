/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A machine's latest run that has ended, as the policy judges it, for whoever asks by UUID from
 * another thread: that of nodes.h, or the index's where there are more machines than places there.
 */
#pragma once

#include "nodes.h"

#include "host/store/policy.h"

/* All zero at first, but for the folder. */
struct verdicts {
	struct nodes nodes;
	int dir; /* the folder's descriptor */
	pthread_mutex_t mutex;
	const struct policy *policy; /* NULL: none */
};

/* From now on; when it returns nobody uses the one before any more. */
void verdicts_set_policy(struct verdicts *v, const struct policy *policy);

enum verdicts_result {
	VERDICTS_FOUND,
	VERDICTS_NONE,  /* no run of the machine has ended */
	VERDICTS_BUSY,  /* the index is behind what was received: it is known soon */
	VERDICTS_LACKS, /* the index cannot be read, or has not what the policy asks for */
};

/* `why` is for VERDICTS_LACKS: text that stays. */
enum verdicts_result verdicts_find(struct verdicts *v, const char *uuid, struct nodes_run *run,
				   const char **why);
