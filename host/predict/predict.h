/* SPDX-License-Identifier: BSD-2-Clause */
/* `noisefloor predict`: what the modes' predictions share. */
#pragma once

#include "host/capture/capture.h"
#include "host/program/form.h"
#include "profile.h"

#include <stddef.h>
#include <stdint.h>

struct predict_options {
	uint64_t nodes; /* or ranks; 0: not given */
	uint64_t grain_ns;
	uint64_t unseen_ns; /* 0: the longest seen */
	enum profile_cores cores;
	const char *stage, *run;
	const char *kernel, *phase; /* NULL: not given */
	struct form_choice form;
};

#define PREDICT_NODES_MOST 100000 /* of the table, but for one that is asked for */

#define PREDICT_ROWS 18 /* of the table, with the 0 past its last */

/* The n-th number of nodes of the table, in rising order; 0 past the last. */
uint64_t predict_nodes_at(const struct predict_options *o, size_t n);
