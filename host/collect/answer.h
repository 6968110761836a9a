/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Answers over HTTP, where Prometheus asks:
 *
 *	/verdict/UUID  the node's latest run that has ended, as JSON: 200 it passed, 409 it did not,
 *	               404 there is none, 503 not known now: verdicts.h
 *	/healthz       200, or 503 while the disk takes no more
 *	others         the metrics
 */
#pragma once

#include "verdicts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So much of a request decides, with a zero. */
#define ANSWER_HEAD 128

struct answer_pages {
	struct verdicts *verdicts;
	uint64_t max_age_ns;    /* no older pass counts; 0: any does */
	pthread_mutex_t mutex;  /* of what follows */
	char *metrics, *health; /* NULL: none yet */
	size_t bytes;           /* of the metrics */
	bool healthy;
};

/* To be freed; NULL: memory has run out. `request` is text that begins with the request's line. */
char *answer_make(struct answer_pages *p, const char *request, size_t *bytes);
