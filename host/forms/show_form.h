/* SPDX-License-Identifier: BSD-2-Clause */
/* The forms in which `noisefloor show` tells runs: one row each, in show_form.c. */
#ifndef HOST_SHOW_FORM_H
#define HOST_SHOW_FORM_H

#include "host/capture/intake.h"
#include "host/capture/reader.h"

#include "core/config/preset.h"

#include <stdbool.h>
#include <stdint.h>

/* What the caller asked for. */
struct show_options {
	const struct preset *preset; /* to judge by; NULL: by the run's own limits */
	bool has_began;
	uint64_t began_ns; /* wall time of the runs' begin, ns since 1970 */
};

struct show_form {
	const char *name;
	uint32_t wanted; /* record types, as bits 1 << type */
	uint32_t bare;   /* those of them whose objects it does not need */
	/* All of these are optional; what they print goes to standard output. */
	void (*start)(void);
	void (*line)(void *ctx, struct reader_run *run, const char *line, size_t bytes);
	void (*record)(void *ctx, struct reader_run *run, const struct reader_record *record);
	/* A capture that is over. False, with errno set, when a temporary file failed. */
	bool (*capture)(const struct show_options *o, const struct intake *in);
	void (*finish)(void);
	bool flaws_apart; /* they are no part of the output: to be said on standard error */
	bool wants_began; /* the output has wall times, for which standard input gives no hint */
};

/* NULL where there is none of that name. */
const struct show_form *show_form_find(const char *name);

/* The n-th, NULL past the last; the first is the default. */
const struct show_form *show_form_at(size_t n);

#endif
