/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls of firmware's services as a process of the OS made them, beside the probe's: what the OS
 * adds to a call, and whether it is firmware that stops other cores.
 */
#pragma once

#include "split.h"

#include "host/findings/finding.h"

#include "core/lib/text.h"

#include <stdbool.h>
#include <stddef.h>

/* What the OS has of a service, and the floor; below is NULL where that has nothing. */
struct beside {
	const struct record_service *below, *inside;
};

/* The n-th of s->tool->services. */
struct beside beside_at(const struct split_result *s, size_t n);

/* Did both sides call it? */
bool beside_is_whole(const struct beside *b);

/* What neither side can call, such as another processor's, is left out where people read. */
bool beside_is_shown(const struct beside *b);

/*
 * "get_variable_small takes 12.0 us below the OS, and 45.0 us from inside, by two calls (medians);
 * firmware stops others, from inside, too: to confine it to a housekeeping core does not help"
 *
 * As it may be shown to anyone.
 */
void beside_sentence(struct text *t, const struct beside *b);

/* A finding per service: both medians, and the sentence as its why. Free by findings_free(). */
struct findings beside_findings(const struct split_result *s);
